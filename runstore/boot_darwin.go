package runstore

import "golang.org/x/sys/unix"

// bootID identifies this boot of this machine, "" if the system will not say.
func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
