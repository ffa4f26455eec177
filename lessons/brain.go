package lessons

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/text/unicode/norm"

	"github.com/handrail-dev/handrail/lessons/lazyregexp"
)

// Errors of a Brain that callers tell apart. Those about one path are wrapped in a
// *PathError.
var (
	ErrNoBrain      = errors.New("no brain folder")
	ErrNotAFolder   = errors.New("brain is not a folder")
	ErrOutsideBrain = errors.New("path leads out of the brain")
	ErrBadPath      = errors.New("not the path of a card")
	ErrTooLarge     = errors.New("file is too large")
	ErrTooDeep      = errors.New("folder lies too deep")
	ErrBusy         = errors.New("brain is being written to by another program")
)

// PathError names the path that an error is about.
type PathError struct {
	Path string
	Err  error
}

func (e *PathError) Error() string {
	if e.Err == nil {
		return e.Path
	}
	return e.Path + ": " + e.Err.Error()
}

// Unwrap returns the error without its path.
func (e *PathError) Unwrap() error { return e.Err }

const (
	// ownFolder holds the lock and temporary files.
	ownFolder  = ".handrail"
	lockFile   = ownFolder + "/lock"
	tempPrefix = ".handrail-tmp-"

	// lockWait is how long a write waits for another program's; a write takes
	// milliseconds, so a longer wait means that something is stuck.
	lockWait = 10 * time.Second
	// tempAge is the age from which a temporary file counts as left by a crash: far more than lockWait.
	tempAge = 10 * time.Minute
	// maxPath bounds a card's path, maxSegment one name in it, in bytes (what file systems allow).
	maxPath    = 1024
	maxSegment = 255
)

// Brain is the folder the cards live in. Everything it does stays inside: no path and no
// link leads out. It is safe for concurrent use, by several processes too.
type Brain struct {
	dir  string // absolute, links resolved
	root *os.Root

	writeMu sync.Mutex // one write at a time in this process; the lock file is between processes
}

// OpenBrain opens a brain without writing to it. Errors are ErrNoBrain, ErrNotAFolder or the file system's.
func OpenBrain(dir string) (*Brain, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the brain: %w", err)
	}
	info, err := os.Stat(abs) // before EvalSymlinks, whose error for a loop of links nobody can tell apart
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &PathError{dir, ErrNoBrain}
	}
	if err != nil {
		return nil, fmt.Errorf("open the brain: %w", err)
	}
	if !info.IsDir() {
		return nil, &PathError{dir, ErrNotAFolder}
	}
	var root *os.Root
	real, err := filepath.EvalSymlinks(abs)
	if err == nil {
		root, err = os.OpenRoot(real)
	}
	if err != nil {
		return nil, fmt.Errorf("open the brain: %w", err)
	}
	return &Brain{dir: real, root: root}, nil
}

// Root returns the brain's absolute path, links resolved.
func (b *Brain) Root() string { return b.dir }

// Close releases the brain's folder.
func (b *Brain) Close() error { return b.root.Close() }

// Rel checks a card's path as it comes from outside, relative or absolute, and returns
// its slash path in the brain. The file need not exist; one that stands on disk in
// another Unicode form is found. Errors are ErrOutsideBrain and ErrBadPath.
func (b *Brain) Rel(p string) (string, error) {
	if p == "" || len(p) > maxPath || strings.ContainsRune(p, 0) {
		return "", &PathError{p, ErrBadPath}
	}
	rel := filepath.ToSlash(p)
	if filepath.Separator != '\\' && !b.exists(rel) {
		rel = strings.ReplaceAll(rel, `\`, "/")
	}
	if path.IsAbs(rel) || filepath.IsAbs(p) {
		rel, _ = b.Within(filepath.Clean(p))
	}
	rel = path.Clean(rel)
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return "", &PathError{p, ErrOutsideBrain}
	}
	tooLong := func(name string) bool { return len(name) > maxSegment }
	if !b.Counts(rel) || slices.ContainsFunc(strings.Split(rel, "/"), tooLong) {
		return "", &PathError{p, ErrBadPath}
	}
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if b.exists(rel) {
			break
		}
		if other := form.String(rel); b.exists(other) {
			rel = other
		}
	}
	if runtime.GOOS == "windows" { // the name as it stands on disk, in whatever case it was typed
		if real, err := filepath.EvalSymlinks(filepath.Join(b.dir, filepath.FromSlash(rel))); err == nil {
			if named, err := filepath.Rel(b.dir, real); err == nil && strings.EqualFold(filepath.ToSlash(named), rel) {
				rel = filepath.ToSlash(named)
			}
		}
	}
	// os.Root refuses a link that leads out; say so before anything is read.
	if _, err := b.root.Stat(filepath.FromSlash(rel)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		if _, lerr := b.root.Lstat(filepath.FromSlash(rel)); lerr == nil || strings.Contains(err.Error(), "escapes") { // os.Root has no sentinel
			return "", &PathError{p, fmt.Errorf("%w: %w", ErrOutsideBrain, err)}
		}
		return "", &PathError{p, fmt.Errorf("%w: %w", ErrBadPath, err)}
	}
	return rel, nil
}

// Within returns the slash path in the brain of an absolute path, whose file may be gone; the brain itself is ".". One that
// leads there by links is followed; ok is false for one that leads elsewhere.
func (b *Brain) Within(abs string) (rel string, ok bool) {
	local := func(abs string) bool {
		r, err := filepath.Rel(b.dir, abs)
		rel = filepath.ToSlash(r)
		return err == nil && filepath.IsLocal(r)
	}
	if local(abs) {
		return rel, true
	}
	// The folder's links first: a card that is a link itself is edited as such.
	dir, name := abs, ""
	for dir != filepath.Dir(dir) {
		dir, name = filepath.Dir(dir), filepath.Join(filepath.Base(dir), name)
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue // not there yet
		}
		if local(filepath.Join(real, name)) {
			return rel, true
		}
		break
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil && local(real) {
		return rel, true
	}
	return abs, false
}

func (b *Brain) exists(rel string) bool {
	_, err := b.root.Lstat(filepath.FromSlash(rel))
	return err == nil
}

// IsMarkdown reports whether a file's name ends like markdown's.
func IsMarkdown(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		return true
	}
	return false
}

// MaxDepth is how many folders deep a brain's files may lie. People keep to a handful; a chain of
// two thousand cost eleven seconds a command.
const MaxDepth = 64

func tooDeep(folder string) bool { return strings.Count(folder, "/") >= MaxDepth }

// Hidden reports whether a slash path lies in, or is, what the brain never reads: names
// that begin with a dot, node_modules, and what lies deeper than MaxDepth.
func (b *Brain) Hidden(rel string) bool {
	return tooDeep(path.Dir(rel)) || slices.ContainsFunc(strings.Split(rel, "/"), func(name string) bool {
		return strings.HasPrefix(name, ".") && name != "." || name == "node_modules"
	})
}

// Counts reports whether a file at rel is one that Walk visits, by its name alone.
func (b *Brain) Counts(rel string) bool {
	return IsMarkdown(rel) && !b.Hidden(rel)
}

// Walk calls fn for every file of the brain that Counts, folder by folder, sorted by name.
// Links are not followed. Unreadable and too large files and too deep folders go to skipped. An error of fn ends the walk.
func (b *Brain) Walk(ctx context.Context, fn func(rel string, info fs.FileInfo) error, skipped func(rel string, err error)) error {
	return b.WalkFolder(ctx, ".", fn, skipped)
}

// WalkFolder is Walk below one folder.
func (b *Brain) WalkFolder(ctx context.Context, folder string, fn func(rel string, info fs.FileInfo) error, skipped func(rel string, err error)) error {
	return fs.WalkDir(b.root.FS(), folder, func(rel string, d fs.DirEntry, err error) error {
		if cerr := ctx.Err(); cerr != nil {
			return cerr
		}
		if err != nil {
			if rel == "." && d == nil {
				return err // the brain itself is gone
			}
			skipped(rel, err)
			return nil
		}
		if d.IsDir() {
			if tooDeep(rel) {
				skipped(rel, &PathError{rel, ErrTooDeep})
				return fs.SkipDir
			}
			if rel != folder && b.Hidden(rel) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !b.Counts(rel) {
			return nil
		}
		info, err := d.Info()
		if err == nil {
			err = b.Fits(info)
		}
		if err != nil {
			skipped(rel, err)
			return nil
		}
		return fn(rel, info)
	})
}

// tempName is the name of a temporary file: the prefix and rand.Text.
var tempName = lazyregexp.New(`^` + regexp.QuoteMeta(tempPrefix) + `[A-Z2-7]{26}$`)

// Sweep removes temporary files that a write left behind when its process or the machine died.
func (b *Brain) Sweep(ctx context.Context) error {
	return fs.WalkDir(b.root.FS(), ".", func(rel string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil //nolint:nilerr // what cannot be read is not swept
		case d.IsDir() && rel != ownFolder && b.Hidden(rel):
			return fs.SkipDir
		case d.Type().IsRegular() && tempName().MatchString(d.Name()):
			if info, err := d.Info(); err == nil && time.Since(info.ModTime()) > tempAge {
				_ = b.root.Remove(filepath.FromSlash(rel)) // one that cannot be removed does no harm
			}
		}
		return nil
	})
}

// Stat returns what the disk says of a file.
func (b *Brain) Stat(rel string) (fs.FileInfo, error) { return b.root.Stat(filepath.FromSlash(rel)) }

// Lstat is Stat of a link itself, not of what it points at.
func (b *Brain) Lstat(rel string) (fs.FileInfo, error) { return b.root.Lstat(filepath.FromSlash(rel)) }

// Fits returns ErrTooLarge for a file that is larger than what is read.
func (b *Brain) Fits(info fs.FileInfo) error {
	if info.Size() > MaxFile {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, info.Size())
	}
	return nil
}

// Read returns a file's bytes; ErrTooLarge past MaxFile.
func (b *Brain) Read(rel string) (src []byte, err error) {
	name := filepath.FromSlash(rel)
	info, err := b.root.Stat(name)
	switch {
	case err != nil:
	case !info.Mode().IsRegular(): // a pipe would never end
		err = &PathError{rel, ErrBadPath}
	case b.Fits(info) != nil:
		err = &PathError{rel, ErrTooLarge}
	default:
		src, err = b.root.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", rel, err)
	}
	return src, nil
}

// Writer changes a brain's files while no other process does. Write gives one.
type Writer struct{ *Brain }

// Create writes a new file and its folders. It never overwrites: fs.ErrExist.
func (w Writer) Create(rel string, src []byte) error {
	if err := w.root.MkdirAll(filepath.FromSlash(path.Dir(rel)), 0o755); err != nil {
		return err
	}
	return w.write(rel, src, 0o644, func(temp string) error { return w.place(temp, rel) })
}

// place gives a file a name that must be free: by a hard link, or where the disk has none by
// looking first, under our lock.
func (b *Brain) place(temp, rel string) error {
	name := filepath.FromSlash(rel)
	if err := b.root.Link(temp, name); err != nil {
		if errors.Is(err, fs.ErrExist) || b.exists(rel) {
			return &PathError{rel, fs.ErrExist}
		}
		if err := b.rename(temp, name); err != nil {
			return err
		}
	}
	return b.syncFolder(path.Dir(rel))
}

// Edit replaces a file's text by what change makes of it, in one step: readers see the old text or the new, and no
// other program's edit through Handrail is lost. When change fails or changes nothing, nothing is written.
func (w Writer) Edit(rel string, change func([]byte) ([]byte, error)) error {
	target, err := w.target(rel)
	if err != nil {
		return err
	}
	src, err := w.Read(target)
	if err != nil {
		return err
	}
	out, err := change(src)
	if err != nil || string(out) == string(src) {
		return err
	}
	info, err := w.Stat(target)
	if err != nil {
		return err
	}
	return w.write(target, out, info.Mode().Perm(), func(temp string) error {
		return w.replace(temp, target, src, out)
	})
}

// maxSwaps bounds how often a text is put back that somebody saved at the same moment.
const maxSwaps = 8

// replace gives the file temp, which holds out, the name target, unless that holds another text
// than before: what somebody saves in this moment stays, and ErrBusy says so. Where the system
// exchanges two files in one step no save comes between the look and the rename.
func (w Writer) replace(temp, target string, before, out []byte) error {
	name := filepath.FromSlash(target)
	for try, put, expect := 0, out, before; try < maxSwaps; try++ {
		err := w.exchange(name, temp) // in this order, so that the last thing a watcher sees is the name coming back
		if errors.Is(err, errors.ErrUnsupported) && try == 0 {
			if now, err := w.root.ReadFile(name); err != nil || !bytes.Equal(now, before) {
				return errors.Join(err, ErrBusy)
			}
			return errors.Join(w.rename(temp, name), w.syncFolder(path.Dir(target)))
		}
		if err == nil && try == 0 {
			err = w.syncFolder(path.Dir(target)) // meanwhile a program that had opened the file may write to it
		}
		was, rerr := w.root.ReadFile(temp)
		if err := errors.Join(err, rerr); err != nil {
			return err
		}
		if bytes.Equal(was, expect) {
			if try == 0 {
				return nil
			}
			return errors.Join(ErrBusy, w.syncFolder(path.Dir(target)))
		}
		expect, put = put, was // put back what came out
	}
	return ErrBusy
}

// Remove takes away a file that holds a text, which is kept elsewhere. What somebody saves in this
// moment stays, and ErrBusy says so.
func (w Writer) Remove(rel string, text []byte) error {
	name := filepath.FromSlash(rel)
	aside := filepath.Join(filepath.Dir(name), tempPrefix+rand.Text())
	if err := w.rename(name, aside); err != nil {
		return err
	}
	now, err := w.root.ReadFile(aside)
	if err != nil || !bytes.Equal(now, text) {
		return errors.Join(err, ErrBusy, w.place(aside, rel), w.root.Remove(aside))
	}
	return errors.Join(w.root.Remove(aside), w.syncFolder(path.Dir(rel)))
}

// target returns the file behind a link, so that an edit does not replace the link.
func (b *Brain) target(rel string) (string, error) {
	info, err := b.root.Lstat(filepath.FromSlash(rel))
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return rel, nil
	}
	real, err := filepath.EvalSymlinks(filepath.Join(b.dir, filepath.FromSlash(rel)))
	if err != nil {
		return "", err
	}
	out, err := filepath.Rel(b.dir, real)
	if err != nil || !filepath.IsLocal(out) {
		return "", &PathError{rel, ErrOutsideBrain}
	}
	return filepath.ToSlash(out), nil
}

// write writes src to a temporary file, which put then gives the name rel. The file is in
// Handrail's own folder, which git does not see; where a mount parts that from the card, beside it.
func (b *Brain) write(rel string, src []byte, perm fs.FileMode, put func(temp string) error) error {
	var err error
	for _, dir := range []string{ownFolder, path.Dir(rel)} {
		temp, terr := b.writeTemp(dir, rel, src, perm)
		if terr != nil {
			return terr
		}
		err = put(temp)
		_ = b.root.Remove(temp) // gone after a rename, and swept otherwise
		if !errors.Is(err, syscall.EXDEV) {
			return err
		}
	}
	return err
}

// writeTemp writes src under a name nobody reads, on disk when it returns.
func (b *Brain) writeTemp(dir, rel string, src []byte, perm fs.FileMode) (temp string, err error) {
	temp = filepath.FromSlash(path.Join(dir, tempPrefix+rand.Text()))
	f, err := b.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return "", &PathError{rel, err} // people know the card, not the temporary name
	}
	_, err = f.Write(src)
	err = errors.Join(err, f.Sync(), f.Close(), b.root.Chmod(temp, perm)) // the umask must not narrow what the file had
	if err != nil {
		return "", errors.Join(&PathError{rel, err}, b.root.Remove(temp))
	}
	return temp, nil
}

const (
	// renameTries is for Windows, where a virus scanner or an editor may hold the old file for a moment.
	renameTries = 5
	// sharingViolation is one of the two errors that Windows has for this; the other is fs.ErrPermission.
	sharingViolation = syscall.Errno(32)
)

func (b *Brain) rename(from, to string) error {
	var err error
	for try := range renameTries {
		err = b.root.Rename(from, to)
		if err == nil || filepath.Separator == '/' || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, sharingViolation) {
			return err
		}
		time.Sleep(time.Duration(try+1) * 10 * time.Millisecond) //nolint:forbidigo // nothing tells when the file is let go
	}
	return err
}

// syncFolder makes a rename or link last through a power cut, where the system can.
func (b *Brain) syncFolder(dir string) error {
	if filepath.Separator == '\\' {
		return nil // Windows has no such call
	}
	d, err := b.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // read only
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}

// Write calls do while no other process writes to the brain; ErrBusy when another does not let
// go for ten seconds. In do, only the Writer may write. The folder of Handrail's own files is made at the first write
// and hides itself from git.
func (b *Brain) Write(do func(Writer) error) error {
	b.writeMu.Lock()
	defer b.writeMu.Unlock()
	if info, err := b.root.Lstat(ownFolder); err == nil && !info.IsDir() { // a link may have come with a cloned repository
		return &PathError{ownFolder, ErrOutsideBrain}
	}
	if err := b.root.MkdirAll(ownFolder, 0o755); err != nil {
		return err
	}
	if name := ownFolder + "/.gitignore"; !b.exists(name) {
		if err := b.root.WriteFile(name, []byte("*\n"), 0o644); err != nil {
			return errors.Join(err, b.root.Remove(name)) // half a file would stay for good
		}
	}
	if info, err := b.root.Lstat(lockFile); err == nil && !info.Mode().IsRegular() {
		return &PathError{lockFile, ErrOutsideBrain}
	}
	lock := flock.New(filepath.Join(b.dir, filepath.FromSlash(lockFile)))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	ok, err := lock.TryLockContext(ctx, 5*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) || err == nil && !ok {
		return ErrBusy
	}
	if err != nil {
		return err
	}
	defer lock.Unlock() //nolint:errcheck // closing the file lets go in any case
	return do(Writer{b})
}

// draftsFolder holds drafts of every kind.
const draftsFolder = "drafts"

// LeavesDrafts returns the new path of an active card that is still in the drafts folder; ok
// is false for every other card.
func (b *Brain) LeavesDrafts(c Card) (to string, ok bool) {
	if !strings.HasPrefix(c.Path, draftsFolder+"/") || c.Status != Active || !c.Kind.IsCard() {
		return "", false
	}
	return b.NewPath(Draft{Kind: c.Kind, Title: c.Title}), true
}

// NewPath returns where a draft would be written: a folder by its kind, a name by its
// title, with a number where the name is taken on any file system.
func (b *Brain) NewPath(d Draft) string {
	folder, slug := folderOf(d.Kind), Slug(d.Title)
	if d.Status == Drafted {
		folder = draftsFolder
	}
	taken := map[string]bool{}
	if entries, err := fs.ReadDir(b.root.FS(), folder); err == nil {
		for _, e := range entries {
			taken[strings.ToLower(norm.NFC.String(e.Name()))] = true
		}
	}
	name := slug + ".md"
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s-%d.md", slug, n)
	}
	return path.Join(folder, name)
}
