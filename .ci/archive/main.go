// Command archive packs files for a release: archive NAME PATH…. A directory is
// packed with all that is in it. What it writes depends on names and contents
// alone. The first path is a program; where it is one for Windows the archive is
// NAME.zip, else NAME.tar.gz.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
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
		log.Fatal("usage: archive NAME PATH…")
	}
	if err := archive(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func archive(name string, paths []string) error {
	files, err := filesOf(filepath.Base(name), paths)
	if err != nil {
		return err
	}
	write, suffix := writeTar, ".tar.gz"
	if strings.HasSuffix(paths[0], ".exe") {
		write, suffix = writeZip, ".zip"
	}
	out, err := os.Create(name + suffix)
	if err != nil {
		return err
	}
	return errors.Join(write(out, files), out.Close())
}

// file is one file of an archive.
type file struct {
	name string // in the archive, with slashes
	mode fs.FileMode
	data []byte
}

// filesOf reads what is at paths, directories in the order of their names.
func filesOf(dir string, paths []string) ([]file, error) {
	var files []file
	for i, root := range paths {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			within, err := filepath.Rel(filepath.Dir(root), path)
			if err != nil {
				return err
			}
			f := file{name: dir + "/" + filepath.ToSlash(within), mode: 0o644}
			if i == 0 {
				f.mode = 0o755
			}
			f.data, err = os.ReadFile(path)
			files = append(files, f)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func writeTar(out io.Writer, files []file) error {
	gz := gzip.NewWriter(out)
	tw := tar.NewWriter(gz)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: packed}
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		if _, err := tw.Write(f.data); err != nil {
			return err
		}
	}
	return errors.Join(tw.Close(), gz.Close())
}

func writeZip(out io.Writer, files []file) error {
	zw := zip.NewWriter(out)
	for _, f := range files {
		w, err := zw.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: packed})
		if err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return zw.Close()
}
