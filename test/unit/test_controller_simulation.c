// The fleet controller in simulated worlds with faults: see src/simulation/controller_simulation.h for what must hold.
//
//   test_controller_simulation                    300 seeds, 15,000 with FLEETWEAVE_LONG=1
//   test_controller_simulation --seed 4711        one seed, with a trace
//   test_controller_simulation --seeds 1 5000     from seed 1, 5000 of them, without a trace

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>

#include "simulation/controller_simulation.h"
#include "support/test.h"

enum { SEEDS = 300 };

static void print_line(void * context, const char * text)
{
  (void)context;
  (void)printf("%s\n", text);
}

static uint64_t seed_running;

// A failed assertion or a crash in a seed must name it too.
static void print_seed(int signal_number)
{
  (void)fprintf(
    stderr, "signal %d; replay: fleetweave simulate --controller --seed %" PRIu64 " --trace\n", signal_number,
    seed_running);
  (void)signal(signal_number, SIG_DFL);
  (void)raise(signal_number);
}

enum { PLANNERS_MAX = 32 };

typedef struct summary_t {
  int64_t reached_by[PLANNERS_MAX];  // goals in the runs that a planner of the registry began
  int32_t runs, failures, judged, with_areas;
  int64_t solves, releases, faults, kills, heap_failures, accepted, reached, left;
  double seconds, nearest;
} summary_t;

static void add(summary_t * summary, uint64_t seed)
{
  fw_controller_simulation_result_t result;
  const fw_controller_simulation_options_t options = {.seed = seed};
  seed_running = seed;
  (void)signal(SIGABRT, print_seed);
  (void)signal(SIGSEGV, print_seed);
  assert_int_equal(fw__controller_simulation_run(&options, &result, NULL), FW_RET_OK);
  summary->runs += 1;
  summary->judged += result.has_judged_progress ? 1 : 0;
  summary->with_areas += result.areas > 0 ? 1 : 0;
  summary->solves += result.solves;
  summary->releases += result.releases;
  summary->faults += result.faults;
  summary->kills += result.kills;
  summary->heap_failures += result.heap_failures;
  summary->accepted += result.goals_accepted;
  summary->reached += result.goals_reached;
  for (int32_t k = 0; k < fw_planner_def_count(); ++k) {
    assert_in_range(k, 0, PLANNERS_MAX - 1);
    const bool is_this = strcmp(fw_planner_def_at(k)->name, result.planner) == 0;
    summary->reached_by[k] += is_this ? result.goals_reached : 0;
  }
  summary->left += result.goals_left;
  summary->seconds += result.seconds;
  summary->nearest = fmin(summary->nearest, result.nearest);
  if (result.failure[0] != '\0') {
    summary->failures += 1;
    (void)fprintf(
      stderr, "%s\n  (%s, %d robots) replay: fleetweave simulate --controller --seed %" PRIu64 " --trace\n",
      result.failure, result.planner, result.robots, seed);
  }
}

static void print_summary(const summary_t * summary)
{
  (void)printf(
    "%d seeds, %d with areas, %d failed, progress judged in %d: %.0f s simulated, %" PRId64 " faults, %" PRId64
    " kills, %" PRId64 " failed allocations, %" PRId64 " solves, %" PRId64 " releases, %" PRId64
    " goals accepted, %" PRId64 " reached, %" PRId64 " left; nearest %.3f m\n",
    summary->runs, summary->with_areas, summary->failures, summary->judged, summary->seconds, summary->faults,
    summary->kills, summary->heap_failures, summary->solves, summary->releases, summary->accepted, summary->reached,
    summary->left, summary->nearest);
}

static void invariants_hold_for_every_seed(void ** state)
{
  (void)state;
  summary_t summary = {.nearest = INFINITY};
  for (uint64_t seed = 1; seed <= (uint64_t)test_many_rounds(SEEDS); ++seed) {
    add(&summary, seed);
  }
  print_summary(&summary);
  assert_int_equal(summary.failures, 0);
  // The simulation is worth something only if robots drive in it.
  assert_true(summary.reached > 5 * (int64_t)summary.runs);
  for (int32_t k = 0; k < fw_planner_def_count(); ++k) {
    assert_true(summary.reached_by[k] > (int64_t)summary.runs / fw_planner_def_count());
  }
  assert_true(summary.judged >= summary.runs * 95 / 100);
  assert_true(summary.kills > summary.runs / 2 && summary.heap_failures > summary.runs);
  assert_true(summary.with_areas > summary.runs / 5 && summary.with_areas < summary.runs / 2);
}

// Seeds that are not among the first ones and have found faults of the controller, each mended since.
static void seeds_that_found_faults_hold(void ** state)
{
  (void)state;
  static const uint64_t seeds[] = {464,  669,  899,  984,   1131,  1388,  2391,  4214,  4767,  4913,  6018, 7237,
                                   7674, 8032, 8377, 11042, 11735, 12322, 13279, 13829, 13934, 14102, 14335};
  summary_t summary = {.nearest = INFINITY};
  for (size_t k = 0; k < sizeof seeds / sizeof seeds[0]; ++k) {
    add(&summary, seeds[k]);
  }
  assert_int_equal(summary.failures, 0);
}

static void one_seed_gives_the_same_bytes_twice(void ** state)
{
  (void)state;
  uint64_t before = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    fw_controller_simulation_result_t first, second;
    const fw_controller_simulation_options_t options = {.seed = seed};
    assert_int_equal(fw__controller_simulation_run(&options, &first, NULL), FW_RET_OK);
    assert_int_equal(fw__controller_simulation_run(&options, &second, NULL), FW_RET_OK);
    assert_true(first.hash == second.hash && first.hash != before);
    before = first.hash;
  }
}

// A world without areas is the same whether or not others have some.
static void areas_change_no_other_world(void ** state)
{
  (void)state;
  int32_t same = 0, different = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    fw_controller_simulation_result_t with, without;
    const fw_controller_simulation_options_t options = {.seed = seed}, plain = {.seed = seed, .has_no_areas = true};
    assert_int_equal(fw__controller_simulation_run(&options, &with, NULL), FW_RET_OK);
    assert_int_equal(fw__controller_simulation_run(&plain, &without, NULL), FW_RET_OK);
    assert_int_equal(without.areas, 0);
    assert_int_equal(with.hash == without.hash, with.areas == 0);
    same += with.areas == 0 ? 1 : 0;
    different += with.areas > 0 ? 1 : 0;
  }
  assert_true(same > 0 && different > 0);
}

static int run_by_hand(int argc, char ** argv)
{
  if (strcmp(argv[1], "--seed") == 0 && argc == 3) {
    fw_controller_simulation_result_t result;
    const fw_controller_simulation_options_t options = {.seed = strtoull(argv[2], NULL, 10), .trace = print_line};
    const fw_ret_t ret = fw__controller_simulation_run(&options, &result, NULL);
    (void)printf(
      "%s\n%s, %d robots, %.0f s, %d goals left, hash %016" PRIx64 "\n",
      result.failure[0] == '\0' ? "everything held" : result.failure, result.planner, result.robots, result.seconds,
      result.goals_left, result.hash);
    return ret == FW_RET_OK && result.failure[0] == '\0' ? 0 : 1;
  }
  if (strcmp(argv[1], "--seeds") == 0 && argc == 4) {
    summary_t summary = {.nearest = INFINITY};
    const uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    for (uint64_t seed = first; seed < first + count; ++seed) {
      const int32_t judged = summary.judged;
      add(&summary, seed);
      if (summary.judged == judged) {
        (void)fprintf(stderr, "seed %" PRIu64 ": progress is not judged\n", seed);
      }
    }
    print_summary(&summary);
    return summary.failures == 0 ? 0 : 1;
  }
  (void)fprintf(stderr, "usage: %s [--seed N | --seeds FIRST COUNT]\n", argv[0]);
  return 2;
}

int main(int argc, char ** argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(seeds_that_found_faults_hold),
    cmocka_unit_test(one_seed_gives_the_same_bytes_twice),
    cmocka_unit_test(areas_change_no_other_world),
    cmocka_unit_test(invariants_hold_for_every_seed),
  };
  return argc > 1 ? run_by_hand(argc, argv) : TEST_RUN(tests);
}
