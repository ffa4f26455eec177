# "make" builds, "make demo" shows the loop, "make check" is what a change must pass.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)

# Tools, pinned. Go fetches and caches them.
GOLANGCI := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

FUZZTIME ?= 10s

.PHONY: all build demo check test bench quality lint fmt fuzz generate clean
all: build

build:
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/handrail ./server/cmd/handrail

# The whole loop on a copy of the demo brain, through the built binary.
demo: build
	@go run ./testdata/demo -bin bin/handrail

check: lint test
	@$(MAKE) --no-print-directory build
	@go run ./testdata/demo -bin bin/handrail -quiet
	cd testdata/bench && CGO_ENABLED=1 go vet -tags sqlite_fts5 ./...

test:
	go test -race ./...

lint:
	go vet ./...
	$(GOLANGCI) run

fmt:
	$(GOLANGCI) fmt

# Handrail beside SQLite FTS5 in one run. HANDRAIL_DATA names a folder of real brains.
bench:
	cd testdata/bench && CGO_ENABLED=1 go run -tags sqlite_fts5 . $(BENCHFLAGS)
	go test -run '^$$' -bench . -benchtime 200ms -benchmem ./...

# Golden figures of ranking, triggers and postcheck; UPDATE=-update rewrites them.
quality:
	go test -count=1 -v -run 'Quality|Duplicates|Floor|Silence' ./index ./triggers ./postcheck $(UPDATE)

fuzz:
	@for pkg in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$pkg; \
	  done; \
	done

# The shim's mirror of the protocol's types.
generate:
	go test ./server/lsp -run TypeScript -update

clean:
	rm -rf bin
