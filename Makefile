# make demo   runs the example with a scripted model; all else is real
# make test   runs every test
# Both fetch what they need: Go modules, and uv into .tools if there is none on PATH.

UV_VERSION := 0.13.9
PYTHON     := python3

# The race detector needs a C compiler; without one the tests run without it.
RACE := $(shell command -v cc >/dev/null 2>&1 && echo -race)

ifeq ($(shell command -v uv 2>/dev/null),)
  UV := .tools/bin/uv
  export PATH := $(CURDIR)/.tools/bin:$(PATH)
endif

.PHONY: demo demo-json test build lint cross wine bench setup clean

demo: build
	bin/staged-agent --demo

LANG_OF_DEMO := en
demo-json:
	@bin/staged-agent --demo --json --lang $(LANG_OF_DEMO)

test: $(UV)
	go test $(RACE) -timeout 20m ./...

build: $(UV)
	go build -o bin/ ./cmd/...

setup: $(UV)

# uv alone is linked onto the path: the virtual environment's Python is not the
# one that scripts shall run with.
.tools/bin/uv:
	@echo "uv is not on PATH; installing uv $(UV_VERSION) into .tools"
	@mkdir -p .tools/bin
	@$(PYTHON) -m venv .tools/venv 2>/dev/null && .tools/venv/bin/python -m pip install -q --disable-pip-version-check uv==$(UV_VERSION) && ln -sf ../venv/bin/uv .tools/bin/uv \
	  || { $(PYTHON) -m pip install -q --disable-pip-version-check --target .tools/py uv==$(UV_VERSION) && ln -sf ../py/bin/uv .tools/bin/uv; }
	@.tools/bin/uv --version

lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "gofmt wants to change:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go tool staticcheck ./...
	.ci/vulnerabilities

cross:
	GOOS=windows GOARCH=amd64 go vet ./... && GOOS=windows GOARCH=amd64 go build -o bin/cross/windows/ ./cmd/...
	GOOS=darwin GOARCH=arm64 go vet ./... && GOOS=darwin GOARCH=arm64 go build -o bin/cross/darwin/ ./cmd/...
	GOOS=linux GOARCH=arm64 go vet ./... && GOOS=linux GOARCH=arm64 go build -o bin/cross/linux/ ./cmd/...

# The Windows build's own tests, as far as Wine can run them.
wine:
	.ci/wine

bench: build
	bin/pyrunner bench
	go test -run '^$$' -bench . ./...

clean:
	rm -rf bin .tools
