# Everything that people and CI do. Needed: Go, a C and C++ compiler, Python 3.11, Node 20, a JDK (17 or newer) and
# Maven. What else a target needs it installs below .cache/.
.DEFAULT_GOAL := help
.PHONY: help build run check check-go check-python check-typescript check-java check-cpp test race test-loaded nightly nightly-tests nightly-fuzz nightly-duckdb slt sqg bench fmt fmt-go clean

GO ?= go
PROGRAMS := scoter scoter-bench

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Nothing loads our programs' symbols, and all of DuckDB's names are 7 MB.
LDFLAGS := -s -w
ifeq ($(shell uname -s),Linux)
LDFLAGS += -extldflags=-Wl,--no-export-dynamic,--gc-sections
endif

build: ## build bin/scoter and bin/scoter-bench, without symbols for debuggers
	for name in $(PROGRAMS); do $(GO) build -ldflags='$(LDFLAGS)' -o bin/$$name ./cmd/$$name || exit 1; done

run: build ## build, start a server on ./data with sample data, say what to try
	bin/scoter serve --dir data --sample 3000000

# Checks. Each language has a formatter and a linter, pinned in tools/ and configured in the repository's root.

TOOLS := .cache/tools
RUFF := $(TOOLS)/python/bin/ruff
CLANG_FORMAT := $(TOOLS)/python/bin/clang-format
BIOME := $(TOOLS)/node/node_modules/.bin/biome
JAVA_FORMAT := java $(foreach p,api code file parser tree util,--add-exports jdk.compiler/com.sun.tools.javac.$(p)=ALL-UNNAMED) \
	-cp '$(TOOLS)/java/*' com.palantir.javaformat.java.Main --palantir --skip-sorting-imports --skip-reflowing-long-strings

# Vendored headers are not ours. Code of src/ in the examples is generated, but for Main.java.
CPP = $(shell git ls-files '*.c' '*.cc' '*.h' '*.hpp' | grep -v '^internal/duck/include/')
JAVA = $(shell git ls-files '*.java' | grep -v '^examples/.*/src/.*/\(Queries\|S[cq][^/]*\)\.java$$')

# Packages whose tests need neither DuckDB's library, which takes long to link, nor a server.
PURE = $(shell $(GO) list -test -f '{{if eq .Name "main"}}{{.ImportPath}} {{.Deps}}{{end}}' ./internal/... | \
	sed -n '/github.com\/duckdb\|embedded-postgres/!s/\.test .*//p')

check: check-go check-python check-typescript check-java check-cpp ## what a change must pass before it is proposed, in two minutes: build, linters, formats, quick tests

check-go: ## build, vet, staticcheck, the rules of the house, tests of packages without DuckDB
	$(GO) build ./...
	$(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./...
	$(GO) test $(PURE)

check-python: $(TOOLS)/python/ready ## ruff
	$(RUFF) check --quiet
	$(RUFF) format --quiet --check

check-typescript: $(TOOLS)/node/ready ## biome
	$(BIOME) check --error-on-warnings --diagnostic-level=warn

check-java: $(TOOLS)/java/ready ## palantir-java-format
	$(JAVA_FORMAT) --dry-run --set-exit-if-changed $(JAVA)

check-cpp: $(TOOLS)/python/ready ## clang-format
	$(CLANG_FORMAT) --dry-run -Werror --ferror-limit=1 $(CPP)

fmt: fmt-go $(TOOLS)/python/ready $(TOOLS)/node/ready $(TOOLS)/java/ready ## format the sources of all languages
	$(RUFF) format
	$(BIOME) format --write
	$(JAVA_FORMAT) --replace $(JAVA)
	$(CLANG_FORMAT) -i $(CPP)

fmt-go: ## format Go alone, which installs nothing
	gofmt -w $$(git ls-files '*.go')

$(TOOLS)/python/ready: tools/requirements.txt
	python3 -m venv --clear $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

$(TOOLS)/node/ready: tools/package.json tools/package-lock.json
	mkdir -p $(@D)
	cp $^ $(@D)
	npm ci --prefix $(@D) --silent --no-audit --no-fund
	touch $@

$(TOOLS)/java/ready: tools/pom.xml
	rm -rf $(@D)
	mvn -q -B -f $< dependency:copy-dependencies -DoutputDirectory=$(abspath $(@D))
	touch $@

# Tests and benchmarks.

FUZZTIME := 5m

# Some 40 test programs link DuckDB. Linking one takes up to 20 seconds of CPU time with debug
# information and symbols, and 5 seconds without them. The programs that tests build are linked in
# the same way.
test race test-loaded nightly-tests nightly-fuzz sqg: export GOFLAGS += '-ldflags=-w -s'

# Go starts packages in the order of this list. The packages that take longest are first, so that no
# processor is idle at the end. tests/kafka does not start together with tests/bulk: on a new machine
# Maven downloads jars for both, and two Mavens must not write to one folder at a time.
# -count=1: tests run programs of which Go's test cache knows nothing. -vet=off: see the line before.
test: ## everything; installs what the tests need
	$(GO) vet ./...
	$(GO) test -count=1 -vet=off -timeout 30m ./tests/bulk ./tests/export ./tests/gen ./tests/kafka ./tests/model ./...

# Packages in which goroutines share most.
RACE := ./internal/catalog ./internal/engine ./internal/export ./internal/keys ./internal/merge ./internal/server ./internal/snapshot ./internal/spool ./internal/stream

race: ## the tests of packages in which goroutines share most, with Go's race detector
	$(GO) test -race -count=1 -vet=off -timeout 60m $(RACE)

# Packages whose tests depend on time: deadlines, pauses, and what happens meanwhile.
TIMED := ./internal/app ./internal/duck ./internal/export ./internal/keys ./internal/registry ./internal/server ./internal/spool ./internal/stream ./tests/http ./tests/pressure

# With 40 busy processes, a test gets a tenth of a processor. -p 1 compiles each test before its
# busy processes start, and -timeout 0 sets no limit.
test-loaded: ## the tests of packages that depend on time, with 40 busy processes; some hours
	$(GO) build -o .cache/binary/ ./cmd/scoter
	$(GO) test -count=1 -vet=off -p 1 -timeout 0 -exec '$(CURDIR)/scripts/loaded 40' $(TIMED)

nightly: nightly-tests nightly-fuzz nightly-duckdb ## some hours: what depends on chance or takes long; make -k nightly goes on after a failure

nightly-tests: ## random lists, crashes and hostile statements
	SCOTER_MODEL_SEEDS=10000 SCOTER_CRASH_ROUNDS=300 SCOTER_KAFKA_ROUNDS=100 SCOTER_EXPORT_ROUNDS=100 SCOTER_FLIPS=1000 \
	SCOTER_TEST_PRESSURE=10m SCOTER_TEST_HOSTILE=10m SCOTER_EXHAUSTIVE=1 $(GO) test -count=1 -p 1 -timeout 10h \
		./internal/engine ./tests/model ./tests/crash ./tests/kafka ./tests/export ./tests/slt ./tests/pressure

nightly-fuzz: ## every fuzz test for FUZZTIME
	scripts/fuzz $(FUZZTIME)

nightly-duckdb: ## DuckDB's headers are those of the release
	scripts/duckdb_headers.py

slt: ## SQL logic tests in DuckDB's dialect below SLT_DIR, for instance DuckDB's own folder test; failures go into SLT_OUT
	SLT_DIR="$(abspath $(SLT_DIR))" SLT_OUT="$(if $(SLT_OUT),$(abspath $(SLT_OUT)))" $(GO) test -count=1 -timeout 10h -v -run TestSuite ./tests/sqllogic

sqg: ## SQG's own examples, of a checkout: make sqg SQG_DIR=...
	SQG_DIR="$(abspath $(SQG_DIR))" $(GO) test -count=1 -timeout 30m -run TestExamplesOfSQGCompileAndRunUnchanged ./tests/examples

bench: build ## the benchmarks of the core, with the targets they are held to
	for name in ingest restart query telemetry parts decode stream clickbench; do bin/scoter-bench $$name || exit 1; done

clean: ## remove what was built, data and caches
	rm -rf bin data .cache
