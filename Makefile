# The commands of the project. `make help` lists them.
.DEFAULT_GOAL := help

LISTEN ?= 127.0.0.1:8080
URL    ?= http://$(LISTEN)
CARGO  ?= cargo
PYTHON ?= python3
# Passed to cargo, which may be configured to build elsewhere.
export CARGO_TARGET_DIR ?= target

.PHONY: help run test test-long check build dist packages msrv bench bless licences clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The development provider is for this machine only; a trust list that MECELLE_TRUST names replaces it.
LOCAL = $(and $(filter 127.0.0.1:% localhost:% [::1]:%,$(LISTEN)),$(filter http://127.0.0.1:% http://localhost:% http://[::1]:%,$(URL)))

run: ## Build everything, render the demonstration firm and serve it at http://127.0.0.1:8080
	$(CARGO) build --workspace --exclude tests --bins
	"$(CARGO_TARGET_DIR)/debug/generator" build --site-url $(URL)
	@$(if $(LOCAL),[ -n "$$MECELLE_TRUST" ] || "$(CARGO_TARGET_DIR)/debug/sidecar" dev-provider >/dev/null)
	@scripts/welcome $(URL)
	@$(if $(LOCAL),export MECELLE_TRUST="$${MECELLE_TRUST:-data/dev-trust.toml}";) MECELLE_LISTEN=$(LISTEN) exec "$(CARGO_TARGET_DIR)/debug/sidecar" serve

test: ## Run all steps of CI
	scripts/test

test-long: ## Run all steps of CI with long models, drills, floods and matrices
	TEST_TIMES=8 scripts/test

check: ## Check formatting, lints, unit tests and content (fast)
	$(PYTHON) scripts/check

build: dist ## Build the release programs and dist/

dist: ## Render the demonstration firm into dist/ with the best compression
	$(CARGO) build --workspace --exclude tests --bins --release
	"$(CARGO_TARGET_DIR)/release/generator" build --compression best

packages: ## Build archive, .deb, OCI image and checksums in target/packages (TARGET=... for another platform)
	$(PYTHON) scripts/packages $(if $(TARGET),--target $(TARGET))

msrv: ## Compile with the oldest supported Rust (rust-version in Cargo.toml), installed by rustup
	version=$$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml) && \
	rustup toolchain install "$$version" --profile minimal && \
	RUSTUP_TOOLCHAIN=$$version $(CARGO) check --workspace --exclude tests --locked

bench: ## Measure builds, serving, MCP, swaps, the tool, credentials and the store (see benches/README.md)
	benches/run

bless: ## Accept the current output as expected; review the difference first
	MECELLE_BLESS=1 $(CARGO) test -p mecelle-generator --test it -- broken_content pasted
	MECELLE_BLESS=1 $(CARGO) test -p mecelle-cli --test tool
	MECELLE_BLESS=1 $(CARGO) test -p tests --test suite -- golden hosts_document

licences: ## Check licences, bans and sources of the dependencies
	scripts/test licences

clean: ## Remove build output, dist/ included
	$(CARGO) clean
	find dist -mindepth 1 ! -name README.md -delete
