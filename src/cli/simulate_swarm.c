// `fleetweave simulate --swarm`: robots get a new random goal whenever they arrive, and every tick is timed and checked
// for collisions, on the true map, by code that shares nothing with the step that avoids them.

#include "cli/simulate_swarm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "cli/cli.h"
#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/common/progress.h"
#include "fleetweave/swarm.h"
#include "world/hidden.h"

// An obstacle that wanders about.
typedef struct mover_t {
  fw_cell_t cell;
  int32_t heading;  // 0 to 3
} mover_t;

typedef struct drive_t {
  const cli_swarm_run_t * run;
  fw_swarm_t swarm;
  fw_rng_t rng;
  int32_t * component;  // by cell, from 1; 0 blocked
  fw_cell_t * queue;    // by cell
  int32_t * robot_at;   // by cell: the robot there before the tick, -1 for none
  int32_t * next_at;    // and after it
  fw_cell_t * cells;    // by robot
  uint8_t * known;      // by cell: the map that robots know at first
  int32_t hidden;       // obstacles that they do not know at first
  uint8_t * truth;      // by cell: the map with the obstacles that move, 0 where there is one
  mover_t * movers;
  double * tick_ms;  // by tick
  double * cpu_ms;   // by tick: processor time of all threads
  int32_t ticks;     // that were driven
  int64_t goals;
  int64_t moves;
  int64_t collisions;  // between robots
  int64_t hits;        // of robots with obstacles
} drive_t;

// ---- goals ----------------------------------------------------------------------------------------------------------

// Components by moves along rows and columns, which diagonal moves cannot leave.
static void label_components(drive_t * drive)
{
  static const int32_t dx[4] = {1, 0, -1, 0}, dy[4] = {0, 1, 0, -1};
  const fw_grid_t * grid = drive->run->problem->grid;
  int32_t number = 0;
  for (fw_cell_t first = 0; first < fw_grid_cell_count(grid); ++first) {
    if (grid->cost[first] == 0 || drive->component[first] != 0) {
      continue;
    }
    int32_t count = 1;
    drive->queue[0] = first;
    drive->component[first] = ++number;
    for (int32_t at = 0; at < count; ++at) {
      const int32_t x = fw_grid_x(grid, drive->queue[at]), y = fw_grid_y(grid, drive->queue[at]);
      for (int32_t i = 0; i < 4; ++i) {
        if (!fw_grid_is_free(grid, x + dx[i], y + dy[i])) {
          continue;
        }
        const fw_cell_t to = fw_grid_cell(grid, x + dx[i], y + dy[i]);
        if (drive->component[to] == 0) {
          drive->component[to] = number;
          drive->queue[count++] = to;
        }
      }
    }
  }
}

// A random cell that the robot can reach; its own after 1000 draws.
static fw_cell_t draw_goal(drive_t * drive, fw_cell_t from)
{
  const int32_t cells = fw_grid_cell_count(drive->run->problem->grid);
  for (int32_t i = 0; i < 1000; ++i) {
    const fw_cell_t cell = fw__rng_below(&drive->rng, cells);
    if (drive->component[cell] == drive->component[from]) {
      return cell;
    }
  }
  return from;
}

// ---- obstacles that move --------------------------------------------------------------------------------------------

// Whether an obstacle may be on the cell: it is free, and no other obstacle and no robot is there.
static bool has_room(const drive_t * drive, int32_t x, int32_t y)
{
  const fw_grid_t * grid = drive->run->problem->grid;
  const bool is_inside = x >= 0 && y >= 0 && x < grid->width && y < grid->height;
  return is_inside && drive->truth[y * grid->width + x] != 0 && drive->robot_at[y * grid->width + x] < 0;
}

static int set_mover(drive_t * drive, fw_cell_t cell, bool is_there)
{
  fw_error_t error = {0};
  drive->truth[cell] = is_there ? 0 : drive->run->problem->grid->cost[cell];
  const fw_ret_t ret = fw_swarm_set_obstacle(&drive->swarm, cell, is_there, &error);
  return ret == FW_RET_OK ? CLI_SUCCESS : cli_error(CLI_FAILURE, "%s", error.text);
}

// On random cells.
static int place_movers(drive_t * drive)
{
  const fw_grid_t * grid = drive->run->problem->grid;
  int exit_code = CLI_SUCCESS;
  for (int32_t i = 0; i < drive->run->moving && exit_code == CLI_SUCCESS; ++i) {
    fw_cell_t cell = fw__rng_below(&drive->rng, fw_grid_cell_count(grid));
    int32_t tries = 0;
    for (; tries < 10000 && !has_room(drive, fw_grid_x(grid, cell), fw_grid_y(grid, cell)); ++tries) {
      cell = fw__rng_below(&drive->rng, fw_grid_cell_count(grid));
    }
    if (tries == 10000) {
      return cli_error(CLI_FAILURE, "there is no room for %d moving obstacles on this map", drive->run->moving);
    }
    drive->movers[i] = (mover_t){.cell = cell, .heading = fw__rng_below(&drive->rng, 4)};
    exit_code = set_mover(drive, cell, true);
  }
  return exit_code;
}

// Before the robots of a tick: each goes on in its direction, if there is room, and turns from time to time.
static int move_movers(drive_t * drive)
{
  static const int32_t dx[4] = {1, 0, -1, 0}, dy[4] = {0, 1, 0, -1};
  const fw_grid_t * grid = drive->run->problem->grid;
  int exit_code = CLI_SUCCESS;
  for (int32_t i = 0; i < drive->run->moving && exit_code == CLI_SUCCESS; ++i) {
    mover_t * mover = &drive->movers[i];
    const int32_t x = fw_grid_x(grid, mover->cell) + dx[mover->heading];
    const int32_t y = fw_grid_y(grid, mover->cell) + dy[mover->heading];
    if (!has_room(drive, x, y) || fw__rng_below(&drive->rng, 8) == 0) {
      mover->heading = fw__rng_below(&drive->rng, 4);
      continue;
    }
    exit_code = set_mover(drive, mover->cell, false);
    mover->cell = fw_grid_cell(grid, x, y);
    exit_code = exit_code == CLI_SUCCESS ? set_mover(drive, mover->cell, true) : exit_code;
  }
  return exit_code;
}

// ---- ticks ----------------------------------------------------------------------------------------------------------

// A move to or diagonally past an obstacle of the true map, with those that move, which stay where they are while
// robots move; and an obstacle on a robot.
static void count_hits(drive_t * drive)
{
  const fw_grid_t truth = {
    .width = drive->run->problem->grid->width, .height = drive->run->problem->grid->height, .cost = drive->truth};
  const fw_grid_t * grid = &truth;
  for (int32_t r = 0; r < drive->run->problem->robot_count; ++r) {
    const fw_cell_t from = drive->cells[r], to = fw_swarm_robot(&drive->swarm, r).cell;
    const int32_t x = fw_grid_x(grid, to), y = fw_grid_y(grid, to);
    const bool is_free = fw_grid_is_free(grid, x, y) && fw_grid_is_free(grid, x, fw_grid_y(grid, from)) &&
                         fw_grid_is_free(grid, fw_grid_x(grid, from), y);
    drive->hits += !is_free || !fw_grid_is_free(grid, fw_grid_x(grid, from), fw_grid_y(grid, from)) ? 1 : 0;
  }
}

// Two robots on a cell, two that change places, and two whose diagonals cross.
static void count_collisions(drive_t * drive)
{
  const fw_problem_t * problem = drive->run->problem;
  const int32_t width = problem->grid->width;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_cell_t to = fw_swarm_robot(&drive->swarm, r).cell;
    drive->collisions += drive->next_at[to] >= 0 ? 1 : 0;
    drive->next_at[to] = r;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_cell_t from = drive->cells[r], to = fw_swarm_robot(&drive->swarm, r).cell;
    const int32_t other = drive->robot_at[to];
    drive->moves += from != to ? 1 : 0;
    drive->collisions += from != to && other >= 0 && drive->next_at[from] == other ? 1 : 0;
    const int32_t across = to % width - from % width, down = (to / width - from / width) * width;
    if (across != 0 && down != 0) {
      const int32_t beside = drive->robot_at[from + across];
      drive->collisions += beside >= 0 && drive->next_at[from + down] == beside ? 1 : 0;
    }
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    drive->robot_at[drive->cells[r]] = -1;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    drive->cells[r] = fw_swarm_robot(&drive->swarm, r).cell;
    drive->next_at[drive->cells[r]] = -1;
    drive->robot_at[drive->cells[r]] = r;
  }
}

static double cpu_seconds(void)
{
  struct timespec time = {0};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// A tick is timed with the new goals that robots get before it.
static int run_tick(drive_t * drive, int32_t tick)
{
  fw_error_t error = {0};
  const int moved = move_movers(drive);
  if (moved != CLI_SUCCESS) {
    return moved;
  }
  const double begin_cpu_s = cpu_seconds();
  const int64_t begin_ns = fw_clock_now_ns();
  for (int32_t r = 0; r < drive->run->problem->robot_count; ++r) {
    const fw_swarm_robot_t robot = fw_swarm_robot(&drive->swarm, r);
    if (robot.has_arrived) {
      fw_swarm_set_goal(&drive->swarm, r, draw_goal(drive, robot.cell));
      drive->goals += tick > 0 ? 1 : 0;
    }
  }
  if (fw_swarm_tick(&drive->swarm, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  drive->tick_ms[tick] = (double)(fw_clock_now_ns() - begin_ns) / 1e6;
  drive->cpu_ms[tick] = (cpu_seconds() - begin_cpu_s) * 1e3;
  count_hits(drive);
  count_collisions(drive);
  return CLI_SUCCESS;
}

// ---- output ---------------------------------------------------------------------------------------------------------

static int compare_numbers(const void * one, const void * other)
{
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

// The value below which `share` of the ticks are, of an array that is sorted.
static double tick_at(const drive_t * drive, const double * sorted, double share)
{
  const int32_t last = drive->ticks - 1;
  return sorted[(int32_t)(share * last + 0.5)];
}

static double mean_of(const drive_t * drive, const double * values)
{
  double sum = 0;
  for (int32_t i = 0; i < drive->ticks; ++i) {
    sum += values[i];
  }
  return sum / drive->ticks;
}

// Hidden obstacles that robots know by now.
static int32_t count_discovered(const drive_t * drive)
{
  const fw_grid_t known = fw_swarm_known(&drive->swarm);
  int32_t count = drive->hidden;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&known); ++cell) {
    count -= drive->run->problem->grid->cost[cell] == 0 && known.cost[cell] != 0 ? 1 : 0;
  }
  return count;
}

static void print_text(const drive_t * drive)
{
  const cli_swarm_run_t * run = drive->run;
  const fw_batch_stats_t stats = fw_swarm_stats(&drive->swarm);
  printf(
    "%s: %d robot%s on %s, %d ticks, %d thread%s\n",
    drive->collisions + drive->hits == 0 ? "no collision" : "COLLISIONS", run->problem->robot_count,
    run->problem->robot_count == 1 ? "" : "s", run->map_name, drive->ticks, run->threads, run->threads == 1 ? "" : "s");
  printf(
    "  a tick             %.2f ms in the median, %.2f ms at the 99th percentile, %.2f ms at most\n",
    tick_at(drive, drive->tick_ms, 0.5), tick_at(drive, drive->tick_ms, 0.99), tick_at(drive, drive->tick_ms, 1.0));
  printf(
    "  CPU time per tick  %.2f ms in the mean, %.2f ms at the 99th percentile, %.2f ms at most\n",
    mean_of(drive, drive->cpu_ms), tick_at(drive, drive->cpu_ms, 0.99), tick_at(drive, drive->cpu_ms, 1.0));
  printf("  goals reached      %lld\n", (long long)drive->goals);
  printf("  moves per tick     %.1f\n", (double)drive->moves / drive->ticks);
  printf("  collisions         %lld\n", (long long)drive->collisions);
  if (run->hidden > 0 || run->moving > 0) {
    printf("  obstacles hit      %lld\n", (long long)drive->hits);
  }
  if (run->moving > 0) {
    printf("  moving obstacles   %d\n", run->moving);
  }
  if (run->hidden > 0) {
    printf("  hidden obstacles   %d, of which %d were discovered\n", drive->hidden, count_discovered(drive));
  }
  printf("  memory             %.1f MB\n", (double)stats.memory_bytes / 1e6);
}

static void print_json(const drive_t * drive)
{
  const cli_swarm_run_t * run = drive->run;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "map", run->map_name);
  cli_json_integer(&json, "robots", run->problem->robot_count);
  cli_json_integer(&json, "ticks", drive->ticks);
  cli_json_integer(&json, "threads", run->threads);
  cli_json_number(&json, "tick_median_ms", tick_at(drive, drive->tick_ms, 0.5));
  cli_json_number(&json, "tick_99_ms", tick_at(drive, drive->tick_ms, 0.99));
  cli_json_number(&json, "tick_most_ms", tick_at(drive, drive->tick_ms, 1.0));
  cli_json_number(&json, "cpu_ms_per_tick", mean_of(drive, drive->cpu_ms));
  cli_json_number(&json, "cpu_99_ms", tick_at(drive, drive->cpu_ms, 0.99));
  cli_json_number(&json, "cpu_most_ms", tick_at(drive, drive->cpu_ms, 1.0));
  cli_json_integer(&json, "goals", drive->goals);
  cli_json_integer(&json, "moves", drive->moves);
  cli_json_integer(&json, "collisions", drive->collisions);
  cli_json_integer(&json, "obstacles_hit", drive->hits);
  cli_json_integer(&json, "hidden", drive->hidden);
  cli_json_integer(&json, "discovered", count_discovered(drive));
  cli_json_integer(&json, "moving", run->moving);
  cli_json_integer(&json, "memory_bytes", (int64_t)fw_swarm_stats(&drive->swarm).memory_bytes);
  cli_json_close(&json, '}');
}

// ---- run ------------------------------------------------------------------------------------------------------------

static int drive_all(drive_t * drive)
{
  const fw_problem_t * problem = drive->run->problem;
  int exit_code = CLI_SUCCESS;
  label_components(drive);
  memset(drive->robot_at, 0xff, (size_t)fw_grid_cell_count(problem->grid) * sizeof(*drive->robot_at));
  memset(drive->next_at, 0xff, (size_t)fw_grid_cell_count(problem->grid) * sizeof(*drive->next_at));
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    drive->cells[r] = problem->robots[r].start;
    drive->robot_at[drive->cells[r]] = r;
  }
  memcpy(drive->truth, problem->grid->cost, (size_t)fw_grid_cell_count(problem->grid));
  exit_code = place_movers(drive);
  cli_progress_t progress = {0};
  cli_progress_start(&progress);
  for (; drive->ticks < drive->run->ticks && exit_code == CLI_SUCCESS; ++drive->ticks) {
    snprintf(progress.label, sizeof(progress.label), "tick %d of %d", drive->ticks + 1, drive->run->ticks);
    if (cli_progress_is_cancelled(&progress)) {
      break;
    }
    exit_code = run_tick(drive, drive->ticks);
  }
  cli_progress_clear();
  if (exit_code == CLI_SUCCESS && drive->ticks == 0) {
    exit_code = cli_error(CLI_NOT_SOLVED, "interrupted");
  }
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  qsort(drive->tick_ms, (size_t)drive->ticks, sizeof(*drive->tick_ms), compare_numbers);
  qsort(drive->cpu_ms, (size_t)drive->ticks, sizeof(*drive->cpu_ms), compare_numbers);
  if (drive->run->is_json) {
    print_json(drive);
  } else {
    print_text(drive);
  }
  return drive->collisions + drive->hits == 0 && drive->ticks == drive->run->ticks ? CLI_SUCCESS : CLI_NOT_SOLVED;
}

int cli_swarm_run(const cli_swarm_run_t * run)
{
  const size_t cells = (size_t)fw_grid_cell_count(run->problem->grid);
  fw_error_t error = {0};
  fw_swarm_options_t options = fw_swarm_options_default();
  options.seed = run->seed;
  options.threads = run->threads;
  options.memory = run->has_window ? FW_MEMORY_WINDOW : FW_MEMORY_REGIONS;
  drive_t drive = {
    .run = run,
    .rng = fw__rng(run->seed),
    .component = calloc(cells, sizeof(*drive.component)),
    .queue = calloc(cells, sizeof(*drive.queue)),
    .robot_at = calloc(cells, sizeof(*drive.robot_at)),
    .next_at = calloc(cells, sizeof(*drive.next_at)),
    .cells = calloc((size_t)run->problem->robot_count + 1, sizeof(*drive.cells)),
    .known = calloc(cells, sizeof(*drive.known)),
    .truth = calloc(cells, sizeof(*drive.truth)),
    .movers = calloc((size_t)run->moving + 1, sizeof(*drive.movers)),
    .tick_ms = calloc((size_t)run->ticks, sizeof(*drive.tick_ms)),
    .cpu_ms = calloc((size_t)run->ticks, sizeof(*drive.cpu_ms)),
  };
  const bool has_memory = drive.component != NULL && drive.queue != NULL && drive.robot_at != NULL &&
                          drive.next_at != NULL && drive.cells != NULL && drive.known != NULL && drive.truth != NULL &&
                          drive.movers != NULL && drive.tick_ms != NULL && drive.cpu_ms != NULL;
  int exit_code = has_memory ? CLI_SUCCESS : cli_error(CLI_FAILURE, "out of memory");
  const fw_grid_t known = {
    .width = run->problem->grid->width, .height = run->problem->grid->height, .cost = drive.known};
  if (exit_code == CLI_SUCCESS && run->hidden > 0) {
    drive.hidden = fw__hide_obstacles(run->problem->grid, run->hidden, run->seed, drive.known);
    options.known = &known;
  }
  options.sight = run->hidden > 0 || run->moving > 0 ? run->sight : 0;
  if (exit_code == CLI_SUCCESS && fw_swarm_init(&drive.swarm, run->problem, &options, &error) != FW_RET_OK) {
    exit_code = cli_error(CLI_FAILURE, "%s", error.text);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = drive_all(&drive);
  }
  fw_swarm_fini(&drive.swarm);
  free(drive.component);
  free(drive.queue);
  free(drive.robot_at);
  free(drive.next_at);
  free(drive.cells);
  free(drive.known);
  free(drive.truth);
  free(drive.movers);
  free(drive.tick_ms);
  free(drive.cpu_ms);
  return exit_code;
}
