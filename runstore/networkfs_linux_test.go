package runstore

import (
	"bufio"
	"strings"
	"testing"
)

func TestNetworkFS(t *testing.T) {
	t.Parallel()
	for magic, want := range map[uint32]string{
		0x6969: "nfs", 0xff534d42: "smb", 0xfe534d42: "smb", 0x517b: "smb", 0x00c36400: "ceph",
		0xef53: "", 0x01021994: "", 0x794c7630: "", 0x9123683e: "", 0x58465342: "", 0x01021997: "", // ext4, tmpfs, overlay, btrfs, xfs, 9p
	} {
		if got := networkMagic(magic); got != want {
			t.Errorf("%#x is %q, want %q", magic, got, want)
		}
	}
	const mounts = "22 1 254:0 / / rw - ext4 /dev/vda rw\n" +
		"30 22 0:44 / /mnt/far rw,nosuid shared:5 - fuse.sshfs ann@far:/ rw\n" +
		"31 22 0:45 / /mnt/near rw - fuse.gocryptfs /home/ann/.crypt rw\n"
	for device, want := range map[string]string{"0:44": "fuse.sshfs", "0:45": "", "254:0": "", "9:9": ""} {
		if got := networkFUSE(fuseType(bufio.NewScanner(strings.NewReader(mounts)), device)); got != want {
			t.Errorf("device %s is %q, want %q", device, got, want)
		}
	}
	if got := networkFS(t.TempDir()); got != "" {
		t.Errorf("the directory for tests lies on %s", got)
	}
}
