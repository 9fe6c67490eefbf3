# Thin: each target is one or two commands that may as well be typed.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.PHONY: demo test check attack bench fuzz dist licences packages image

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

# What a release is made of lies here.
FILES := target/release-files
TARGET ?= $(shell rustc -vV | sed -n 's/^host: //p')

## dist: one static program of some 20 MB, its symbols apart, with manual pages and completions; takes minutes
# glibc, linked statically: since 2.34 it resolves names from files and DNS without loading anything. Since 2.36 it takes relocations
# packed, which are 0.7 MB less; functions that are the same are one (--icf: Rust promises no addresses of functions).
# Random numbers come from the system call itself: in a static program the crate that draws them does not find glibc's getrandom, and
# opens /dev/random, which `serve` may not once it has given up its rights.
DIST_FLAGS := -C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs -C link-arg=-Wl,--icf=all \
  --cfg getrandom_backend="linux_getrandom"
dist:
	RUSTFLAGS='$(DIST_FLAGS)' cargo build --profile dist --locked --bin slowpath --target $(TARGET)
	rm -rf $(FILES) && mkdir -p $(FILES)/man
	cp target/$(TARGET)/dist/slowpath $(FILES)/slowpath.debug
	objcopy --strip-all $(FILES)/slowpath.debug $(FILES)/slowpath
	objcopy --only-keep-debug --compress-debug-sections $(FILES)/slowpath.debug
	objcopy --add-gnu-debuglink=$(FILES)/slowpath.debug $(FILES)/slowpath
	$(FILES)/slowpath man --to $(FILES)/man
	$(FILES)/slowpath completions bash > $(FILES)/slowpath.bash
	$(FILES)/slowpath completions zsh > $(FILES)/_slowpath
	$(FILES)/slowpath completions fish > $(FILES)/slowpath.fish
	@packaging/try.sh static $(FILES)/slowpath

## licences: those of all that is in the program, in one file
licences:
	@cargo about --version >/dev/null 2>&1 || cargo install --quiet --locked cargo-about --features cli
	mkdir -p $(FILES)
	cargo about generate --locked --manifest-path crates/slowpath/Cargo.toml --config packaging/about.toml --output-file $(FILES)/THIRD-PARTY-LICENSES packaging/about.hbs
	{ printf 'DejaVu Sans, used by:\n  pictures of captures as PNG\n%080d\n' 0 | tr 0 -; \
	  cat crates/capture/src/picture/png/letters/LICENSE; } >> $(FILES)/THIRD-PARTY-LICENSES

## packages: .deb and .rpm of it, each installed into an empty root, tried, and removed
packages: dist licences
	@cargo deb --version >/dev/null 2>&1 || cargo install --quiet --locked cargo-deb
	@cargo generate-rpm --version >/dev/null 2>&1 || cargo install --quiet --locked cargo-generate-rpm
	cargo deb --no-build --no-strip --package slowpath --output $(FILES)/
	cargo generate-rpm --package crates/slowpath --output $(FILES)/
	packaging/try.sh deb $(FILES)/*.deb
	packaging/try.sh rpm $(FILES)/*.rpm

## image: an OCI image that holds the program and nothing else
image: dist
	podman build -f packaging/Containerfile -t slowpath $(FILES)
