package tools

import "bytes"

// imageKind names the format of a picture by its first bytes; "" for anything
// else.
func imageKind(head []byte) string {
	for _, mark := range []struct{ bytes, name string }{
		{"\x89PNG\r\n\x1a\n", "PNG"}, {"\xff\xd8\xff", "JPEG"}, {"GIF87a", "GIF"}, {"GIF89a", "GIF"},
		{"BM", "BMP"}, {"II*\x00", "TIFF"}, {"MM\x00*", "TIFF"},
	} {
		if bytes.HasPrefix(head, []byte(mark.bytes)) && bytes.IndexByte(head, 0) >= 0 {
			return mark.name
		}
	}
	if len(head) > 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP" {
		return "WebP"
	}
	return ""
}
