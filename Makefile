# Everything that people and CI do. Nothing needs to be installed by hand but Go, a C
# compiler and, for the generator's tests, Python 3.11, Node 20 and a JDK.
.PHONY: build run test slt sqg bench lint fmt clean

GO ?= go

build: ## bin/scoter
	$(GO) build -o bin/scoter ./cmd/scoter

run: build ## build, start a server on ./data with sample data, say what to try
	bin/scoter serve --dir data --sample 3000000

test: lint ## everything; installs what the tests need
	$(GO) test -count=1 -timeout 30m ./...  # tests run programs that Go's test cache does not know of

slt: ## SQL logic tests in DuckDB's dialect below SLT_DIR, for instance DuckDB's own folder test; failures go into SLT_OUT
	SLT_DIR="$(abspath $(SLT_DIR))" SLT_OUT="$(if $(SLT_OUT),$(abspath $(SLT_OUT)))" $(GO) test -count=1 -timeout 10h -v -run TestSuite ./tests/sqllogic

lint:
	$(GO) vet ./...
	$(GO) test -count=1 ./internal/lint

sqg: build ## SQG's own examples, of a checkout: make sqg SQG_DIR=...
	SQG_DIR="$(abspath $(SQG_DIR))" $(GO) test -count=1 -timeout 30m -run TestExamplesOfSQGCompileAndRunUnchanged ./tests/examples

bench: build ## the benchmarks of the core, with the targets they are held to
	for name in ingest query telemetry parts decode stream clickbench; do bin/scoter bench $$name || exit 1; done

fmt:
	gofmt -w $$(git ls-files '*.go')

clean:
	rm -rf bin data .cache
