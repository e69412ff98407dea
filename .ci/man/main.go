// Command man writes the manual pages into a directory: man DIR DATE, DATE as
// git's %cI.
package main

import (
	"log"
	"os"
	"time"

	"github.com/seed-3e5a1d81/agent/cmd"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: man DIR DATE")
	}
	date, err := time.Parse(time.RFC3339, os.Args[2])
	if err == nil {
		err = cmd.ManPages(os.Args[1], date)
	}
	if err != nil {
		log.Fatal(err)
	}
}
