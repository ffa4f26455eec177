# "make" builds, "make demo" shows the loop, "make check" is what a change must pass.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)

# Tools, pinned. Go fetches and caches them.
GOLANGCI := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

FUZZTIME ?= 10s

# The platforms of "make vsix", as VS Code names them; the universal package holds no program and looks for an installed one.
VSIX_TARGETS ?= linux-x64 linux-arm64 alpine-x64 alpine-arm64 darwin-x64 darwin-arm64 win32-x64 win32-arm64 universal

# Where "make install" puts things.
PREFIX ?= $(HOME)/.local
BIN = $(DESTDIR)$(PREFIX)/bin
SHARE = $(DESTDIR)$(PREFIX)/share
INSTALLED = $(BIN)/handrail $(BIN)/handrail-hook $(SHARE)/bash-completion/completions/handrail \
  $(SHARE)/zsh/site-functions/_handrail $(SHARE)/fish/vendor_completions.d/handrail.fish

.PHONY: all build install uninstall demo check test test-race test-plain weight bench quality lint fmt fuzz windows agents effect generate release-check release-build release-dry gitleaks shim vsix ui screenshots run clean
all: build

build:
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./server/cmd/...

# The two programs and completions, into PREFIX (~/.local).
install: build
	@mkdir -p $(sort $(dir $(INSTALLED)))
	@install -m 755 bin/handrail bin/handrail-hook $(BIN)/
	@bin/handrail completion bash > $(SHARE)/bash-completion/completions/handrail
	@bin/handrail completion zsh > $(SHARE)/zsh/site-functions/_handrail
	@bin/handrail completion fish > $(SHARE)/fish/vendor_completions.d/handrail.fish
	@printf '%s\n' $(INSTALLED)

# What "make install" installed. "handrail uninstall" comes first: it takes the hooks out.
uninstall:
	@rm -f $(INSTALLED)

# The whole loop on a copy of the demo brain, through the built binary.
demo: build
	@go run ./testdata/demo -bin bin/handrail

check: lint test weight
	@$(MAKE) --no-print-directory build
	@go run ./testdata/demo -bin bin/handrail -quiet
	cd testdata/bench && CGO_ENABLED=1 go vet -tags sqlite_fts5 ./...
	@$(MAKE) --no-print-directory ui

test: vscode-extension/node_modules/.package-lock.json
	@$(MAKE) --no-print-directory -j2 test-race test-plain
	cd vscode-extension && npm test

test-race:
	go test -race -timeout 20m $$(go list ./... | grep -v /server/cmd/handrail$$) ./testdata/week ./testdata/replay ./testdata/effect ./testdata/release

# What the race detector makes three to twenty times as slow, for it starts the program some thousand times or goes through
# all patterns; or what measures.
test-plain:
	go test ./server/cmd/handrail
	go test -run 'AtAnyCall|EventsDoNotWalkTheBrain|NothingKeptHoldsASecret|UndoTakesBackWhateverWasDone' ./server ./server/hook

lint: vscode-extension/node_modules/.package-lock.json
	$(GOLANGCI) run # govet is a part of it
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 -shellcheck= -pyflakes=
	cd vscode-extension && npm run -s format && npm run -s lint

fmt: vscode-extension/node_modules/.package-lock.json
	$(GOLANGCI) fmt
	cd vscode-extension && npx prettier --log-level warn --write .

vscode-extension/node_modules/.package-lock.json: vscode-extension/package-lock.json
	cd vscode-extension && npm ci --ignore-scripts
	@touch $@

# The bundled extension, without the server.
shim: vscode-extension/node_modules/.package-lock.json
	cd vscode-extension && npm run -s build

# One .vsix for each platform, with its server inside, in vscode-extension/out. The same commit gives the same bytes.
vsix: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
vsix: shim
	@mkdir -p vscode-extension/out && cp LICENSE vscode-extension/LICENSE
	@node vscode-extension/notices.mjs && node vscode-extension/store.mjs
	@for target in $(VSIX_TARGETS); do \
	  os=$${target%-*}; os=$${os/win32/windows}; os=$${os/alpine/linux}; arch=$${target#*-}; arch=$${arch/x64/amd64}; \
	  rm -rf vscode-extension/bin; for_one="--target $$target"; \
	  if [ $$target = universal ]; then for_one=; \
	  else CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -ldflags '$(LDFLAGS)' -o vscode-extension/bin/ ./server/cmd/...; fi; \
	  (cd vscode-extension && npx vsce package --no-dependencies --no-rewrite-relative-links --readme-path dist/README.md $$for_one --out out/handrail-$$target.vsix) > vscode-extension/out/$$target.log 2>&1 \
	    || { cat vscode-extension/out/$$target.log; exit 1; }; \
	  ls -l vscode-extension/out/handrail-$$target.vsix | awk '{ printf "%s %.1f MB\n", $$9, $$5 / 1048576 }'; \
	done

# What there is to learn and to carry, beside testdata/weight/figures; UPDATE=-update rewrites them.
weight:
	@go run ./testdata/weight $(UPDATE)

# Handrail beside SQLite FTS5 in one run. HANDRAIL_DATA names a folder of real brains.
bench:
	cd testdata/bench && CGO_ENABLED=1 go run -tags sqlite_fts5 . $(BENCHFLAGS)
	go test -run '^$$' -bench . -benchtime 200ms -benchmem ./...

# Golden figures of ranking, triggers and postcheck; UPDATE=-update rewrites them.
quality:
	go test -count=1 -v -run 'Quality|Duplicates|Floor|Silence|HeldOut' ./lessons ./index ./triggers/heard ./postcheck $(UPDATE)

# Every fuzz target for FUZZTIME. A package that does not compile fails.
fuzz:
	@pkgs=$$(go list ./...); \
	for pkg in $$pkgs; do \
	  list=$$(go test -list '^Fuzz' $$pkg) || { echo "$$list"; exit 1; }; \
	  for target in $$(grep '^Fuzz' <<<"$$list" || true); do \
	    echo "== $$pkg $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$pkg; \
	  done; \
	done

# The tests of cards, of the command line, of the language server, of watching and of the week, built for Windows, under
# Wine. Not part of "check"; a test that needs what Wine lacks says so with WINEFLAGS=-v.
WINE_PACKAGES ?= ./lessons/... ./server/cmd/... ./server/lsp ./server/trust ./server/watch ./testdata/week
windows:
	@testdata/wine/run -timeout 20m $(WINEFLAGS) $(WINE_PACKAGES)

# The command lines of agents, from npm, with a stand-in for their models. Not part of "check", which replays what they sent.
AGENT_PACKAGES = node@24 @anthropic-ai/claude-code@2.1.330 @openai/codex@0.169.0 @google/gemini-cli@0.61.0 @github/copilot@1.0.102 @qwen-code/qwen-code@0.24.4 opencode-ai@1.18.33 cline@3.0.65
AGENTS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/handrail-agents
agents: build
	@mkdir -p $(AGENTS) && cd $(AGENTS) && npm install --no-audit --no-fund --no-save $(AGENT_PACKAGES) > npm.log 2>&1 || { cat npm.log; exit 1; }
	PATH="$(AGENTS)/node_modules/.bin:$$PATH" HANDRAIL_AGENTS=$(AGENTS)/node_modules/.bin HANDRAIL_PROGRAM=$(CURDIR)/bin/handrail go test -count=1 -timeout 30m -v ./testdata/agents $(AGENTFLAGS)

# Whether lessons help an agent of yours, as AGENT="claude -p": each of its 132 calls is at your expense. docs/effect.md.
effect: build
	@go run ./testdata/effect -agent "$${AGENT:-}" $(EFFECTFLAGS)

# What a machine can write: the shim's mirror of the protocol's types, the commands of docs/cli.md.
generate:
	go test ./server/lsp -run 'TypeScript|TableOfMethods' -update
	go test ./server/cmd/handrail -run TestPageOfCommands -update-page

# The names and the version of .release/names, wherever they stand, and a fork's renaming of all.
release-check:
	go test -count=1 ./testdata/release -run 'Name|Fork'

# What goreleaser releases, into .release/dist. Without RELEASE_FLAGS= nothing leaves the machine.
GORELEASER := go run github.com/goreleaser/goreleaser/v2@v2.15.1
RELEASE_FLAGS ?= --snapshot --skip=publish,sign
release-build: export PACKAGES_TOKEN ?=
release-build: export HANDRAIL_VERSION ?= $(shell awk '$$1 == "version" { print $$2 }' .release/names)
release-build:
	$(GORELEASER) release --config .release/goreleaser.yaml --clean $(RELEASE_FLAGS)

# The whole release of what is committed: built twice to the same bytes, and each form that can run here installed, tried,
# upgraded and taken out again. Not part of "check".
release-dry: vscode-extension/node_modules/.package-lock.json
	@.release/dry

# gitleaks' rules, of another version: make gitleaks GITLEAKS=v8.30.1
gitleaks:
	go mod download github.com/zricethezav/gitleaks/v8@$(GITLEAKS)
	cd $$(go env GOMODCACHE)/github.com/zricethezav/gitleaks/v8@$(GITLEAKS) && install -m 644 config/gitleaks.toml LICENSE $(CURDIR)/triggers/leaks/gitleaks
	go test ./triggers/leaks

# VS Code's name for this machine.
HOST := $(shell node -p 'process.platform + "-" + process.arch' 2>/dev/null)

# Tests in a real VS Code, in a browser, and in Neovim; what they drive is installed in the user's cache folder the first time.
ui: vscode-extension/node_modules/.package-lock.json
	@$(MAKE) --no-print-directory vsix VSIX_TARGETS=$(HOST)
	@node vscode-extension/test/ui/setup.mjs
	go test -count=1 -run TestScripts/neovim ./server/cmd/handrail
	cd vscode-extension && npx tsc -p test/ui && node test/ui/run.mjs $(UIFLAGS)

# The pictures of docs/, taken by the same tests.
screenshots:
	HANDRAIL_SCREENSHOTS=$(CURDIR)/docs/images $(MAKE) --no-print-directory ui

# VS Code with the extension, on a copy of the demo brain.
run:
	@$(MAKE) --no-print-directory vsix VSIX_TARGETS=$(HOST)
	@node vscode-extension/test/ui/open.mjs vscode-extension/out/handrail-$(HOST).vsix

clean:
	rm -rf bin vscode-extension/bin vscode-extension/dist vscode-extension/out vscode-extension/ThirdPartyNotices.txt vscode-extension/CHANGELOG.md
