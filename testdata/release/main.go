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
		return errors.New("say what to do: rename KEY=VALUE …, or manifests")
	}
	switch args[0] {
	case "rename":
		return rename(".", args[1:])
	case "manifests":
		n, err := readNames(".")
		if err != nil {
			return err
		}
		return writeManifests(".", n)
	}
	return fmt.Errorf("%s is unknown", args[0])
}
