# Makefile: one command for each thing a person wants to do; the work itself stands in the scripts named here.
.PHONY: help build th demo test test-all test-build test-build-quick bench sanitize harden compile-check fuzz
.PHONY: cuda-check gpu-check
.PHONY: compat compat-short cuda-build clean environment test-environment bench-environment harden-environment docs-environment
.PHONY: lint-environment coverage-environment hosts languages wheel verify-wheel release docs lint coverage mutations projects portable-projects portable-survey portable-pybind11 portable-versions bench-portable
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# PYTHON and TORCH_INDEX reach .ci/bootstrap, given either on the command line or in the environment.
export PYTHON TORCH_INDEX
export PATH := $(CURDIR)/.venv/bin:$(PATH)
python := .venv/bin/python
jobs := $(shell nproc 2>/dev/null || echo 2)
# pytest's: one more than cores, since tests wait for the programs that they start. One that crashes ends the run: with
# loadfile, pytest-xdist waits for ever for the tests of the crashed one.
workers := $(shell expr $(jobs) + 1)

ctest := ctest --test-dir build --parallel $(jobs) --output-on-failure
pytest := $(python) -m pytest --ignore tests/sanitize --dist loadfile \
	--numprocesses $(workers) --maxprocesses 4 --max-worker-restart 0
# The C tests that take more than 3 s, or 30 s to compile; those of Python have the mark slow.
slow_c := ^($(shell paste -sd '|' tests/slow_programs.txt))([.]|$$)
selected = $(or $(wildcard $(only)),$(wildcard tests/$(only)),$(shell find tests -name 'test_*$(only)*.py'))

help: ## list the targets
	@awk -F ': .*## ' '/^[a-z-]+:.* ## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

build: environment ## .venv, libmy_lib and the extension _ext/my_lib
	@$(python) ffi_build.py

th: build ## libth and libthc, the runtime for old projects
	@cmake --build build --target legacy --parallel $(jobs)

demo: build ## train a digit classifier on the LLTM layer; pictures in build/demo/
	@$(python) -m examples.digits

test: $(if $(only)$(all),test-build,test-build-quick) ## the quick tests, and one of each file; only=lltm: those of a word, a folder or a file; all=1: all
	@$(ctest) $(if $(only),-R '$(only)',$(if $(all),,-E '$(slow_c)'))
	@$(if $(record),rm -f build/test-times.txt)
	@$(pytest) $(if $(only),$(or $(selected),$(error only=$(only): expected a file, a folder of tests or a word in a file name)),tests $(if $(all),,-m "not slow")) \
		$(if $(record),--record-times build/test-times.txt) $(if $(share),--share $(share))

test-all: ## the same with all=1; record=1 measures which are slow and names wrong marks, share=1/2 leaves out the slow ones of half of the files
	@$(MAKE) test all=1

test-build test-build-quick: test-environment
	@$(python) ffi_build.py
	@cmake --build build --parallel $(jobs) $(if $(filter %-quick,$@),--target quick)

bench: bench-environment ## time everything against its peers; tables, JSON and figures; publish=1
	@.ci/hosts jax
	@$(python) ffi_build.py
	@cmake --build build --target legacy --parallel $(jobs)
	@$(python) -m benchmarks $(if $(publish),--publish)

lint: lint-environment ## faults that are seen without running anything; only="checks format imports types shell cpp" for some
	@.ci/lint $(only)

sanitize: test-environment ## all C and C++ with AddressSanitizer and UndefinedBehaviorSanitizer; prints what is left out
	@$(python) ffi_build.py
	@cmake --preset sanitize -G Ninja --log-level=WARNING
	@cmake --build --preset sanitize --parallel $(jobs)
	@ctest --preset sanitize --parallel $(jobs)
	@.ci/hosts onnxruntime jax
	@rm -f build/sanitize/compiled.txt
	@$(python) -m pytest tests/sanitize
	@$(python) .ci/nets.py sanitize --left-out

harden: harden-environment ## look for races, failed allocations and bad input; parts="threads fuzzing" short=1 publish=1
	@$(python) .ci/harden.py $(if $(short),--short) $(if $(publish),--publish) $(parts)

coverage: coverage-environment ## which lines and branches the tests run; publish=1, short=1 without the slow tests
	@$(python) .ci/coverage.py $(if $(publish),--publish) $(if $(short),--short)

mutations: test-environment ## change one place of the code at a time: do tests notice? part="CUDA runtime" seed=7 count=10 publish=1
	@$(python) .ci/mutations.py $(if $(count),--count $(count)) $(if $(publish),--publish) \
		$(if $(part),--part "$(part)") $(if $(seed),--seed $(seed))

compile-check: test-environment ## torch.compile, export and AOTInductor with every operator; make test has a part of it
	@$(python) ffi_build.py
	@cmake --build build --parallel $(jobs) --target th
	@TORCHTHAW_COMPILE_CHECK=1 $(python) -m pytest tests/graph tests/operators/test_compiled*.py

fuzz: environment ## 1,000,000 random calls of libth under both; calls=... and seed=... choose others
	@cmake --preset sanitize -G Ninja --log-level=WARNING
	@cmake --build --preset sanitize --parallel $(jobs) --target th_test_fuzz
	@build/sanitize/bin/th_test_fuzz $(or $(calls),1000000) $(or $(seed),any)

cuda-check: environment ## compile the CUDA code for every card, and that of the samples; shows registers; needs nvcc
	@$(python) .ci/cuda_check.py
	@$(python) .ci/cuda_samples.py

gpu-check: test-environment ## build, test and time all CUDA code; needs a GPU, nvcc and a PyTorch with CUDA; part=... for one
	@$(python) .ci/gpu_check.py $(addprefix --part ,$(part))

hosts: build test-environment ## test what `export` writes in other hosts, with their packages: ONNX Runtime, JAX
	@.ci/hosts
	@$(python) -m pytest tests/export tests/packaging/test_docs.py -k "export or other-hosts"

languages: build ## build, test and time the bindings of other languages, then make hosts; languages="rust go" for some, publish=1
	@$(if $(languages),,$(MAKE) hosts)
	@$(python) bindings/languages.py $(languages) $(if $(publish),--publish)

compat: test-environment ## test one wheel beside many versions: torch="2.4.1 newest" python="3.10 3.12" publish=1
	@.venv/bin/python .ci/compat.py $(if $(torch),--torch "$(torch)") $(if $(publish),--publish) \
		$(if $(filter command,$(origin python)),--python "$(python)")  # on the command line it is not the one above

compat-short: test-environment ## the same with the newest PyTorch that .ci/requirements records, on this Python
	@$(python) .ci/compat.py --short

cuda-build: test-environment ## test CUDA on the CPU beside PyTorch's builds for CUDA, without a GPU: torch="2.13.0" keep=1
	@$(python) .ci/cuda_build.py $(if $(torch),--torch "$(torch)") $(if $(keep),--keep)

projects: test-environment ## build real projects, without and with run: only="nnfc DCNv2" torch=2.15.0 short=1 edits=1 applied=1 cuda=cpu publish=1
	@$(python) .ci/projects.py $(only) $(if $(short),--short) $(if $(publish),--publish) $(if $(applied),--applied) $(if $(edits),--edits) \
		$(if $(cuda),--cuda $(cuda)) \
		$(if $(torch),--torch $(torch)) $(if $(environment),--environment $(environment))

bench-portable: test-environment ## a portable extension against PyTorch's own build of the same source: publish=1
	@$(python) benchmarks/portable/measure.py $(if $(publish),--publish)

portable-versions: test-environment ## build tests/portable once, and call it beside other PyTorchs: torch="2.4.1 2.7.1"
	@$(python) .ci/portable_versions.py $(if $(torch),--torch $(torch)) $(if $(available),--available)

portable-projects: test-environment ## build real projects once, and run that file on several PyTorchs: only=detectron2 torch="2.4.1 2.15.0" publish=1
	@$(python) .ci/portable_projects.py $(only) $(if $(torch),--torch $(torch)) $(if $(publish),--publish)

portable-survey: test-environment ## which C++ and CUDA sources of real projects compile against the headers of torchthaw.portable: only="apex pytorch3d"
	@$(python) .ci/portable_survey.py $(only)

portable-pybind11: test-environment ## build pybind11's own tests as portable extensions and run them: only="test_enum test_stl"
	@$(python) .ci/portable_pybind11.py $(only)

wheel: test-environment ## what is published, in dist/: sdist, x86_64 and aarch64 wheels, tested; only="sdist x86_64" quick=1
	@$(python) .ci/wheels.py $(if $(only),--only $(only)) $(if $(quick),--quick)

verify-wheel: test-environment ## whether a wheel is what the source distribution beside it builds: wheel=dist/….whl
	@$(python) .ci/wheels.py --verify $(or $(wheel),$(error wheel=: expected the file of a wheel))

release: test-environment ## all that a release needs, then dist/SHA256SUMS; goes on where it stopped; part="wheel docs" for some
	@$(python) .ci/release.py $(part)

docs: docs-environment ## the site, from docs/ and the comments of headers and functions: build/site/index.html
	@rm -rf build/site
	@.venv-docs/bin/python -m sphinx -E -q -W --keep-going --conf-dir docs/_site docs build/site
	@.venv-docs/bin/python docs/_site/check.py build/site

clean: ## remove what was built; .venv stays
	rm -rf build _ext/my_lib _ext/my_lib_cuda

environment:
	@.ci/bootstrap demo

test-environment:
	@.ci/bootstrap test

bench-environment:
	@.ci/bootstrap bench

harden-environment:
	@.ci/bootstrap harden

coverage-environment:
	@.ci/bootstrap coverage

docs-environment:
	@.ci/bootstrap docs

lint-environment:
	@.ci/bootstrap lint
