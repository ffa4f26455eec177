// Package mapped reads files that libraries map into memory, damaged ones too.
package mapped

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrDamaged says that a file is not what its library wrote.
var ErrDamaged = errors.New("damaged")

// Read runs read and returns its error. Libraries panic on a damaged file, and on one cut
// short the processor faults, which would end the process: here both are ErrDamaged. What read
// had opened then is not to be closed, which could wait for ever.
func Read(read func() error) (err error) {
	defer func(old bool) {
		debug.SetPanicOnFault(old)
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}(debug.SetPanicOnFault(true))
	return read()
}
