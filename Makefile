# Meson and ninja do the work; this file only names what people want.
#   make         the program: build/wrought
#   make demo    simulates, renders and exports the pachinko scene into out/
#   make test    builds and runs the tests
# With DEPS=yes missing Debian packages are installed through sudo; as root always.

BUILD ?= build
MESON_FLAGS ?=
PREFIX ?= /usr/local
export DEPS

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) programs

$(BUILD)/build.ninja:
	@MAKE_GOAL='$(MAKECMDGOALS)' scripts/packages.sh build
	@meson setup $(BUILD) --prefix='$(PREFIX)' $(MESON_FLAGS) >$(BUILD).log 2>&1 \
	  && mv $(BUILD).log $(BUILD)/setup.log || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }

demo: all
	@$(BUILD)/wrought demo -o out

test: all
	@ninja -C $(BUILD) meson-test-prereq
	@scripts/run_tests.sh $(BUILD) $(CHOICE)

# The same tests by clang, under the address and undefined-behaviour sanitizers. What is read before it
# is written has other bits there than in the build by gcc. Checks of every single access that the
# address sanitizer makes, too, or that our machines do not need, take half of the time, and a few long tests
# two thirds of what is left: EVERY=yes has them all. Scenes of all materials go through
# scripts/same_bits.sh instead, with the sanitizers too.
EVERY ?=
ACCESS = $(if $(filter yes,$(EVERY)),,-fno-sanitize=null,object-size,alignment,pointer-overflow)
PATTERN = -g1 -ftrivial-auto-var-init=pattern $(ACCESS)
sanitize:
	@MAKE_GOAL=sanitize scripts/packages.sh sanitize
	@CC=clang CXX=clang++ $(MAKE) --no-print-directory test BUILD=build-sanitize \
	  CHOICE='$(if $(filter yes,$(EVERY)),,--no-suite long)' \
	  MESON_FLAGS="--buildtype=debugoptimized -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false \
	  -Dc_args='$(PATTERN)' -Dcpp_args='$(PATTERN)'"

# Random damage to the input of every reader, for SECONDS each; TARGET="glb obj": only these.
# Needs clang. docs/fuzzing.md
SECONDS ?= 60
fuzz:
	@MAKE_GOAL=fuzz scripts/packages.sh fuzz
	@scripts/fuzz.sh build-fuzz $(SECONDS) $(TARGET)

# COUNT random scenes of metal, CLAY of clay, FLESH of flesh and MORPH of morph, from the one with number FIRST on;
# the slow tests before, unless there are only a few.
COUNT ?= 1000
CLAY ?= 300
FLESH ?= 300
MORPH ?= 200
FIRST ?= 1
soak: all
	@ninja -C $(BUILD) tests/soak tests/soak_clay tests/soak_flesh tests/soak_morph tests/test_metal_world \
	  tests/test_clay_physics tests/test_flesh_crush >/dev/null
	@scripts/soak.sh $(BUILD) $(COUNT) $(FIRST) $(CLAY) $(FLESH) $(MORPH)

# What dents depend on that they should not: DATA is the folder with the models of others.
DATA ?= ../shared/data
invariance: $(BUILD)/build.ninja
	@ninja -C $(BUILD) tests/invariance >/dev/null
	@$(BUILD)/tests/invariance $(addprefix $(DATA)/libigl/,decimated-knight.off bunny.off cow.off \
	  truck.obj)

# What the program makes of the small inputs of tests/golden, written anew; BOOK="metal": only these.
golden: $(BUILD)/build.ninja
	@scripts/golden.sh $(BUILD) $(BOOK)

# Include directions, headers that compile alone, mathematics of what is simulated, no assertions in
# releases, formatting.
check: $(BUILD)/build.ninja
	@MAKE_GOAL=check scripts/packages.sh check
	@scripts/check_includes.sh
	@scripts/check_headers.sh
	@ninja -C $(BUILD) libwrought-rt.a libwrought.a >/dev/null
	@scripts/check_libm.sh $(BUILD)
	@scripts/check_release.sh $(BUILD)
	@clang-format --dry-run --Werror $$(git ls-files '*.c' '*.h' '*.cpp')

# Exports under the Khronos validator and in three.js; needs chromium and npm packages.
web-test: all
	@MAKE_GOAL=web-test scripts/packages.sh web
	@scripts/web_test.sh $(BUILD)

# Exports as Blender shows them; skipped where it is not installed.
blender-test: all
	@scripts/blender_test.sh $(BUILD)

# The references and schemas of scenes and recipes out of the readers' tables.
docs: all
	@$(BUILD)/reference scene >docs/scene.md
	@$(BUILD)/reference scene-schema >docs/scene.schema.json
	@$(BUILD)/reference recipe >docs/recipe.md
	@$(BUILD)/reference recipe-schema >docs/recipe.schema.json

# The models, figures and drawings of the demo scenes.
models: all
	@$(BUILD)/make_models scenes/models
	@$(BUILD)/make_figures scenes/models
	@$(BUILD)/make_props scenes/cages scenes/models
	@$(BUILD)/make_drawings scenes/drawings
	@$(MAKE) --no-print-directory pressed

# The only example of scenes/barrel-simulated.recipe.json: two edges and a plate, one after another.
pressed:
	@$(BUILD)/wrought crush scenes/models/barrel.glb --shape wedge --direction 1,0,0 --axis 0,0,1 --at=-0.3,0.05,0 \
	  --size 0.05 --depth 0.13 --hold 0.5 --quiet -o $(BUILD)/pressed-left.glb
	@$(BUILD)/wrought crush $(BUILD)/pressed-left.glb --shape wedge --direction=-1,0,0 --axis 0,0,1 --at 0.3,-0.05,0 \
	  --size 0.05 --depth 0.13 --hold 0.5 --quiet -o $(BUILD)/pressed-both.glb
	@$(BUILD)/wrought crush $(BUILD)/pressed-both.glb --place roof --depth 0.12 --quiet -o scenes/models/barrel-pressed.glb

bench: all
	@$(BUILD)/wrought bench

format:
	@clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp')

install: all
	@meson configure $(BUILD) --prefix='$(PREFIX)'
	@ninja -C $(BUILD) >/dev/null
	@meson install -C $(BUILD) --no-rebuild

clean:
	@rm -rf build build-sanitize build-clang build-fuzz

.PHONY: all demo test sanitize fuzz soak invariance golden check web-test blender-test docs models pressed bench format install clean
