//go:build linux && !amd64 && !arm64

package sandbox

const auditArch = 0

func oldMetadataCalls() []uint32 { return nil }
