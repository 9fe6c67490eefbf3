# Thin: each target is one or two commands that may as well be typed.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.PHONY: demo test check attack bench fuzz

# Seconds that each fuzz target runs.
FUZZ_SECONDS ?= 60

## demo: build, bring up a 12-hop network with a real fault, find it, write the case and its report
demo:
	@dir=nrao.case; n=2; while [ -e "$$dir" ]; do dir=nrao-$$n.case; n=$$((n + 1)); done; \
	cargo run --release --bin slowpath -- lab run nrao-sarao-2021 --case "$$dir" || status=$$?; \
	if [ -e "$$dir/report.html" ]; then \
	  printf '\nThe report, for any browser: %s\n' "$$PWD/$$dir/report.html"; \
	fi; \
	exit $${status:-0}

## test: all tests, those on real kernels included where this machine allows namespaces
test:
	@mkdir -p target
	@cargo test --workspace --no-fail-fast -- --show-output 2>&1 | tee target/test.log
	@skipped=$$(awk '/^SKIPPED/ { n += $$2 ~ /^[0-9]+$$/ ? $$2 : 1 } END { print n + 0 }' target/test.log); \
	if [ "$$skipped" != 0 ]; then \
	  printf '\n!!! %s TESTS SKIPPED: this machine does not allow them (slowpath doctor says why):\n' "$$skipped"; \
	  grep '^SKIPPED' target/test.log | sort | uniq -c; \
	else \
	  printf '\nno test was skipped\n'; \
	fi

## check: format, lints, and what may enter the tree
check:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	@if cargo deny --version >/dev/null 2>&1; then \
	  cargo deny --log-level error check bans licenses sources; \
	  cargo deny --log-level error fetch db || echo '!!! advisories not updated: the database is out of reach'; \
	  if compgen -G "$${CARGO_HOME:-$$HOME/.cargo}/advisory-dbs/*/crates" >/dev/null; then \
	    cargo deny --log-level error --offline check advisories; \
	  else \
	    echo '!!! SKIPPED: advisories (no database)'; \
	  fi; \
	else \
	  echo '!!! SKIPPED: cargo deny is not installed (cargo install cargo-deny --locked)'; \
	fi

## attack: the long forms of the attacks that SECURITY.md names, over loopback; takes minutes, wants an idle machine
attack:
	cargo test -p net --test hostile -- --include-ignored --show-output

## bench: how true the lab's links are and how fast the probes; takes minutes, wants an idle machine
bench:
	cargo bench --workspace --bench '*'

## fuzz: each target for FUZZ_SECONDS
fuzz:
	@if ! cargo +nightly fuzz --version >/dev/null 2>&1; then \
	  echo '!!! SKIPPED: fuzzing (rustup toolchain install nightly; cargo install cargo-fuzz --locked)'; exit 0; \
	fi; \
	for target in $$(cargo +nightly fuzz list); do \
	  echo "== $$target"; \
	  mkdir -p "fuzz/corpus/$$target" "fuzz/seeds/$$target"; \
	  cargo +nightly fuzz run "$$target" "fuzz/corpus/$$target" "fuzz/seeds/$$target" -- -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1; \
	done
