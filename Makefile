# Everything that people and CI do. Nothing needs to be installed by hand but Go, a C
# compiler and, for the generator's tests, Python 3.11, Node 20 and a JDK.
.PHONY: build run test nightly slt sqg bench lint fmt clean

GO ?= go

build: ## build bin/scoter and bin/scoter-bench, without symbols for debuggers
	for name in scoter scoter-bench; do $(GO) build -ldflags='-s -w' -o bin/$$name ./cmd/$$name || exit 1; done

run: build ## build, start a server on ./data with sample data, say what to try
	bin/scoter serve --dir data --sample 3000000

test: lint ## everything; installs what the tests need
	$(GO) test -count=1 -timeout 30m -ldflags=-w ./...  # tests run programs that Go's test cache does not know of; -w links faster

nightly: lint ## some hours: the tests that depend on chance or take long, at the length that finds rare faults
	SCOTER_MODEL_SEEDS=10000 SCOTER_CRASH_ROUNDS=300 SCOTER_KAFKA_ROUNDS=100 SCOTER_EXPORT_ROUNDS=100 SCOTER_FLIPS=1000 \
	SCOTER_TEST_PRESSURE=10m SCOTER_TEST_HOSTILE=10m SCOTER_EXHAUSTIVE=1 $(GO) test -count=1 -p 1 -timeout 10h -ldflags=-w \
		./internal/engine ./tests/model ./tests/crash ./tests/kafka ./tests/export ./tests/slt ./tests/pressure

slt: ## SQL logic tests in DuckDB's dialect below SLT_DIR, for instance DuckDB's own folder test; failures go into SLT_OUT
	SLT_DIR="$(abspath $(SLT_DIR))" SLT_OUT="$(if $(SLT_OUT),$(abspath $(SLT_OUT)))" $(GO) test -count=1 -timeout 10h -v -run TestSuite ./tests/sqllogic

lint:
	$(GO) vet ./...
	$(GO) test -count=1 ./internal/lint

sqg: build ## SQG's own examples, of a checkout: make sqg SQG_DIR=...
	SQG_DIR="$(abspath $(SQG_DIR))" $(GO) test -count=1 -timeout 30m -run TestExamplesOfSQGCompileAndRunUnchanged ./tests/examples

bench: build ## the benchmarks of the core, with the targets they are held to
	for name in ingest restart query telemetry parts decode stream clickbench; do bin/scoter-bench $$name || exit 1; done

fmt:
	gofmt -w $$(git ls-files '*.go')

clean:
	rm -rf bin data .cache
