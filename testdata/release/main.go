// Command release keeps the names of a release together, packs what goreleaser does not, and tries a whole release out.
// .release/names says what the project is called.
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	n, err := readNames(".")
	if err != nil {
		return err
	}
	switch {
	case args[0] == "rename":
		return rename(".", args[1:])
	case args[0] == "manifests":
		return writeManifests(".", n)
	case args[0] == "version":
		fmt.Println(n["version"])
		return nil
	case args[0] == "npm" && len(args) == 3:
		built, err := binaries(args[1])
		if err != nil {
			return err
		}
		return npm(".", args[2], n, built)
	}
	return fmt.Errorf("%v is unknown: %w", args, errUsage)
}

var errUsage = errors.New("it is rename KEY=VALUE …, manifests, version or npm DIST FOLDER")
