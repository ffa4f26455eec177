package lsp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/handrail-dev/handrail/lessons"
	"github.com/handrail-dev/handrail/lessons/find"
	"github.com/handrail-dev/handrail/server"
	"github.com/handrail-dev/handrail/server/brain"
	"github.com/handrail-dev/handrail/server/deliver"
	"github.com/handrail-dev/handrail/server/say"
)

// Open gives a session the server of the brain that cfg names; its errors are those of server.New. The session closes it
// when it ends or turns to another brain. ErrElsewhere ends the session.
type Open func(ctx context.Context, cfg brain.Config) (s *server.Server, done func() error, err error)

// Own asks the person's own brain, which stands behind that of every project, for what comes before a request of
// work in dir: the zero value where it says nothing.
type Own func(ctx context.Context, dir string, r deliver.PreflightRequest) deliver.Preflight

// ErrElsewhere says that another process serves the brain that the session turned to. The
// session ends, with status 1, and the editor starts the server again.
var ErrElsewhere = errors.New("another process serves this brain")

// Config says how to serve an editor.
type Config struct {
	Open    Open
	Own     Own    // nil: there is none
	Version string // of the program
	Log     *slog.Logger
	Getenv  func(name string) string // of the process that the editor started
	Now     func() time.Time
}

// ownPatience is how long a request waits for the person's own brain: a start of its daemon takes some 200 ms.
const ownPatience = time.Second

// grace is how long the end of a session waits for what still runs. An editor kills
// a server that takes longer than two seconds.
const grace = 1500 * time.Millisecond

// Serve speaks LSP with one editor over rwc until it says exit, hangs up or dies, or ctx is done, and returns the exit
// status that the protocol asks for: 0 after shutdown and exit, else 1. It closes rwc.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, c Config) (exit int) {
	return serve(ctx, rwc, table(), c)
}

func serve(ctx context.Context, rwc io.ReadWriteCloser, rows []method, c Config) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := newOutbox()
	heard, end := context.WithCancel(ctx)
	defer end()
	d := &dispatcher{methods: map[string]method{}, paid: make(chan struct{}, 1), end: end, calls: map[jsonrpc2.ID]context.CancelFunc{}}
	for _, m := range rows {
		d.methods[m.name] = m
	}
	s := &session{
		Config: c, out: out, base: ctx, work: &d.work, end: end,
		conn: jsonrpc2.NewConn(stream{jsonrpc2.NewStream(rwc), heard, d.leave, d.answered}, jsonrpc2.WithCodec(codec{})), initDone: make(chan struct{}),
		locale: say.English, docs: map[uri.URI]document{}, noBrain: lessons.ErrNoBrain,
	}
	d.session = s
	s.conn.Go(ctx, d.handle)
	s.after(s.initDone, func() { // before, the protocol allows no notification of ours
		if err := out.send(ctx, s.conn.Notify); err != nil && ctx.Err() == nil {
			c.Log.Debug("notifications ended", "err", err)
		}
	})

	<-heard.Done()
	select {
	case <-s.conn.Done(): // what was asked before is done
	case <-time.After(lastWords):
	case <-ctx.Done():
	}
	idle := d.work.close()
	cancel()
	if err := rwc.Close(); err != nil {
		c.Log.Debug("close", "err", err)
	}
	select {
	case <-idle:
	case <-time.After(grace):
		c.Log.Warn("left with work unfinished")
	}
	s.closeBrain()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.phase == left {
		return 0
	}
	return 1
}

// session is one editor's conversation: what it told us when it started, the brain it works with and the documents it
// has open. State that several editors would share is in server.Server.
type session struct {
	Config
	out  *outbox
	base context.Context // ends with the session
	work *tasks
	end  func() // nothing more is read
	conn jsonrpc2.Conn

	initDone chan struct{} // closed by initialized

	// Set by initialize, which runs alone, and only read afterwards.
	locale   say.Locale
	client   client
	trusted  bool              // the person trusts the workspace, and with it the brain
	limited  bool              // the workspace is not trusted: its cards are shown and edited, never injected
	model    *brain.Embeddings // of the editor's settings; nil when they say nothing
	extras   *brain.Extras     // the same
	noLens   bool              // no lens over files that cards are about
	commands []string          // of the editor, that a lens may run
	wanted   string            // where the configuration says the brain is; empty = look for it
	folders  []string          // absolute paths of the workspace

	lensesDue atomic.Bool // the editor is about to be asked to ask for them

	openMu sync.Mutex // held while one brain is exchanged for another

	mu      sync.Mutex // guards the fields below
	brain   *openBrain
	noBrain error // why there is no brain
	docs    map[uri.URI]document
}

// client is what the editor can do.
type client struct {
	annotations bool // of edits: one may need a person's word
	renames     bool
	markdown    bool // in hovers
	lenses      bool // of files that it does not tell the text of
	lensRefresh bool
}

// openBrain is a Server and the folder it is about. The editor knows the folder by the path that
// it was opened as, the Server by the one behind all links.
type openBrain struct {
	*server.Server
	s     *session
	dir   string
	close func()
}

// real returns the path by which the Server knows a file that the editor knows as path: a
// card, or a file of the project that the brain lies in.
func (b *openBrain) real(path string) string {
	root := b.Brain().Root()
	for _, pair := range [][2]string{{b.dir, root}, {filepath.Dir(b.dir), filepath.Dir(root)}} {
		if rel, err := filepath.Rel(pair[0], path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(pair[1], rel)
		}
	}
	return path
}

// uri returns the URI by which the editor knows a card.
func (b *openBrain) uri(rel string) uri.URI {
	return uri.File(filepath.Join(b.dir, filepath.FromSlash(rel)))
}

// Peek reads the first message of an editor's input and returns what it read, and the brain
// that the message names: the folder that a session would open, "" while there is none.
func Peek(in io.Reader) (read []byte, brain string, err error) {
	var seen bytes.Buffer
	msg, _, _ := jsonrpc2.NewStream(struct {
		io.Reader
		io.WriteCloser
	}{Reader: io.TeeReader(in, &seen)}).Read(context.Background())
	var p protocol.InitializeParams
	m, ok := msg.(*jsonrpc2.Call)
	if !ok || m.Method() != protocol.MethodInitialize || protocol.Unmarshal(m.Params(), &p) != nil {
		return seen.Bytes(), "", nil // the session says what is wrong with it
	}
	c, _ := readConfiguration(p.InitializationOptions) // the session says what is wrong with it
	brain, err = locate(c.Brain.Path, workspace(p))
	if errors.Is(err, lessons.ErrNoBrain) {
		err = nil
	}
	return seen.Bytes(), brain, err
}

func (s *session) initialize(_ context.Context, p protocol.InitializeParams) (*protocol.InitializeResult, error) {
	if p.Locale != nil {
		s.locale = say.LocaleOf(*p.Locale)
	}
	s.client = traits(p.Capabilities)
	c, err := readConfiguration(p.InitializationOptions)
	if err != nil {
		s.Log.Warn("configuration ignored", "err", err)
	}
	s.trusted, s.limited = c.Trusted != nil && *c.Trusted, c.Trusted != nil && !*c.Trusted
	if c.Embeddings != nil && !s.limited { // the key is in no settings file
		s.model = &brain.Embeddings{
			URL: cmp.Or(*c.Embeddings, s.Getenv("HANDRAIL_EMBEDDINGS_URL")), Key: s.Getenv("HANDRAIL_EMBEDDINGS_KEY"),
		}
	}
	if !s.limited && (c.Agents != nil || c.Trust != nil) {
		s.extras = &brain.Extras{Agents: c.Agents, Review: c.Trust != nil && *c.Trust == "review"}
	}
	s.noLens, s.commands = c.Lens != nil && !*c.Lens, c.Commands
	s.wanted, s.folders = c.Brain.Path, workspace(p)
	// Opened here and not in initialized: the editor's first request may follow at once.
	s.reopen()
	return &protocol.InitializeResult{
		Capabilities: s.capabilities(),
		ServerInfo:   protocol.ServerInfo{Name: "handrail", Version: protocol.NewOptional(s.Version)},
	}, nil
}

func traits(c protocol.ClientCapabilities) client {
	on := func(b *bool) bool { return b != nil && *b }
	var t client
	if d := c.TextDocument; d != nil && d.CodeLens != nil {
		t.lenses = on(d.CodeLens.DynamicRegistration)
	}
	if d := c.TextDocument; d != nil && d.Hover != nil {
		t.markdown = slices.Contains(d.Hover.ContentFormat, protocol.MarkupKindMarkdown)
	}
	if w := c.Workspace; w != nil {
		t.lensRefresh = w.CodeLens != nil && on(w.CodeLens.RefreshSupport)
		if w.WorkspaceEdit != nil {
			t.annotations = w.WorkspaceEdit.ChangeAnnotationSupport != nil
			t.renames = on(w.ApplyEdit) && slices.Contains(w.WorkspaceEdit.ResourceOperations, protocol.ResourceOperationKindRename)
		}
	}
	return t
}

// workspace returns the folders the editor has open.
func workspace(p protocol.InitializeParams) []string {
	var dirs []string
	folders, ok := p.WorkspaceFolders.Get()
	for _, f := range folders {
		if f.URI.IsFile() {
			dirs = append(dirs, filepath.Clean(f.URI.FsPath())) // which may end in a slash or not
		}
	}
	root := p.RootURI //nolint:staticcheck // SA1019: all that an editor without workspace folders sends
	if !ok && root != nil && root.IsFile() {
		dirs = append(dirs, filepath.Clean(root.FsPath()))
	}
	return dirs
}

func (s *session) capabilities() protocol.ServerCapabilities {
	var lenses *protocol.CodeLensOptions
	if !s.client.lenses {
		lenses = &protocol.CodeLensOptions{}
	}
	return protocol.ServerCapabilities{
		PositionEncoding: protocol.PositionEncodingKindUTF16,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: new(true), Change: new(protocol.TextDocumentSyncKindFull), Save: protocol.Boolean(true), WillSaveWaitUntil: new(true),
		},
		HoverProvider:      protocol.Boolean(true),
		CodeActionProvider: &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix}},
		CodeLensProvider:   lenses,
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{Supported: new(true)},
		},
	}
}

func (s *session) initialized(context.Context, protocol.InitializedParams) error {
	select {
	case <-s.initDone:
	default:
		close(s.initDone)
		if s.client.lenses {
			s.work.spawn(s.Log, s.registerLenses)
		}
	}
	return nil
}

// opened returns the brain, or why there is none.
func (s *session) opened() (*openBrain, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.brain == nil {
		return nil, s.noBrain
	}
	return s.brain, nil
}

// reopen turns to the brain that configuration and workspace name now.
func (s *session) reopen() {
	s.openMu.Lock()
	defer s.openMu.Unlock()
	dir, err := locate(s.wanted, s.folders)
	if old, none := s.opened(); err == nil && none == nil && old.dir == dir {
		return
	}
	s.closeBrain()
	if err == nil {
		err = s.attach(dir)
	}
	s.mu.Lock()
	s.noBrain = err
	s.mu.Unlock()
	switch {
	case err == nil:
	case errors.Is(err, ErrElsewhere):
		s.Log.Info("another process serves the brain; the editor has to start the server again", "dir", dir)
		s.end() // and what was asked is answered: VS Code drops the output of a process whose end it hears of first
		return
	case errors.Is(err, brain.ErrStray):
		s.warn(s.locale.Explain(err))
	case s.wanted == "" && errors.Is(err, lessons.ErrNoBrain):
		s.Log.Info(s.locale.Explain(err)) // most workspaces have none; that is no news
	default:
		s.out.push(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeError, Message: s.locale.Explain(err)})
	}
	s.changed(brain.Changed{Cards: true, Candidates: true})
}

// changed passes on that lists are out of date.
func (s *session) changed(c brain.Changed) {
	s.out.refresh(c)
	if c.Cards {
		s.mu.Lock()
		all := slices.Collect(maps.Keys(s.docs))
		s.mu.Unlock()
		for _, u := range all {
			s.diagnose(u) // another card may have taken a title, or given it up
		}
		s.refreshLenses()
	}
}

// attach opens the brain at dir and listens to it.
func (s *session) attach(dir string) error {
	folders := s.folders
	if s.limited {
		folders = nil // nothing that happens there raises a question
	}
	loop, done, err := s.Open(s.base, brain.Config{
		Brain: dir, Workspaces: folders, Watch: true, Now: s.Now, Log: s.Log, Embeddings: s.model,
		Extras: brain.ExtraSettings{Editor: s.extras},
	})
	if err != nil {
		return err
	}
	detach := loop.Attach(brain.Notify{
		Candidate: func(c brain.Candidate) { s.out.push(candidateNotice, s.locale.Named(c)[0]) },
		Footer: func(f brain.Footer) {
			s.out.push(footerNotice, s.locale.Worded(f))
			s.refreshLenses() // a file may have broken an item
		},
		Changed:      s.changed,
		NoEmbeddings: func(why error) { s.warn(s.locale.NoEmbeddings(why)) },
	})
	s.after(loop.Ready(), func() { // closing it counts too
		s.changed(brain.Changed{Cards: true})
		if err := loop.Keeper.Distrust(s.base); err != nil && !s.limited && !s.trusted && s.base.Err() == nil {
			s.warn(s.locale.Explain(err))
		} else if who, n := loop.Keeper.Brought(); n > 0 && !s.limited {
			s.warn(s.locale.Brought(who, n))
		}
	})
	s.mu.Lock()
	s.brain = &openBrain{Server: loop, s: s, dir: dir, close: func() {
		detach()
		if err := done(); err != nil {
			s.Log.Warn("the brain was not closed in order", "dir", dir, "err", err)
		}
	}}
	s.mu.Unlock()
	if !loop.Owner() {
		s.out.push(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: s.say(textIndexTaken)})
	}
	return nil
}

// after runs fn in the background once a channel is closed, unless the session ends before.
func (s *session) after(closed <-chan struct{}, fn func()) {
	s.work.spawn(s.Log, func() {
		select {
		case <-closed:
			fn()
		case <-s.base.Done():
		}
	})
}

// closeBrain lets go of the brain, if there is one.
func (s *session) closeBrain() {
	s.mu.Lock()
	old := s.brain
	s.brain, s.noBrain = nil, lessons.ErrNoBrain
	s.mu.Unlock()
	if old != nil {
		old.close()
	}
}

// locate returns the folder of the brain: the wanted one, absolute or relative to the first folder of the workspace,
// else that of the first folder of the workspace that belongs to one.
func locate(wanted string, folders []string) (string, error) {
	rest, below := strings.CutPrefix(wanted, "~/")
	switch {
	case wanted == "":
		return brain.FindBrain(folders...)
	case below:
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("brain %s: %w", wanted, err)
		}
		return filepath.Join(home, rest), nil
	case filepath.IsAbs(wanted):
		return filepath.Clean(wanted), nil
	case len(folders) == 0:
		return "", fmt.Errorf("brain %s, without a workspace: %w", wanted, lessons.ErrNoBrain)
	}
	return filepath.Join(folders[0], wanted), nil
}

// whichBrain returns where the brain is, as the editor knows it, and the brains of the workspace's folders unless all have the same.
func (b *openBrain) whichBrain(ctx context.Context, _ Nothing) (BrainResult, error) {
	out := BrainResult{URI: uri.File(b.dir).String(), Trusted: b.Trusted(ctx), Paused: b.Paused(ctx).Until}
	var all []FolderBrain
	for _, f := range b.s.folders {
		if dir, ok := find.Brain(f); ok {
			all = append(all, FolderBrain{Folder: uri.File(f).String(), Brain: uri.File(dir).String()})
		}
	}
	if slices.ContainsFunc(all, func(f FolderBrain) bool { return f.Brain != all[0].Brain }) {
		out.Folders = all
	}
	return out, nil
}

// createBrain makes the brain's folder and opens it; one that exists is opened as it is.
func (s *session) createBrain(ctx context.Context, _ Nothing) (BrainResult, error) {
	dir, err := locate(s.wanted, s.folders)
	if err != nil && s.wanted == "" && len(s.folders) > 0 {
		dir, err = find.New(s.folders[0]), nil
	}
	if err != nil {
		return BrainResult{}, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return BrainResult{}, &lessons.PathError{Path: dir, Err: lessons.ErrNotAFolder}
	}
	if err := brain.MakeBrain(dir, ""); err != nil {
		return BrainResult{}, err
	}
	s.reopen()
	b, err := s.opened()
	if err != nil && !errors.Is(err, ErrElsewhere) {
		return BrainResult{}, err
	}
	return BrainResult{URI: uri.File(dir).String(), Trusted: b == nil || b.Trusted(ctx)}, nil
}

// warn shows a sentence in the editor.
func (s *session) warn(sentence string) {
	s.out.push(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeWarning, Message: sentence})
}

// configuration is what initializationOptions may hold. A workspace's settings must not say where texts are sent, nor
// what is kept: the editor says it, once.
type configuration struct {
	Trusted    *bool        `json:"trusted"`
	Embeddings *string      `json:"embeddings"` // where a model is
	Agents     []brain.Gift `json:"agents"`     // what agents get beside cards
	Trust      *string      `json:"trust"`      // "review": what others changed waits for an approval
	Lens       *bool        `json:"lens"`       // false: no line above a file says that cards are about it
	Commands   []string     `json:"commands"`   // of the editor's own, that a lens may run
	Brain      struct {
		Path string `json:"path"`
	} `json:"brain"`
}

// readConfiguration reads what the editor sent; nothing is the zero configuration.
func readConfiguration(raw protocol.LSPAny) (c configuration, err error) {
	if len(raw) == 0 {
		return c, nil
	}
	if err := protocol.Unmarshal(raw, &c); err != nil {
		return configuration{}, fmt.Errorf("read configuration: %w", err)
	}
	return c, nil
}
