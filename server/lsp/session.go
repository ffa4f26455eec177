package lsp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"handrail/lessons"
	"handrail/lessons/find"
	"handrail/server"
)

// Loop is the server of one brain, as a session has it.
type Loop struct {
	*server.Server
	Follow func(workspaces []string) // which workspaces the session is about
	Close  func() error              // the session has no more use for it
}

// Open gives a session the loop of the brain that cfg names; its errors are those of
// server.New. The session closes it when it ends or turns to another brain. ErrElsewhere
// ends the session.
type Open func(ctx context.Context, cfg server.Config) (Loop, error)

// ErrElsewhere says that another process serves the brain that the session turned to. The
// session ends, with status 1, and the editor starts the server again.
var ErrElsewhere = errors.New("another process serves this brain")

// Config says how to serve an editor.
type Config struct {
	Open   Open
	Log    *slog.Logger
	Getenv func(name string) string // of the process that the editor started
}

const (
	// grace is how long the end of a session waits for what still runs. An editor kills
	// a server that takes longer than two seconds.
	grace = 1500 * time.Millisecond
	// pulse is how often the editor's process is looked at, one system call each time.
	pulse = 3 * time.Second
)

// Serve speaks LSP with one editor over rwc until it says exit, hangs up or dies, or ctx
// is done, and returns the exit status that the protocol asks for: 0 after shutdown and
// exit, else 1. It closes rwc. Every log record goes to log, and those that matter also
// to the editor.
func Serve(ctx context.Context, rwc io.ReadWriteCloser, c Config) (exit int) {
	return serve(ctx, rwc, table(), settings{open: c.Open, log: c.Log, getenv: c.Getenv, now: time.Now, pulse: pulse})
}

// settings are what a session is made with.
type settings struct {
	open   Open
	log    *slog.Logger
	getenv func(string) string
	now    func() time.Time
	pulse  time.Duration
}

func serve(ctx context.Context, rwc io.ReadWriteCloser, rows []method, set settings) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := newOutbox()
	level := &slog.LevelVar{}
	str := newStream(rwc)
	d := &dispatcher{methods: map[string]method{}, exit: make(chan int, 1), calls: map[jsonrpc2.ID]context.CancelFunc{}}
	for _, m := range rows {
		d.methods[m.name] = m
	}
	str.answered = d.answered
	set.log = slog.New(newLogHandler(out, level, set.log.Handler()))
	s := &session{
		settings: set, methods: rows, level: level, out: out, base: ctx, work: &d.work, leave: d.leave, drain: d.drain,
		conn: jsonrpc2.NewConn(str, jsonrpc2.WithCodec(codec{})), initDone: make(chan struct{}),
		locale: server.English, docs: map[uri.URI]document{}, told: map[uri.URI]bool{}, noBrain: lessons.ErrNoBrain,
	}
	d.session = s
	s.conn.Go(ctx, d.handle)
	d.work.spawn(s.log, func() {
		select {
		case <-s.initDone: // before, the protocol allows no notification of ours
		case <-ctx.Done():
			return
		}
		if err := out.send(ctx, s.conn.Notify); err != nil && ctx.Err() == nil {
			set.log.Debug("notifications ended", "err", err)
		}
	})

	code := 1
	select {
	case code = <-d.exit:
	case <-str.ended:
		select {
		case code = <-d.exit: // said exit and hung up at once
		default:
			d.drain(0) // what was asked before the end is answered
		}
	case <-ctx.Done():
	}
	idle := d.work.close()
	cancel()
	if err := rwc.Close(); err != nil {
		set.log.Debug("close", "err", err)
	}
	select {
	case <-idle:
	case <-time.After(grace):
		set.log.Warn("left with work unfinished")
	}
	s.closeBrain()
	return code
}

// session is one editor's conversation: what it told us when it started, the brain it
// works with and the documents it has open. State that several editors would share is in
// server.Server.
type session struct {
	settings
	methods []method
	level   *slog.LevelVar // of what the editor sees of the log
	out     *outbox
	base    context.Context // ends with the session
	work    *tasks
	leave   func(code int)
	drain   func(left int) // waits for the answers that are owed
	conn    jsonrpc2.Conn

	initDone chan struct{} // closed by initialized

	// Set by initialize, which runs alone, and only read afterwards.
	locale   server.Locale
	client   client
	trusted  bool               // the person trusts the workspace, and with it the brain
	limited  bool               // the workspace is not trusted: its cards are shown and edited, never injected
	model    *server.Embeddings // of the editor's settings; nil when they say nothing
	extras   *server.Extras     // the same
	noLens   bool               // no lens over files that cards are about
	commands []string           // of the editor, that a lens may run

	indexing  indexing
	lensesDue atomic.Bool // the editor is about to be asked to ask for them

	openMu sync.Mutex // held while one brain is exchanged for another

	mu      sync.Mutex // guards the fields below
	folders []string   // absolute paths of the workspace
	wanted  string     // where the configuration says the brain is; empty = look for it
	brain   *brain
	noBrain error // why there is no brain
	watches int   // registrations of watched files so far
	docs    map[uri.URI]document
	told    map[uri.URI]bool // documents that the editor holds diagnostics of
}

// client is what the editor can do.
type client struct {
	progress        bool
	configuration   bool
	watches         bool
	relativePattern bool
	versionedEdits  bool
	annotations     bool // of edits: one may need a person's word
	renames         bool
	markdown        bool // in hovers
	lenses          bool // of files that it does not tell the text of
	lensRefresh     bool
}

// brain is a Loop and the folder it is about. The editor knows the folder by the path that
// it was opened as, the Server by the one behind all links.
type brain struct {
	Loop
	s     *session
	dir   string
	close func()
}

// real returns the path by which the Server knows a file that the editor knows as path: a
// card, or a file of the project that the brain lies in.
func (b *brain) real(path string) string {
	root := b.Brain().Root()
	for _, pair := range [][2]string{{b.dir, root}, {filepath.Dir(b.dir), filepath.Dir(root)}} {
		if rel, err := filepath.Rel(pair[0], path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(pair[1], rel)
		}
	}
	return path
}

// uri returns the URI by which the editor knows a card.
func (b *brain) uri(rel string) uri.URI {
	return uri.File(filepath.Join(b.dir, filepath.FromSlash(rel)))
}

// Peek reads the first message of an editor's input and returns what it read, and the brain
// that the message names: the folder that a session would open, "" while there is none.
func Peek(in io.Reader) (read []byte, brain string, err error) {
	var seen bytes.Buffer
	str := &stream{in: bufio.NewReader(io.TeeReader(in, &seen))}
	body, err := str.readBody()
	var m struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err != nil || json.Unmarshal(body, &m) != nil || m.Method != protocol.MethodInitialize {
		return seen.Bytes(), "", nil //nolint:nilerr // the session says what is wrong with it
	}
	var p protocol.InitializeParams
	if protocol.Unmarshal(m.Params, &p) != nil {
		return seen.Bytes(), "", nil
	}
	c, _ := readConfiguration(p.InitializationOptions) // the session says what is wrong with it
	path, _ := c.brainPath()
	brain, err = locate(path, workspace(p))
	if errors.Is(err, lessons.ErrNoBrain) {
		err = nil
	}
	return seen.Bytes(), brain, err
}

// elsewhere ends the session once everything is answered and the editor has had time to read it: VS
// Code drops the output of a process whose end it hears of first.
func (s *session) elsewhere() {
	s.work.spawn(s.log, func() {
		s.drain(0)
		select {
		case <-time.After(lastWords):
		case <-s.base.Done():
		}
		s.leave(1)
	})
}

func (s *session) initialize(_ context.Context, p protocol.InitializeParams) (*protocol.InitializeResult, error) {
	if p.Locale != nil {
		s.locale = server.LocaleOf(*p.Locale)
	}
	s.client = traits(p.Capabilities)
	c, err := readConfiguration(p.InitializationOptions)
	if err != nil {
		s.log.Warn("configuration ignored", "err", err)
	}
	s.trusted, s.limited = c.Trusted != nil && *c.Trusted, c.Trusted != nil && !*c.Trusted
	if c.Embeddings != nil && !s.limited { // the key is in no settings file
		s.model = &server.Embeddings{
			URL:   cmp.Or(*c.Embeddings, s.getenv("HANDRAIL_EMBEDDINGS_URL")),
			Model: s.getenv("HANDRAIL_EMBEDDINGS_MODEL"), Key: s.getenv("HANDRAIL_EMBEDDINGS_KEY"),
		}
	}
	if !s.limited {
		s.extras = c.extras()
	}
	s.noLens, s.commands = c.Lens != nil && !*c.Lens, c.Commands
	path, _ := c.brainPath()
	s.mu.Lock()
	s.wanted, s.folders = path, workspace(p)
	s.mu.Unlock()
	if p.ProcessID != nil && alive(int(*p.ProcessID)) {
		s.work.spawn(s.log, func() { s.outlive(int(*p.ProcessID)) })
	}
	// Opened here and not in initialized: the editor's first request may follow at once.
	s.reopen()
	return &protocol.InitializeResult{
		Capabilities: s.capabilities(),
		ServerInfo:   protocol.ServerInfo{Name: "handrail", Version: protocol.NewOptional(version())},
	}, nil
}

func traits(c protocol.ClientCapabilities) client {
	on := func(b *bool) bool { return b != nil && *b }
	var t client
	if c.Window != nil {
		t.progress = on(c.Window.WorkDoneProgress)
	}
	if d := c.TextDocument; d != nil && d.CodeLens != nil {
		t.lenses = on(d.CodeLens.DynamicRegistration)
	}
	if d := c.TextDocument; d != nil && d.Hover != nil {
		t.markdown = slices.Contains(d.Hover.ContentFormat, protocol.MarkupKindMarkdown)
	}
	if w := c.Workspace; w != nil {
		t.lensRefresh = w.CodeLens != nil && on(w.CodeLens.RefreshSupport)
		t.configuration = on(w.Configuration)
		if w.DidChangeWatchedFiles != nil {
			t.watches = on(w.DidChangeWatchedFiles.DynamicRegistration)
			t.relativePattern = on(w.DidChangeWatchedFiles.RelativePatternSupport)
		}
		if w.WorkspaceEdit != nil {
			t.versionedEdits = on(w.WorkspaceEdit.DocumentChanges)
			t.annotations = w.WorkspaceEdit.ChangeAnnotationSupport != nil
			t.renames = t.versionedEdits && on(w.ApplyEdit) && slices.Contains(w.WorkspaceEdit.ResourceOperations, protocol.ResourceOperationKindRename)
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
			dirs = append(dirs, folder(f.URI))
		}
	}
	root := p.RootURI //nolint:staticcheck // SA1019: all that an editor without workspace folders sends
	if !ok && root != nil && root.IsFile() {
		dirs = append(dirs, folder(*root))
	}
	return dirs
}

// folder returns the path of a folder's URI, which may end in a slash or not.
func folder(u uri.URI) string { return filepath.Clean(u.FsPath()) }

func (s *session) capabilities() protocol.ServerCapabilities {
	yes, incremental := true, protocol.TextDocumentSyncKindIncremental
	var commands []string
	for _, m := range s.methods {
		if m.isCommand {
			commands = append(commands, m.commandName())
		}
	}
	var lenses *protocol.CodeLensOptions
	if !s.client.lenses {
		lenses = &protocol.CodeLensOptions{}
	}
	return protocol.ServerCapabilities{
		PositionEncoding: protocol.PositionEncodingKindUTF16,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: &yes, Change: &incremental, Save: protocol.Boolean(true), WillSaveWaitUntil: &yes,
		},
		CompletionProvider:      &protocol.CompletionOptions{TriggerCharacters: []string{":", "#", "["}},
		HoverProvider:           protocol.Boolean(true),
		CodeActionProvider:      &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, protocol.CodeActionKindRefactor}},
		WorkspaceSymbolProvider: protocol.Boolean(true),
		CodeLensProvider:        lenses,
		ExecuteCommandProvider:  protocol.ExecuteCommandOptions{Commands: commands},
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported: &yes, ChangeNotifications: protocol.Boolean(true),
		}},
	}
}

// version returns the version the program was built as.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func (s *session) initialized(context.Context, protocol.InitializedParams) error {
	select {
	case <-s.initDone:
	default:
		close(s.initDone)
		if s.client.lenses {
			s.work.spawn(s.log, s.registerLenses)
		}
	}
	return nil
}

// register asks the editor for a capability.
func (s *session) register(id, method string, options any) error {
	raw, err := encode(options)
	if err != nil {
		return err
	}
	return protocol.ClientDispatcher(s.conn).RegisterCapability(s.base, &protocol.RegistrationParams{
		Registrations: []protocol.Registration{{ID: id, Method: method, RegisterOptions: protocol.LSPAny(raw)}},
	})
}

func (s *session) shutdown(context.Context, Nothing) (*Nothing, error) { return nil, nil }

// setTrace shows the editor more of the log while it traces.
func (s *session) setTrace(_ context.Context, p protocol.SetTraceParams) error {
	s.level.Set(slog.LevelInfo)
	if p.Value != protocol.TraceValueOff {
		s.level.Set(slog.LevelDebug)
	}
	return nil
}

// outlive ends the session when the editor's process is gone.
func (s *session) outlive(pid int) {
	tick := time.NewTicker(s.pulse)
	defer tick.Stop()
	for {
		select {
		case <-s.base.Done():
			return
		case <-tick.C:
			if !alive(pid) {
				s.log.Info("the editor is gone", "pid", pid)
				s.leave(1)
				return
			}
		}
	}
}

// alive reports whether a process exists; one of another user does.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	_ = p.Release() // only a handle; nothing depends on it
	return !errors.Is(err, os.ErrProcessDone)
}

// opened returns the brain, or why there is none.
func (s *session) opened() (*brain, error) {
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
	s.mu.Lock()
	wanted, folders, old := s.wanted, slices.Clone(s.folders), s.brain
	s.mu.Unlock()

	dir, err := locate(wanted, folders)
	if err == nil && old != nil && old.dir == dir {
		old.Follow(folders)
		return
	}
	s.closeBrain()
	if err == nil {
		err = s.attach(dir, folders)
	}
	s.mu.Lock()
	s.noBrain = err
	s.mu.Unlock()
	switch {
	case err == nil:
	case errors.Is(err, ErrElsewhere):
		s.log.Info("another process serves the brain; the editor has to start the server again", "dir", dir)
		s.elsewhere()
		return
	case errors.Is(err, server.ErrStray):
		s.warn(s.locale.Explain(err))
	case wanted == "" && errors.Is(err, lessons.ErrNoBrain):
		s.log.Info(s.locale.Explain(err)) // most workspaces have none; that is no news
	default:
		s.out.push(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeError, Message: s.locale.Explain(err)})
	}
	s.changed(server.Changed{Cards: true, Candidates: true})
}

// changed passes on that lists are out of date.
func (s *session) changed(c server.Changed) {
	s.out.refresh(c)
	if c.Cards {
		s.diagnoseAll() // another card may have taken a title, or given it up
		s.refreshLenses()
	}
}

// attach opens the brain at dir and listens to it.
func (s *session) attach(dir string, folders []string) error {
	if s.limited {
		folders = nil // nothing that happens there raises a question
	}
	loop, err := s.open(s.base, server.Config{
		Brain: dir, Workspaces: folders, Watch: true, Now: s.now, Log: s.log, Embeddings: s.model,
		Extras: server.ExtraSettings{Editor: s.extras},
	})
	if err != nil {
		return err
	}
	detach := loop.Attach(server.Notify{
		Candidate: func(c server.Candidate) { s.out.push(candidateNotice, s.locale.Named(c)[0]) },
		Footer: func(f server.Footer) {
			s.out.push(footerNotice, s.locale.Worded(f))
			s.refreshLenses() // a card was served once more
		},
		Changed:  s.changed,
		Progress: s.showIndexing,
		NoEmbeddings: func(why error) {
			s.out.push(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeWarning, Message: s.locale.NoEmbeddings(why)})
		},
	})
	s.work.spawn(s.log, func() {
		select {
		case <-loop.Ready(): // closing it counts too
			s.changed(server.Changed{Cards: true})
			if err := loop.Distrust(s.base); err != nil && !s.limited && !s.trusted && s.base.Err() == nil {
				s.warn(s.locale.Explain(err))
			} else if who, n := loop.Brought(); n > 0 && !s.limited {
				s.warn(s.locale.Brought(who, n))
			}
		case <-s.base.Done():
		}
	})
	s.mu.Lock()
	s.brain = &brain{Loop: loop, s: s, dir: dir, close: func() {
		detach()
		if err := loop.Close(); err != nil {
			s.log.Warn("the brain was not closed in order", "dir", dir, "err", err)
		}
	}}
	s.mu.Unlock()
	if !loop.Owner() {
		s.out.push(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeInfo, Message: s.say(textIndexTaken)})
	}
	s.watchFiles(dir)
	return nil
}

// closeBrain lets go of the brain, if there is one.
func (s *session) closeBrain() {
	s.mu.Lock()
	old := s.brain
	s.brain, s.noBrain = nil, lessons.ErrNoBrain
	s.mu.Unlock()
	if old != nil {
		old.close()
		s.showIndexing(0, 0) // whatever it was reading, it reads no more
	}
}

// locate returns the folder of the brain: the wanted one, absolute or relative to the
// first folder of the workspace, else that of the first folder of the workspace that
// belongs to one.
func locate(wanted string, folders []string) (string, error) {
	if wanted != "" {
		return place(wanted, folders)
	}
	var first error
	for _, f := range folders {
		dir, err := server.FindBrain(f)
		if err == nil {
			return dir, nil
		}
		first = cmp.Or(first, err)
	}
	return "", cmp.Or(first, lessons.ErrNoBrain)
}

// place returns the absolute form of a configured path.
func place(path string, folders []string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("brain %s: %w", path, err)
		}
		return filepath.Join(home, rest), nil
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	if len(folders) == 0 {
		return "", fmt.Errorf("brain %s, without a workspace: %w", path, lessons.ErrNoBrain)
	}
	return filepath.Join(folders[0], path), nil
}

// whichBrain returns where the brain is, as the editor knows it.
func (b *brain) whichBrain(ctx context.Context, _ Nothing) (BrainResult, error) {
	return BrainResult{URI: uri.File(b.dir).String(), Trusted: b.Trusted(ctx), Paused: b.Paused(ctx).Until, Folders: b.s.brains()}, nil
}

// brains returns the brains of the workspace's folders; nothing where all have the same.
func (s *session) brains() (out []FolderBrain) {
	s.mu.Lock()
	folders := slices.Clone(s.folders)
	s.mu.Unlock()
	several := false
	for _, f := range folders {
		if dir, ok := find.Brain(f); ok {
			out = append(out, FolderBrain{Folder: uri.File(f).String(), Brain: uri.File(dir).String()})
			several = several || out[len(out)-1].Brain != out[0].Brain
		}
	}
	if !several {
		return nil
	}
	return out
}

// createBrain makes the brain's folder and opens it; one that exists is opened as it is.
func (s *session) createBrain(ctx context.Context, p CreateBrainParams) (BrainResult, error) {
	s.mu.Lock()
	wanted, folders := cmp.Or(p.Path, s.wanted), slices.Clone(s.folders)
	s.mu.Unlock()
	dir, err := locate(wanted, folders)
	if err != nil && wanted == "" && len(folders) > 0 {
		dir, err = find.New(folders[0]), nil
	}
	if err != nil {
		return BrainResult{}, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return BrainResult{}, &lessons.PathError{Path: dir, Err: lessons.ErrNotAFolder}
	}
	if err := server.MakeBrain(dir, ""); err != nil {
		return BrainResult{}, err
	}
	if p.Path != "" {
		s.mu.Lock()
		s.wanted = dir
		s.mu.Unlock()
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

func (s *session) didChangeConfiguration(ctx context.Context, p protocol.DidChangeConfigurationParams) error {
	c, err := readConfiguration(p.Settings)
	if err != nil {
		return err
	}
	if path, said := c.brainPath(); said {
		s.want(path)
		return nil
	}
	if !s.client.configuration {
		return nil
	}
	// The editor only says that something changed. Asking it needs the read loop free.
	s.work.spawn(s.log, func() {
		section := "handrail"
		var values []protocol.LSPAny
		params := &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &section}}}
		if err := protocol.Call(ctx, s.conn, protocol.MethodWorkspaceConfiguration, params, &values); err != nil || len(values) != 1 {
			s.log.Warn("configuration not told", "err", err)
			return
		}
		c, err := readConfiguration(values[0])
		if err != nil {
			s.log.Warn("configuration ignored", "err", err)
			return
		}
		if path, said := c.brainPath(); said {
			s.want(path)
		}
	})
	return nil
}

// want takes a new path of the brain from the configuration.
func (s *session) want(path string) {
	s.mu.Lock()
	same := s.wanted == path && s.brain != nil
	s.wanted = path
	s.mu.Unlock()
	if !same {
		s.reopen()
	}
}

func (s *session) didChangeWorkspaceFolders(_ context.Context, p protocol.DidChangeWorkspaceFoldersParams) error {
	s.mu.Lock()
	for _, f := range p.Event.Removed {
		s.folders = slices.DeleteFunc(s.folders, func(dir string) bool { return dir == folder(f.URI) })
	}
	for _, f := range p.Event.Added {
		if dir := folder(f.URI); f.URI.IsFile() && !slices.Contains(s.folders, dir) {
			s.folders = append(s.folders, dir)
		}
	}
	s.mu.Unlock()
	s.reopen()
	return nil
}

// watchFiles asks the editor to tell of changed markdown files in the brain, in addition
// to the server's own watch: an editor sees what a network disk does not report.
func (s *session) watchFiles(root string) {
	if !s.client.watches {
		return
	}
	s.mu.Lock()
	s.watches++
	id, old := fmt.Sprintf("handrail-files-%d", s.watches), fmt.Sprintf("handrail-files-%d", s.watches-1)
	first := s.watches == 1
	s.mu.Unlock()
	var pattern protocol.GlobPattern = protocol.Pattern(filepath.ToSlash(root) + "/**/*.md")
	if s.client.relativePattern {
		pattern = &protocol.RelativePattern{BaseURI: protocol.URI(uri.File(root)), Pattern: "**/*.md"}
	}
	s.work.spawn(s.log, func() {
		select {
		case <-s.initDone:
		case <-s.base.Done():
			return
		}
		const method = protocol.MethodWorkspaceDidChangeWatchedFiles
		var err error
		if !first {
			err = protocol.ClientDispatcher(s.conn).UnregisterCapability(s.base, &protocol.UnregistrationParams{Unregisterations: []protocol.Unregistration{{ID: old, Method: method}}})
		}
		err = errors.Join(err, s.register(id, method, &protocol.DidChangeWatchedFilesRegistrationOptions{Watchers: []protocol.FileSystemWatcher{{GlobPattern: pattern}}}))
		if err != nil {
			s.log.Info("the editor does not watch files", "err", err)
		}
	})
}

// indexing shows one reading of the brain after another as work done ($/progress).
type indexing struct {
	mu          sync.Mutex // guards the fields below
	phase       indexPhase
	run         int // names the token
	done, total int
}

type indexPhase int

const (
	indexIdle    indexPhase = iota
	indexAsked              // the editor was asked for a token
	indexReady              // it may be shown
	indexShown              // begin was sent
	indexRefused            // the editor does not want to see any
)

// showIndexing is called by the server for every step.
func (s *session) showIndexing(done, total int) {
	x := &s.indexing
	x.mu.Lock()
	defer x.mu.Unlock()
	x.done, x.total = done, total
	switch {
	case x.phase == indexReady || x.phase == indexShown:
		s.pushIndexing()
	case x.phase == indexIdle && done < total && s.client.progress:
		x.phase = indexAsked
		x.run++
		s.work.spawn(s.log, s.askIndexing)
	}
}

func (s *session) askIndexing() {
	select {
	case <-s.initDone:
	case <-s.base.Done():
		return
	}
	x := &s.indexing
	x.mu.Lock()
	token := x.token()
	x.mu.Unlock()
	err := protocol.ClientDispatcher(s.conn).WorkDoneProgressCreate(s.base, &protocol.WorkDoneProgressCreateParams{Token: token})
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.phase = indexReady; err != nil {
		x.phase = indexRefused
	}
	s.pushIndexing()
}

func (x *indexing) token() protocol.String {
	return protocol.String(fmt.Sprintf("handrail-indexing-%d", x.run))
}

// pushIndexing queues the next step; however many were made, the latest is sent.
func (s *session) pushIndexing() {
	s.out.add(notice{method: protocol.MethodProgress, key: protocol.MethodProgress, params: s.indexingStep})
}

func (s *session) indexingStep() any {
	x := &s.indexing
	x.mu.Lock()
	defer x.mu.Unlock()
	percent := uint32(0)
	if x.total > 0 {
		percent = uint32(100 * x.done / x.total)
	}
	message := fmt.Sprintf("%d/%d", x.done, x.total)
	over := x.done >= x.total
	var value any
	switch {
	case x.phase == indexReady && over: // too quick to be shown
		x.phase = indexIdle
		return nil
	case x.phase == indexReady:
		x.phase = indexShown
		value = &protocol.WorkDoneProgressBegin{Kind: "begin", Title: s.say(textIndexing), Message: &message, Percentage: &percent}
	case x.phase == indexShown && over:
		x.phase = indexIdle
		value = &protocol.WorkDoneProgressEnd{Kind: "end"}
	case x.phase == indexShown:
		value = &protocol.WorkDoneProgressReport{Kind: "report", Message: &message, Percentage: &percent}
	default:
		return nil
	}
	raw, err := encode(value)
	if err != nil {
		return nil
	}
	return &protocol.ProgressParams{Token: x.token(), Value: protocol.LSPAny(raw)}
}
