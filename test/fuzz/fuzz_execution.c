// The dependency graph with any reports: a plan of hca is executed, and bytes decide what robots report, cuts, splices,
// obstacles, holds and pauses. Releases never shrink unless they are withdrawn, waypoints are in their order, and the
// cells that are reserved for two robots are distinct.

#include "fleetweave/execution.h"
#include "fuzz/fuzz.h"

enum { CELLS_MAX = 512 };

typedef struct run_t {
  fuzz_world_t world;
  fw_execution_t execution;
  fw_planner_t planner;
  int32_t released[FUZZ_ROBOTS_MAX];
  double now;
} run_t;

static void check(run_t * run)
{
  const int32_t count = run->world.problem.robot_count;
  fw_cell_t cells[FUZZ_ROBOTS_MAX][CELLS_MAX];
  int32_t counts[FUZZ_ROBOTS_MAX] = {0};
  for (int32_t r = 0; r < count; ++r) {
    fw_execution_status_t status;
    fuzz_require(fw_execution_robot(&run->execution, r, &status, NULL) == FW_RET_OK, "a status");
    const bool is_ordered =
      status.reached <= status.stop_at && status.stop_at <= status.released && status.released <= status.end;
    fuzz_require(is_ordered || status.state == FW_EXECUTION_ABSENT, "waypoints are in their order");
    fuzz_require(status.released >= run->released[r], "a release never shrinks");
    run->released[r] = status.released;
    char text[128];
    fw_execution_describe(&run->execution, r, text, sizeof(text));
    counts[r] = fw_execution_held(&run->execution, r, cells[r], CELLS_MAX);
    fuzz_require(counts[r] <= CELLS_MAX, "few cells");
  }
  for (int32_t a = 0; a < count; ++a) {
    for (int32_t b = a + 1; b < count; ++b) {
      for (int32_t i = 0; i < counts[a]; ++i) {
        for (int32_t j = 0; j < counts[b]; ++j) {
          fuzz_require(cells[a][i] != cells[b][j], "no cell is reserved for two robots");
        }
      }
    }
  }
}

// Half of the reports are true: on the way to the end of the release.
static void report(run_t * run, fuzz_bytes_t * bytes)
{
  const int32_t robot = fuzz_below(bytes, FUZZ_ROBOTS_MAX);
  const uint8_t kind = fuzz_byte(bytes);
  run->now += (kind & 7) / 4.0;
  fw_execution_measure_t measure = {.time = run->now};
  fw_execution_status_t status;
  fw_execution_waypoint_t waypoint;
  if (
    (kind & 8) != 0 && fw_execution_robot(&run->execution, robot, &status, NULL) == FW_RET_OK &&
    fw_execution_waypoint(
      &run->execution, robot, status.reached + (status.stop_at > status.reached ? 1 : 0), &waypoint, NULL) ==
      FW_RET_OK) {
    measure.x = fw_grid_x(&run->world.grid, waypoint.cell);
    measure.y = fw_grid_y(&run->world.grid, waypoint.cell);
    measure.yaw = waypoint.heading * 0.78539816339744830962;
  } else {
    measure = (fw_execution_measure_t){
      (kind & 16) != 0 ? fuzz_double(bytes) : run->now, fuzz_double(bytes), fuzz_double(bytes), fuzz_double(bytes)};
  }
  (void)!fw_execution_report(&run->execution, robot, &measure, NULL);
}

// Plans anew from a cut to other goals.
static void replan(run_t * run, fuzz_bytes_t * bytes)
{
  fw_execution_cut_t cut;
  if (fw_execution_cut(&run->execution, fuzz_byte(bytes) / 16.0, &cut, NULL) != FW_RET_OK) {
    return;
  }
  fw_robot_t robots[FUZZ_ROBOTS_MAX];
  int32_t numbers[FUZZ_ROBOTS_MAX];
  for (int32_t k = 0; k < cut.count; ++k) {
    const fw_execution_end_t * end = &cut.ends[k];
    robots[k] = run->world.robots[end->robot];
    robots[k].start = end->cell;
    robots[k].heading = end->heading;
    robots[k].arrives = 0;
    robots[k].goal = fuzz_below(bytes, fw_grid_cell_count(&run->world.grid));
    numbers[k] = end->robot;
  }
  fw_problem_t problem = run->world.problem;
  problem.robots = robots;
  problem.robot_count = cut.count;
  problem.closure_count = 0;
  fw_plan_t plan;
  const bool is_kept = (fuzz_byte(bytes) & 7) == 0;
  if (
    is_kept ||
    fw_planner_solve(&run->planner, &problem, &(fw_budget_t){.expansions_max = 500}, &plan, NULL) != FW_RET_OK) {
    fw_execution_uncut(&run->execution);
    return;
  }
  const fw_execution_splice_t splice = {.problem = &problem, .plan = &plan, .robots = numbers, .time = run->now};
  if (fw_execution_splice(&run->execution, &splice, NULL) != FW_RET_OK) {
    fw_execution_uncut(&run->execution);
  }
}

static void step(run_t * run, fuzz_bytes_t * bytes)
{
  const int32_t robot = fuzz_below(bytes, FUZZ_ROBOTS_MAX + 1) - 1;
  fw_cell_t cells[3];
  int32_t count = 0;
  switch (fuzz_below(bytes, 12)) {
    case 0:
      replan(run, bytes);
      break;
    case 1:
      for (; count < 3; ++count) {
        cells[count] = fuzz_below(bytes, 80) - 8;
      }
      (void)!fw_execution_set_obstacles(&run->execution, cells, fuzz_below(bytes, 4), NULL);
      break;
    case 2:
      fw_execution_hold(&run->execution, robot, (fuzz_byte(bytes) & 1) != 0);
      break;
    case 3:
      if ((fuzz_byte(bytes) & 1) != 0) {
        fw_execution_pause(&run->execution);
      } else {
        fw_execution_resume(&run->execution);
      }
      break;
    case 4:
      fw_execution_set_pace(&run->execution, robot, fuzz_double(bytes));
      break;
    case 5:
      run->now += fuzz_byte(bytes) / 8.0;
      fw_execution_update(&run->execution, run->now);
      break;
    default:
      report(run, bytes);
  }
  (void)fw_execution_changed(&run->execution, &count);
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  fuzz_bytes_t bytes = {.data = data, .size = size};
  run_t run = {0};
  fw_plan_t plan;
  fuzz_world(&run.world, &bytes);
  run.world.problem.robust_ticks = 1;
  run.world.problem.horizon = 0;
  fuzz_require(fw_execution_init(&run.execution, NULL, NULL) == FW_RET_OK, "an execution");
  fuzz_require(fw_planner_init(&run.planner, "hca", NULL, NULL) == FW_RET_OK, "a planner");
  const fw_execution_splice_t splice = {.problem = &run.world.problem, .plan = &plan};
  if (
    run.world.problem.robot_count > 0 &&
    fw_planner_solve(&run.planner, &run.world.problem, &(fw_budget_t){.expansions_max = 500}, &plan, NULL) ==
      FW_RET_OK &&
    fw_execution_splice(&run.execution, &splice, NULL) == FW_RET_OK) {
    for (int32_t k = 0; k < 200 && fuzz_has_more(&bytes); ++k) {
      step(&run, &bytes);
      check(&run);
    }
  }
  fw_planner_fini(&run.planner);
  fw_execution_fini(&run.execution);
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  // 8 x 8 cells, kind, rows of floor, three robots (start, goal, kind), then steps.
  uint8_t drive[240] = {7, 7, 0, 0, 0, 0x18, 0, 0, 0, 0, 0x18, 3, 0, 63, 0, 63, 0, 0, 7, 56, 0};
  for (size_t k = 21; k + 4 < sizeof(drive); k += 4) {
    drive[k] = (uint8_t)k;
    drive[k + 1] = k % 28 == 21 ? 0 : 9;  // a new plan now and then, reports else
    drive[k + 2] = (uint8_t)(k / 4);
    drive[k + 3] = 12;
  }
  add(context, drive, sizeof(drive));
  drive[2] = 32;
  drive[16] = 135;
  add(context, drive, sizeof(drive));
}
