# Builds suspect and puts its parts side by side in target/suspect, as `make install` then does below $(PREFIX).

PREFIX ?= /usr/local
DESTDIR ?=
CARGO_HOME ?= $(HOME)/.cargo
export PATH := $(CARGO_HOME)/bin:$(PATH)
CARGO ?= cargo
# Versions of LLVM that there can be a plugin for; those whose llvm-config is installed get one.
MAJORS := 19 16

OUT := target/suspect
BIN := $(OUT)/bin
LIB := $(OUT)/lib/suspect
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
DEB ?= target/suspect_$(VERSION).deb
CARGO_DEB_VERSION := 3.8.0
CARGO_DEB := target/tools/cargo-deb-$(CARGO_DEB_VERSION)/bin/cargo-deb
COMPLETIONS.bash = $(PREFIX)/share/bash-completion/completions
COMPLETIONS.zsh = $(PREFIX)/share/zsh/site-functions
COMPLETIONS.fish = $(PREFIX)/share/fish/vendor_completions.d

.PHONY: build all tool plugins runtime test test-world check unit-tests pass-tests world-tests world-pass-tests demo install deb uninstall clean
.DEFAULT_GOAL := build

build:
	./setup
	$(MAKE) --no-print-directory all

all: tool plugins runtime
	@echo "suspect is in $(BIN); try: $(BIN)/suspect doctor"

tool:
	$(CARGO) build --release --locked
	@mkdir -p $(BIN)
	@cmp -s target/release/suspect $(BIN)/suspect || \
		{ cp target/release/suspect $(BIN)/.suspect.new && mv $(BIN)/.suspect.new $(BIN)/suspect; }
	@for name in suspect-cc suspect-clang suspect-cc-launcher; do ln -sf suspect $(BIN)/$$name; done

plugins:
	@for major in $(MAJORS); do \
		if command -v llvm-config-$$major >/dev/null; then $(MAKE) --no-print-directory plugin-$$major || exit; fi; \
	done

# Cargo's options for the plugin of an LLVM.
PASS = -p suspect-pass --no-default-features --features llvm$(1) --target-dir target/llvm$(1)

# The plugin's name carries its contents' hash, so that a compiler cache sees another plugin as another command line;
# and a cache in front of suspect-cc sees another compiler.
plugin-%:
	$(CARGO) build --release --locked $(call PASS,$*)
	@mkdir -p $(LIB)/$*
	@set -e; built=target/llvm$*/release/libsuspect_pass.so; hash=$$(sha256sum $$built | cut -c 1-16); \
	new=$(LIB)/$*/libsuspect_pass-$$hash.so; \
	if [ ! -e $$new ]; then \
		cp $$built $$new.part; find $(LIB)/$* -name 'libsuspect_pass-*.so' -delete; mv $$new.part $$new; \
		[ ! -e $(BIN)/suspect ] || touch $(BIN)/suspect; \
	fi; \
	llvm-config-$* --version > $(LIB)/$*/version

runtime:
	@$(MAKE) --no-print-directory -f runtime/Makefile all OUT=target/runtime
	@mkdir -p $(LIB)
	@cp target/runtime/suspect_rt.o target/runtime/suspect_rt_end.o runtime/suspect.ld $(LIB)

# Two targets at a time: while one compiles a single crate, or waits for a clock, the other goes on.
BESIDE := $(MAKE) --no-print-directory --jobs=2
# What a test starts is no part of this make.
ALONE := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL
TEST := $(ALONE) $(CARGO) test --locked

# The first tier: what an edit can break.
test:
	./setup test
	+$(BESIDE) all
	+$(BESIDE) check unit-tests pass-tests

# The second tier: networks, a cluster, a browser, the package, released programs, many random ones, other LLVMs. Continuous integration runs both.
test-world:
	./setup test
	+$(BESIDE) all
	+$(BESIDE) world-tests world-pass-tests

check:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --locked --workspace --no-deps --exclude suspect-pass --exclude suspect-runtime
	RUSTDOCFLAGS='-D warnings -A rustdoc::private_intra_doc_links' $(CARGO) doc --locked --no-deps \
		-p suspect-pass -p suspect-runtime --document-private-items

# Tests of the command line drive the tool that was just built: it is optimised, and it is what users get.
unit-tests: all
	SUSPECT_TOOL=$(abspath $(BIN)/suspect) $(TEST) --workspace --exclude suspect-pass -- --skip world::

world-tests: all $(CARGO_DEB)
	SUSPECT_TOOL=$(abspath $(BIN)/suspect) $(TEST) --workspace --exclude suspect-pass --test cli world::

# Random programs, numbered from one, of the first tier and of both.
SEEDS := 20
WORLD_SEEDS := 200
# The plugin's tests with the first LLVM, then with each of the others.
pass-tests: all
	SUSPECT_CSMITH=$(SEEDS) $(TEST) $(call PASS,$(firstword $(MAJORS)))

world-pass-tests: all
	@set -e; for major in $(wordlist 2,$(words $(MAJORS)),$(MAJORS)); do \
		if command -v llvm-config-$$major >/dev/null; then SUSPECT_CSMITH=$(SEEDS) $(TEST) $(call PASS,$$major); fi; \
	done
	SUSPECT_CSMITH_SEED=$$(($(SEEDS) + 1)) SUSPECT_CSMITH=$$(($(WORLD_SEEDS) - $(SEEDS))) \
		$(TEST) $(call PASS,$(firstword $(MAJORS))) --test csmith

demo: build
	demo/run

# Takes what `make` built, so that nothing is built as root.
install:
	@test -x $(BIN)/suspect || { echo "nothing is built yet; type: make" >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib
	install -m 755 $(BIN)/suspect $(DESTDIR)$(PREFIX)/bin/suspect
	for name in suspect-cc suspect-clang suspect-cc-launcher; do ln -sf suspect $(DESTDIR)$(PREFIX)/bin/$$name; done
	rm -rf $(DESTDIR)$(PREFIX)/lib/suspect
	cp -R $(LIB) $(DESTDIR)$(PREFIX)/lib/suspect
	$(BIN)/suspect man --output $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(COMPLETIONS.bash) $(DESTDIR)$(COMPLETIONS.zsh) $(DESTDIR)$(COMPLETIONS.fish)
	$(BIN)/suspect completions bash > $(DESTDIR)$(COMPLETIONS.bash)/suspect
	$(BIN)/suspect completions zsh > $(DESTDIR)$(COMPLETIONS.zsh)/_suspect
	$(BIN)/suspect completions fish > $(DESTDIR)$(COMPLETIONS.fish)/suspect.fish

# A Debian package of what `make` built, with the plugin for each LLVM that was installed then; it needs the clang of one of them. What is packed is
# what `make install` installs, so package and installation cannot differ; Cargo.toml has the rest.
deb: $(CARGO_DEB)
	rm -rf target/package
	$(MAKE) --no-print-directory install DESTDIR=$(abspath target/package) PREFIX=/usr BIN=$(BIN)
	install -d target/package/usr/share/doc/suspect
	install -m 644 LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md target/package/usr/share/doc/suspect
	cp -R contrib docs target/package/usr/share/doc/suspect
	majors=$$(cd $(LIB) && ls -d [0-9]* | sort -rn | paste -s -d -); \
	$(CARGO_DEB) deb --no-build --no-strip --locked --variant llvm-$$majors --output $(DEB) $(DEBFLAGS)

# Without its default features it leaves compressing to the system's xz and needs no library for that.
$(CARGO_DEB):
	@echo "installing cargo-deb $(CARGO_DEB_VERSION) into target/tools"
	$(CARGO) install --quiet --locked --root target/tools/cargo-deb-$(CARGO_DEB_VERSION) --no-default-features \
		--version $(CARGO_DEB_VERSION) cargo-deb

uninstall:
	cd $(DESTDIR)$(PREFIX)/bin && rm -f suspect suspect-cc suspect-clang suspect-cc-launcher
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/suspect.1 $(DESTDIR)$(PREFIX)/share/man/man1/suspect-*.1
	rm -f $(DESTDIR)$(COMPLETIONS.bash)/suspect $(DESTDIR)$(COMPLETIONS.zsh)/_suspect $(DESTDIR)$(COMPLETIONS.fish)/suspect.fish
	rm -rf $(DESTDIR)$(PREFIX)/lib/suspect

clean:
	$(CARGO) clean
