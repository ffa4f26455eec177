//go:build !linux && !darwin

package lessons

import "errors"

// exchange is not to be had here.
func (b *Brain) exchange(_, _ string) error { return errors.ErrUnsupported }
