package brain

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server/trust"
)

// What the loop says of the trust in its brain, which package trust keeps.

// Trust says whether the cards of a brain come without being asked for, and which wait.
type Trust = trust.Trust

// ErrUntrusted and ErrUnknownFiles say why a brain may not speak.
var (
	ErrUntrusted    = trust.ErrUntrusted
	ErrUnknownFiles = trust.ErrUnknown
)

// ErrStray and ErrAbove say that there is no brain, but one that may be trusted: where a link leads
// away or another user owns it, and above the repository.
var (
	ErrStray = fmt.Errorf("the brain is not known to be this person's: %w", lessons.ErrNoBrain)
	ErrAbove = fmt.Errorf("a brain lies above the repository: %w", lessons.ErrNoBrain)
)

// FindBrain returns the brain of the first of some folders that belongs to one. Errors are those of the first folder:
// lessons.ErrNoBrain, and with the path of a brain that may be trusted ErrStray and ErrAbove.
func FindBrain(folders ...string) (string, error) {
	var first error
	for _, folder := range folders {
		brain, stray := find.Look(folder)
		err := fmt.Errorf("search from %s: %w", folder, lessons.ErrNoBrain)
		switch {
		case brain != "":
			return brain, nil
		case stray.Reason == find.Above:
			err = &lessons.PathError{Path: stray.Dir, Err: ErrAbove}
		case stray.Dir != "":
			err = &lessons.PathError{Path: stray.Dir, Err: ErrStray}
		}
		first = cmp.Or(first, err)
	}
	return "", cmp.Or(first, lessons.ErrNoBrain)
}

// stateDir returns the folder of what is kept of a brain.
func stateDir(parent, root string) string {
	return filepath.Join(cmp.Or(parent, filepath.Join(xdg.StateHome, "handrail")), brainID(root))
}

// MakeBrain creates a brain's folder, where there is none, and marks it as one that this person made. One that holds
// files already is left as it is. state is the parent of the folders of brains' states; "" means the user's.
func MakeBrain(dir, state string) error {
	if _, stray := find.Look(filepath.Dir(dir)); stray.Dir == dir {
		return &lessons.PathError{Path: dir, Err: ErrStray}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the brain: %w", err)
	}
	b, err := lessons.OpenBrain(dir)
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // nothing was written
	return trust.Make(b, stateDir(state, b.Root()))
}

// Trusted reports whether the brain's cards may come to agents without being asked for.
func (s *Base) Trusted(ctx context.Context) bool { return s.Keeper.Distrust(ctx) == nil }

// Trust says who else wrote the brain's files, and what waits for an approval.
func (s *Base) Trust(ctx context.Context) (Trust, error) {
	out, err := s.Keeper.Look(ctx)
	out.Paused = s.Paused(ctx).Until
	return out, err
}

// Agree trusts the brain, and approves what waits, as it stands now. For a team it trusts what the
// others add from now on, too.
func (s *Base) Agree(ctx context.Context, team bool) error {
	return s.decided(s.Keeper.Agree(ctx, team))
}

// Approve lets cards and notes speak with the text that they have now.
func (s *Base) Approve(ctx context.Context, paths []string) error {
	return s.decided(s.Keeper.Approve(ctx, paths))
}

// Revoke takes the trust in the brain and every approval back.
func (s *Base) Revoke(ctx context.Context) error { return s.decided(s.Keeper.Revoke(ctx)) }

func (s *Base) decided(err error) error {
	if err == nil {
		s.TellChanged(Changed{Cards: true})
	}
	return err
}

// Distrust is what did not come for want of trust.
type Distrust struct {
	Files   int      // of the brain, that others wrote
	Waiting int      // cards of a trusted brain that wait for an approval
	Who     []string // wrote them
}
