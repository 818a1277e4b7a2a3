# One Makefile, no recursion into folders.  Objects live in build/$(VARIANT);
# `make help` lists the targets.  What a program may link is what it may do.

VARIANT ?= release
O       := build/$(VARIANT)
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBEXEC ?= $(PREFIX)/libexec/sandbox
MANDIR  ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR  ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
VERSION := 0.1.0
# `make V=1` prints the whole commands.
Q       := $(if $(V),,@)
say      = $(if $(V),,@echo "  $(1)  $@")

STD  := -std=c17 -D_GNU_SOURCE -DSANDBOX_VERSION='"$(VERSION)"'
WARN := -Wall -Wextra -Wpedantic -Wformat=2 -Wshadow -Wconversion \
        -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Wwrite-strings \
        -Wundef -Wvla -Wnull-dereference -Wswitch-enum -Wimplicit-fallthrough
ifdef DEVELOPER
WARN += -Werror
endif
HARD := -fstack-protector-strong -fstack-clash-protection \
        -fcf-protection=full -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
CFLAGS_release := -O2 -g $(HARD) -fPIE
CFLAGS_asan    := -O1 -g -fsanitize=address,undefined \
                  -fno-sanitize-recover=all -fno-omit-frame-pointer -fPIE
# Threads count too: a lost count may become a negative one.
CFLAGS_cov     := -O0 -g --coverage -fprofile-update=atomic -fPIE
LD_release     := -pie -Wl,-z,relro,-z,now,-z,noexecstack,--as-needed
LD_asan        := -pie -fsanitize=address,undefined
LD_cov         := -pie --coverage -Wl,-u,__gcov_dump
CFLAGS_fuzz    := -O1 -g -fsanitize=fuzzer-no-link,address,undefined \
                  -fno-sanitize-recover=all -fno-omit-frame-pointer -fPIE
LD_fuzz        := -pie -fsanitize=fuzzer,address,undefined
CFLAGS  ?= $(CFLAGS_$(VARIANT))
SODIUM  := -lsodium
CJSON   := -lcjson
# Linked in, as a hook is started too often to have it found and mapped.
ZSTD    := -l:libzstd.a
SECCOMP := -lseccomp
# Linked by the approver's side only: no program that an agent's hook starts.
NOTIFY  := -linotifytools
CURSES  := -lncursesw -ltinfo
# A jail starts with every contained command: a library that need not be found,
# mapped and relocated is a tenth of that.
linked_in = $(patsubst -l%,-l:lib%.a,$(1))

# --- rooms, floor by floor ---------------------------------------------------
ROOMS := common policy policy/shell policy/commands queue audit \
         audit/originals jail jail/proxy hooks hooks/dialect approver \
         approver/executor cmd
MAINS := hooks/guard.c hooks/gate_main.c approver/runner_main.c jail/proxy/main.c \
         cmd/main.c
obj    = $(patsubst %.c,$(O)/%.o,$(filter-out $(MAINS),$(wildcard $(1)/*.c)))
GEN_commands := $(O)/gen/commands.o
GEN_templates := $(O)/gen/templates.o
GEN_filters := $(O)/gen/filters.o
# Doors to the outside that are programs of their own: an agent's MCP client,
# and the network that an approved page comes from.
ROOMS += hooks/mcp approver/fetch
MAINS += hooks/mcp_main.c approver/fetch/fetch_main.c
mcp_o  = $(call obj,hooks/mcp) $(GEN_templates)
fetch_o = $(call obj,approver/fetch)

common_o   := $(call obj,common)
policy_o   := $(foreach r,policy policy/shell policy/commands,$(call obj,$(r))) \
              $(GEN_commands)
watch_o    := $(O)/queue/watch.o
queue_o    := $(filter-out $(watch_o),$(call obj,queue))
audit_o    := $(call obj,audit) $(call obj,audit/originals)
# Which hosts a rule names is asked on both sides; all else is the proxy's.
rules_o    := $(patsubst %,$(O)/jail/proxy/%.o,host rules)
proxy_o    := $(call obj,jail/proxy)
jail_o     := $(call obj,jail) $(rules_o) $(GEN_filters)
hooks_o    := $(call obj,hooks) $(call obj,hooks/dialect)
approver_o := $(call obj,approver) $(call obj,approver/executor)
# What a person sees and types; the runner has nobody to talk to.
ui_o       := $(patsubst %.c,$(O)/%.o,$(wildcard approver/line*.c \
              approver/model*.c approver/screen*.c approver/watched.c approver/attach.c \
              approver/notify.c approver/changed.c approver/logtail.c))
cmd_o      := $(call obj,cmd) $(GEN_templates)
floor1_o   := $(policy_o) $(queue_o) $(audit_o) $(common_o)
all_o      := $(cmd_o) $(approver_o) $(hooks_o) $(jail_o) $(floor1_o) $(watch_o)

GUARDS := pretooluse posttooluse sessionstart configchange
HELPERS := $(GUARDS) sandbox-gate sandbox-runner sandbox-proxy
PROGS  := sandbox $(HELPERS)

# --- targets -----------------------------------------------------------------
.DEFAULT_GOAL := all
HELPERS += sandbox-mcp sandbox-fetch
PROGS += sandbox-mcp sandbox-fetch
all: $(PROGS:%=$(O)/%) ## build everything into build/release

# The guard links nothing, not even a C library: it cannot be led astray by a
# library path or a tunable, and there is no code in it that could parse or
# decide.  Without a libc there is no stack guard value and no relocation at
# start; it is built the same in every variant.
GUARD_CFLAGS := -O2 -g -ffreestanding -fno-stack-protector -fno-pie \
                -fcf-protection=none -fno-asynchronous-unwind-tables -U_FORTIFY_SOURCE
guard_o := $(patsubst %.c,$(O)/static/%.o,hooks/guard.c hooks/wire.c \
           $(wildcard hooks/guard/*.c))
$(O)/static/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(STD) $(WARN) $(GUARD_CFLAGS) $(CPPFLAGS) -I. -MMD -MP -c -o $@ $<
$(O)/guard: $(guard_o)
	$(call say,LD)
	$(Q)$(CC) -static -nostdlib -Wl,-z,relro,-z,now,-z,noexecstack,--fatal-warnings -o $@ $^
$(GUARDS:%=$(O)/%): $(O)/guard
	$(Q)ln -f $< $@

# Every tool call starts the gate: what the dynamic linker need not find, map
# and relocate is a tenth of the answer.
$(O)/sandbox-gate: $(O)/hooks/gate_main.o $(hooks_o) $(floor1_o)
	$(call say,LD)
	$(Q)$(LINK) -Wl,-O1,--hash-style=gnu -l:libsodium.a $(CJSON) $(ZSTD)
$(O)/sandbox-runner: $(O)/approver/runner_main.o $(filter-out $(ui_o),$(approver_o)) \
                     $(O)/jail/spawn.o $(floor1_o)
	$(call say,LD)
	$(Q)$(LINK) $(SODIUM) $(CJSON) $(ZSTD)
$(O)/sandbox-proxy: $(O)/jail/proxy/main.o $(proxy_o) $(O)/jail/harden.o \
                    $(O)/jail/harden_files.o $(O)/jail/filter.o $(GEN_filters) \
                    $(O)/jail/pass.o $(common_o)
	$(call say,LD)
	$(Q)$(LINK) $(call linked_in,$(SODIUM)) $(CJSON)
$(O)/sandbox: $(O)/cmd/main.o $(all_o)
	$(call say,LD)
	$(Q)$(LINK) $(call linked_in,$(SODIUM) $(NOTIFY) $(CURSES)) \
	    $(CJSON) $(ZSTD)
$(O)/sandbox-mcp: $(O)/hooks/mcp_main.o $(mcp_o) $(hooks_o) $(floor1_o)
	$(call say,LD)
	$(Q)$(LINK) -Wl,-O1,--hash-style=gnu -l:libsodium.a $(CJSON) $(ZSTD)
$(O)/tests/fuzz/mcp: $(mcp_o) $(hooks_o) $(queue_o) $(audit_o)
$(O)/sandbox-fetch: $(O)/approver/fetch/fetch_main.o $(fetch_o) $(floor1_o)
	$(call say,LD)
	$(Q)$(LINK) $(SODIUM) $(CJSON) $(ZSTD) -lcurl
LINK = $(CC) $(CFLAGS) $(LD_$(VARIANT)) $(LDFLAGS) -o $@ $^

$(O)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(STD) $(WARN) $(CFLAGS) $(CPPFLAGS) -I. -MMD -MP -c -o $@ $<
$(O)/%.o: $(O)/%.c
	$(call say,CC)
	$(Q)$(CC) $(STD) $(WARN) $(CFLAGS) $(CPPFLAGS) -I. -MMD -MP -c -o $@ $<

$(O)/gen/commands.c: policy/commands/gen.awk $(wildcard policy/commands/*.txt)
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)LC_ALL=C awk -f $^ > $@.tmp && mv $@.tmp $@
$(O)/gen/templates.c: templates/gen.awk $(filter-out %.awk %.h,$(wildcard templates/*))
	@mkdir -p $(@D)
	$(call say,GEN)
	$(Q)LC_ALL=C awk -f $^ > $@.tmp && mv $@.tmp $@

$(O)/gen/filters: jail/filter/make.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(STD) $(WARN) $(CPPFLAGS) -I. -o $@ $< $(SECCOMP)
$(O)/gen/filters.c: $(O)/gen/filters
	$(call say,GEN)
	$(Q)$< > $@.tmp && mv $@.tmp $@

# --- tests -------------------------------------------------------------------
# A unit test links its room and what lies below it, nothing else: the floors
# hold at link time too.  tests/unit/test_<room>_<what>.c
under_common   := $(common_o)
under_policy   := $(policy_o) $(common_o)
under_queue    := $(queue_o) $(watch_o) $(common_o)
under_audit    := $(audit_o) $(common_o)
under_jail     := $(sort $(jail_o) $(proxy_o)) $(floor1_o)
under_hooks    := $(mcp_o) $(hooks_o) $(floor1_o)
under_approver := $(approver_o) $(jail_o) $(watch_o) $(floor1_o)
under_approver += $(filter-out %/fetch.o,$(fetch_o))
under_cmd      := $(all_o)
UNITS := $(patsubst tests/%.c,$(O)/tests/%,$(wildcard tests/unit/test_*.c))
define unit_rule
$(O)/tests/$(2)/test_$(1)_%: $(O)/tests/$(2)/test_$(1)_%.o $$(under_$(1))
	$$(call say,LD)
	$$(Q)$$(LINK) -lcheck -lsubunit -lrt -lm -pthread $$(SODIUM) $$(CJSON) $$(ZSTD) $$(NOTIFY) $$(CURSES)
endef
$(foreach k,unit fault attack,$(foreach r,common policy queue audit jail hooks \
  approver cmd,$(eval $(call unit_rule,$(r),$(k)))))

# The floor of a bench starts as cheaply as a program with a libc can.
$(O)/tests/bench/floor: tests/bench/floor.c
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) -O2 -static -o $@ $<
$(O)/tests/tools/%: $(O)/tests/tools/%.o $(hooks_o) $(floor1_o)
	$(call say,LD)
	$(Q)$(LINK) $(SODIUM) $(CJSON) $(ZSTD)
$(O)/tests/%: $(O)/tests/%.o $(all_o)
	$(call say,LD)
	$(Q)$(LINK) -lm -pthread $(SODIUM) $(CJSON) $(ZSTD) $(NOTIFY) $(CURSES)

# Program-level tests: bats files and C programs, each prints TAP.
scripts = $(wildcard $(addprefix tests/$(1)/*.,bats t mjs))
cprogs  = $(patsubst tests/%.c,$(O)/tests/%,$(wildcard tests/$(1)/test_*.c))
TOOLS   = $(patsubst tests/%.c,$(O)/tests/%,$(wildcard tests/tools/*.c))
suite   = $(call scripts,$(1)) $(call cprogs,$(1))
RUN     = VARIANT=$(VARIANT) tests/run

check: check-deps all ## run every test (real clients excepted)
	$(MAKE) $(UNITS) $(TOOLS) $(foreach s,cli tui attack fault,$(call cprogs,$(s)))
	$(RUN) tests/floors $(UNITS) $(foreach s,cli tui jail attack fault,$(call suite,$(s)))
check-structure: all ## includes point down, objects import what they may
	$(RUN) tests/floors
check-unit: all $(UNITS) ## unit tests
	$(RUN) $(UNITS)
check-cli check-tui check-jail check-attack check-fault: check-%: all
	$(MAKE) $(TOOLS) $(call cprogs,$*)
	$(RUN) $(call suite,$*)
check-e2e: all ## real clients: Claude Code (from npm) and sshd, on loopback
	@tests/deps openssh-client openssh-server python3-pip \
	    default-jdk-headless cargo chromium
	tests/e2e/setup
	$(RUN) $(call scripts,e2e)
screens: all ## write the screens in docs/WATCH.md anew
	$(MAKE) $(TOOLS)
	BUILD=$(CURDIR)/$(O) SRC=$(CURDIR) LC_ALL=C.UTF-8 TZ=UTC UPDATE_DOCS=1 \
	    bats tests/tui/screens.bats
asan: ## everything with AddressSanitizer and UBSan
	$(MAKE) VARIANT=asan check
cov: ## run every test counting lines and branches, and hold the gates
	@tests/deps gcovr
	$(MAKE) VARIANT=cov check
	gcovr -r . --object-directory build/cov --exclude tests/ \
	    --exclude build/ --json -o - | tests/coverage

# --- installing what a machine lacks (Debian) --------------------------------
BUILD_PKGS := gcc make libc6-dev libcjson-dev libsodium-dev libseccomp-dev \
              libinotifytools0-dev libncurses-dev libcurl4-openssl-dev libzstd-dev
CHECK_PKGS := check libsubunit-dev bats perl procps sudo strace git python3 tmux \
              curl gdb vim openssh-client openssh-server zsh fish
LINT_PKGS  := clang clang-tidy cppcheck shellcheck
deps: ## install the packages that building and testing need
	@tests/deps $(BUILD_PKGS) $(CHECK_PKGS)
check-deps: ; @tests/deps $(BUILD_PKGS) $(CHECK_PKGS)
demo: ## see it work in two minutes
	@tests/deps $(BUILD_PKGS)
	@$(MAKE) --no-print-directory -s all
	@BUILD=$(O) tests/demo

# --- looking closer ----------------------------------------------------------
SOURCES := $(foreach r,$(ROOMS) hooks/guard jail/filter,$(wildcard $(r)/*.c))
lint: ## clang with -Werror, clang-tidy, cppcheck, shellcheck
	@tests/deps $(BUILD_PKGS) $(CHECK_PKGS) $(LINT_PKGS)
	$(MAKE) DEVELOPER=1 CC=clang O=build/clang all
	clang-tidy --quiet --warnings-as-errors='*' $(SOURCES) -- $(STD) -I.
	cppcheck --quiet --std=c11 --inline-suppr --error-exitcode=1 \
	    --enable=warning,performance,portability -I. -D_GNU_SOURCE $(SOURCES)
	shellcheck $$(grep -lE '^#!/bin/(ba)?sh' -r tests .ci)
fuzz: ## explore for FUZZ_SECONDS (default 60) per target
	$(MAKE) VARIANT=fuzz CC=clang fuzz-all
FUZZERS := $(patsubst tests/%.c,$(O)/tests/%,$(wildcard tests/fuzz/*.c))
FUZZ_SECONDS ?= 60
$(O)/tests/fuzz/%: $(O)/tests/fuzz/%.o $(policy_o) $(common_o)
	$(call say,LD)
	$(Q)$(LINK) $(SODIUM) $(CJSON) $(ZSTD)
$(O)/tests/fuzz/proxy: $(patsubst %,$(O)/jail/proxy/%.o,host rules http span hello dns)
$(O)/tests/fuzz/dialect: $(O)/hooks/dialect.o $(call obj,hooks/dialect)
fuzz-all: $(FUZZERS)
	@for f in $(FUZZERS); do mkdir -p $$f.corpus && echo "$$f" && \
	    $$f -max_total_time=$(FUZZ_SECONDS) -max_len=8192 -timeout=10 \
	    -rss_limit_mb=4096 -verbosity=0 -print_final_stats=1 \
	    -dict=tests/fuzz/shell.dict -artifact_prefix=$$f. $$f.corpus || exit 1; \
	done
bench: all ## speeds beside a floor and the peers, as ratios
	$(MAKE) $(patsubst tests/%.c,$(O)/tests/%,$(wildcard tests/bench/*.c))
	BUILD=$(O) tests/bench/run

# --- installing --------------------------------------------------------------
install: all ## into $(PREFIX), or $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBEXEC) $(DESTDIR)$(MANDIR)/man1 \
	    $(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(MANDIR)/man8 $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	install -m 755 $(O)/sandbox $(DESTDIR)$(BINDIR)/sandbox
	install -m 755 $(HELPERS:%=$(O)/%) $(DESTDIR)$(LIBEXEC)
	install -m 644 docs/man/*.1 $(DESTDIR)$(MANDIR)/man1
	install -m 644 docs/man/*.5 $(DESTDIR)$(MANDIR)/man5
	install -m 644 docs/man/*.8 $(DESTDIR)$(MANDIR)/man8
	$(O)/sandbox completion bash > $(DESTDIR)$(BASHDIR)/sandbox
	$(O)/sandbox completion zsh > $(DESTDIR)$(ZSHDIR)/_sandbox
	$(O)/sandbox completion fish > $(DESTDIR)$(FISHDIR)/sandbox.fish
uninstall: ## take out what install put there
	rm -f $(DESTDIR)$(BINDIR)/sandbox $(HELPERS:%=$(DESTDIR)$(LIBEXEC)/%)
	rm -f $(foreach s,1 5 8,$(patsubst docs/man/%,$(DESTDIR)$(MANDIR)/man$(s)/%,$(wildcard docs/man/*.$(s))))
	rm -f $(DESTDIR)$(BASHDIR)/sandbox $(DESTDIR)$(ZSHDIR)/_sandbox $(DESTDIR)$(FISHDIR)/sandbox.fish
	-rmdir $(DESTDIR)$(LIBEXEC)
clean: ## remove build/
	rm -rf build
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

-include $(shell find build -name '*.d' 2>/dev/null)
.PHONY: all check check-structure check-unit check-cli check-tui check-jail \
        check-attack check-fault check-e2e screens asan cov deps check-deps demo lint fuzz fuzz-all bench \
        install uninstall clean help
.SECONDARY:
