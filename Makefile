# The few commands there are; the build itself is CMake's (CMakePresets.json, cmake/).
#
#   make            build/loadline, optimized
#   make install    program, manual pages, completions, documents: PREFIX=, DESTDIR=; make uninstall
#                   PORT_RIGHT=yes gives the program ports below 1024, as many NFS servers want
#   make demo       build, then measure the local disk in two minutes; DIR= says where
#   make test       every test over the optimized build; PRESET=dev|asan|tsan over another
#   make check-all  the tests again under ASan, UBSan, TSan and clang, then FUZZ_SECONDS per fuzzer
#   make bench      our own cost against bare loops and fio; ONLY=name for one row
#   make soak       ten minutes of load on NFS servers that end again and again; SOAK_SECONDS=
#   make fuzz       only the fuzzers
#   make fmt tidy   clang-format, clang-tidy
#   make bless      accept what the golden tests print now

MAKEFLAGS += --no-print-directory
PRESET ?= release
DIR ?= build/demo
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 600
JOBS := $(shell nproc 2>/dev/null || echo 2)
# Most of the time of a test goes by in waiting: for a server, for a run to end, for a child.
TEST_JOBS ?= $(shell expr 2 \* $(JOBS))

# Builds a preset, tests included: everything, or the targets named.
build_all = cmake --preset $(1) -DLOADLINE_TESTS=ON >build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }; \
            cmake --build build/$(1) -j $(JOBS) $(if $(2),--target $(2))
# Runs tests of a preset; the report is what .ci/run counts.
run_tests = ctest --test-dir build/$(1) --output-on-failure --no-tests=error -j $(or $(4),$(TEST_JOBS)) \
            --output-junit $(CURDIR)/build/junit/$(2).xml $(3)

.PHONY: program install uninstall demo test check-all check-asan check-tsan check-fuzz fuzz soak bench fmt tidy bless clean

program: build/release/build.ninja
	@cmake --build build/release -j $(JOBS) --target loadline

build/release/build.ninja:
	@tools/packages.sh build
	@mkdir -p build
	@cmake --preset release -DLOADLINE_TESTS=OFF >build/release.log 2>&1 || { cat build/release.log; exit 1; }

install: program
	@DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'
	@DESTDIR='$(DESTDIR)' tools/port_right.sh '$(PREFIX)/bin/loadline' $(PORT_RIGHT)

uninstall: program
	@DESTDIR='$(DESTDIR)' tools/uninstall.sh build/release '$(PREFIX)'

demo:
	@start=$$(date +%s%3N) && tools/packages.sh build && \
	installed=$$(date +%s%3N) && $(MAKE) program && \
	built=$$(date +%s%3N) && \
	DEMO_INSTALL_MS=$$((installed - start)) DEMO_BUILD_MS=$$((built - installed)) DIR='$(DIR)' \
	tools/demo.sh build/loadline

test:
	@tools/packages.sh build test
	@mkdir -p build
	@$(call build_all,$(PRESET))
	@$(call run_tests,$(PRESET),test,-LE fuzzing)

check-all: check-asan check-tsan check-fuzz

check-asan:
	@tools/packages.sh build test check
	@mkdir -p build
	@$(call build_all,asan)
	@$(call run_tests,asan,asan,-LE 'fuzzing|checks')

check-tsan:
	@tools/packages.sh build test
	@mkdir -p build
	@$(call build_all,tsan,test_programs)
	@$(call run_tests,tsan,tsan,-L 'unit|conform|truth')

check-fuzz fuzz:
	@tools/packages.sh build test check
	@mkdir -p build
	@$(call build_all,asan)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) $(call run_tests,asan,fuzz,-L fuzzing,$(JOBS))

soak:
	@tools/packages.sh build test
	@mkdir -p build
	@$(call build_all,release,ledger_client norpcbind)
	@BUILD_DIR=$(CURDIR)/build/release /usr/bin/python3 tests/server/soak.py $(SOAK_SECONDS)

bench:
	@tools/packages.sh build test bench
	@mkdir -p build
	@$(call build_all,release,loadline bench_programs)
	@/usr/bin/python3 tests/perf/bench.py --program build/loadline $(if $(ONLY),--only $(ONLY))
	@$(if $(ONLY),:,/usr/bin/python3 tests/perf/fio_jobs.py --program build/loadline)

fmt:
	@tools/packages.sh test
	@tools/format.sh fix .

tidy:
	@tools/packages.sh build test check
	@mkdir -p build
	@cmake --preset asan -DLOADLINE_TESTS=ON >build/asan.log 2>&1 || { cat build/asan.log; exit 1; }
	@find src tests -name '*.c' -print0 | xargs -0 -n 4 -P $(JOBS) clang-tidy -p build/asan --quiet

bless: program
	@tools/packages.sh test
	@LOADLINE=$(CURDIR)/build/loadline SOURCE_DIR=$(CURDIR) /usr/bin/python3 tests/golden/run.py --bless

clean:
	@rm -rf build
