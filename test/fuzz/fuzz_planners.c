// The boundary of the planners: a world decoded from bytes is refused with a text or planned; a plan passes the
// independent checker, and solving it again gives the same.

#include <string.h>

#include "fleetweave/planner_def.h"
#include "fuzz/fuzz.h"
#include "support/digest.h"

static uint64_t solve(const fw_planner_def_t * def, const fw_problem_t * problem, uint64_t seed)
{
  fw_planner_options_t options = fw_planner_options_default();
  options.memory_max_bytes = 64u << 20;
  options.seed = seed;
  fw_planner_t planner = {0};
  fw_error_t error = {0};
  fuzz_require(fw_planner_init(&planner, def->name, &options, &error) == FW_RET_OK, "a planner can be made");
  fw_plan_t plan = {0};
  const fw_budget_t budget = {.expansions_max = 1000};
  const fw_ret_t ret = fw_planner_solve(&planner, problem, &budget, &plan, &error);
  uint64_t digest = 0;
  if (ret == FW_RET_OK) {
    fw_conflict_t conflict = {0};
    fuzz_require(fw_check_plan(problem, &plan, NULL, &conflict, &error) == FW_RET_OK, "a plan can be checked");
    if (conflict.kind != FW_CONFLICT_NONE) {
      char text[256];
      fw_conflict_describe(problem, &conflict, text, sizeof(text));
      (void)fprintf(stderr, "%s: %s\n", def->name, text);
    }
    fuzz_require(conflict.kind == FW_CONFLICT_NONE, "a plan has no conflict up to safe_until");
    digest = digest_plan(&plan);
  } else {
    fuzz_require(ret == FW_RET_UNSUPPORTED, "a valid problem is planned, or refused as unsupported");
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
  }
  fw_planner_fini(&planner);
  return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  fuzz_bytes_t bytes = {.data = data, .size = size};
  const fw_planner_def_t * def = fw_planner_def_at(fuzz_below(&bytes, fw_planner_def_count()));
  const uint64_t seed = fuzz_byte(&bytes);
  fuzz_world_t world;
  fuzz_world(&world, &bytes);
  fw_error_t error = {0};
  if (fw_problem_check(&world.problem, &error) != FW_RET_OK) {
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
    return 0;
  }
  const uint64_t first = solve(def, &world.problem, seed);
  fuzz_require(solve(def, &world.problem, seed) == first, "the same call gives the same plan");
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  // planner, seed, 8 x 8 cells, kind, rows of floor, robots (start, goal, kind)
  for (int32_t k = 0; k < fw_planner_def_count(); ++k) {
    const uint8_t swap[] = {(uint8_t)k, 1, 7, 7, 0, 0, 0x18, 0, 0, 0, 0, 0x18, 0, 3, 0, 63, 0, 63, 0, 0, 7, 56, 0};
    const uint8_t bodies[] = {(uint8_t)k, 2,  7,   7, 32, 0, 0, 0, 0,  0,   0, 0, 0, 2,
                              9,          54, 131, 2, 1,  3, 2, 1, 38, 133, 1, 2, 1, 4};
    add(context, swap, sizeof(swap));
    add(context, bodies, sizeof(bodies));
  }
}
