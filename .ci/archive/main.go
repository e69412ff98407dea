// Command archive packs files for a release: archive NAME FILE…. What it writes depends
// on the files alone. The first file is a program; where it is one for Windows
// the archive is NAME.zip, else NAME.tar.gz.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// packed is the time every file gets.
var packed = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: archive NAME FILE…")
	}
	name, files := os.Args[1], os.Args[2:]
	write, suffix := writeTar, ".tar.gz"
	if strings.HasSuffix(files[0], ".exe") {
		write, suffix = writeZip, ".zip"
	}
	out, err := os.Create(name + suffix)
	if err == nil {
		err = errors.Join(write(out, filepath.Base(name), files), out.Close())
	}
	if err != nil {
		log.Fatal(err)
	}
}

func mode(i int) int64 {
	if i == 0 {
		return 0o755
	}
	return 0o644
}

func writeTar(out io.Writer, dir string, files []string) error {
	gz := gzip.NewWriter(out)
	tw := tar.NewWriter(gz)
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: dir + "/" + filepath.Base(file), Mode: mode(i), Size: int64(len(data)), ModTime: packed}
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		if _, err := tw.Write(data); err != nil {
			return err
		}
	}
	return errors.Join(tw.Close(), gz.Close())
}

func writeZip(out io.Writer, dir string, files []string) error {
	zw := zip.NewWriter(out)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		w, err := zw.CreateHeader(&zip.FileHeader{Name: dir + "/" + filepath.Base(file), Method: zip.Deflate, Modified: packed})
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return zw.Close()
}
