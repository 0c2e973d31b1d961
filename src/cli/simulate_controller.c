// The run of the fleet controller by a seed, its report and its page. See simulate_controller.h.

#include "cli/simulate_controller.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/common/output.h"
#include "simulation/controller_simulation.h"
#include "view/player.h"

enum { UNITS_PER_CELL = 100, UNITS_PER_SECOND = 20 };

static void print_line(void * context, const char * text)
{
  (void)context;
  (void)fprintf(stderr, "%s\n", text);
}

// ---- tracks for the page

static int64_t units(double cells) { return (int64_t)lround(cells * UNITS_PER_CELL); }
static int64_t time_units(double seconds) { return (int64_t)lround(seconds * UNITS_PER_SECOND); }

typedef struct page_t {
  fw_view_tracks_t tracks;
  fw_grid_t grid;  // a copy: that of the simulation ends with it
  uint8_t cost[FW_CONTROLLER_SIMULATION_SIDE_MAX * FW_CONTROLLER_SIMULATION_SIDE_MAX];
  uint16_t rules[FW_CONTROLLER_SIMULATION_SIDE_MAX * FW_CONTROLLER_SIMULATION_SIDE_MAX];
  int32_t robot_count;  // robots that were seen
} page_t;

static void take_world(void * context, const fw_grid_t * grid, double radius_cells)
{
  page_t * page = context;
  fw_view_tracks_t * tracks = &page->tracks;
  memcpy(page->cost, grid->cost, (size_t)fw_grid_cell_count(grid));
  memcpy(page->rules, grid->rules, (size_t)fw_grid_cell_count(grid) * sizeof *page->rules);
  page->grid = (fw_grid_t){.width = grid->width, .height = grid->height, .cost = page->cost, .rules = page->rules};
  tracks->grid = &page->grid;
  tracks->is_row_0_below = false;
  tracks->units_per_cell = UNITS_PER_CELL;
  tracks->seconds_per_unit = 1.0 / UNITS_PER_SECOND;
  tracks->radius_cells = radius_cells;
  tracks->tolerance = 2;
}

static void take_pose(void * context, int32_t robot, double seconds, fw_pose_t cells)
{
  page_t * page = context;
  page->robot_count = robot >= page->robot_count ? robot + 1 : page->robot_count;
  fw__tracks_add(
    &page->tracks, robot, (fw_view_sample_t){time_units(seconds), units(cells.point.x), units(cells.point.y), 0});
}

static void take_goal(void * context, int32_t robot, double seconds, fw_point_t cells)
{
  page_t * page = context;
  fw__tracks_add_goal(&page->tracks, robot, (fw_view_sample_t){time_units(seconds), units(cells.x), units(cells.y), 0});
}

static void take_arrival(void * context, int32_t robot, double seconds)
{
  page_t * page = context;
  fw__tracks_add_arrival(&page->tracks, time_units(seconds), robot);
}

static int write_page(
  const cli_controller_run_t * run, fw_view_tracks_t * tracks, const fw_controller_simulation_result_t * result)
{
  char title[160];
  (void)snprintf(
    title, sizeof title, "%s, seed %" PRIu64, run->map_name == NULL ? "fleet controller" : run->map_name, run->seed);
  fw_player_t player = {.title = title, .kind = "run", .scenes = {{.tracks = tracks}}, .scene_count = 1, .at = -1};
  fw__player_add_fact(&player.scenes[0], "Goals reached", "%" PRId64, result->goals_reached);
  fw__player_add_fact(&player.scenes[0], "Faults", "%" PRId64, result->faults);
  cli_output_t output = {0};
  fw_error_t error = {0};
  if (!cli_output_open(&output, run->out)) {
    return CLI_FAILURE;
  }
  fw_ret_t ret = fw__tracks_finish(tracks, &error);
  ret = ret == FW_RET_OK ? fw__player_write(&player, output.stream, &error) : ret;
  return cli_output_finish(&output, ret, &error);
}

// ---- report

static void print_json(const cli_controller_run_t * run, const fw_controller_simulation_result_t * result)
{
  cli_json_t json = {.stream = stdout};
  char hash[20];
  (void)snprintf(hash, sizeof hash, "%016" PRIx64, result->hash);
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "planner", result->planner);
  cli_json_text(&json, "map", run->map_name == NULL ? "" : run->map_name);
  cli_json_integer(&json, "seed", (int64_t)run->seed);
  cli_json_text(&json, "failure", result->failure);
  cli_json_integer(&json, "robots", result->robots);
  cli_json_integer(&json, "faults", result->faults);
  cli_json_integer(&json, "kills", result->kills);
  cli_json_integer(&json, "failed_allocations", result->heap_failures);
  cli_json_integer(&json, "goals_accepted", result->goals_accepted);
  cli_json_integer(&json, "goals_reached", result->goals_reached);
  cli_json_integer(&json, "goals_left", result->goals_left);
  cli_json_integer(&json, "solves", result->solves);
  cli_json_integer(&json, "releases", result->releases);
  cli_json_number(&json, "nearest_metres", isfinite(result->nearest) ? result->nearest : (double)NAN);
  cli_json_number(&json, "seconds", result->seconds);
  cli_json_text(&json, "hash", hash);
  cli_json_close(&json, '}');
  putchar('\n');
}

static void print_summary(const cli_controller_run_t * run, const fw_controller_simulation_result_t * result)
{
  printf(
    "%s: %d robot%s on %s, planner %s, seed %" PRIu64 "\n",
    result->failure[0] != '\0' ? "failed"
    : result->goals_left > 0   ? "goals are left"
                               : "all goals have ended",
    result->robots, result->robots == 1 ? "" : "s", run->map_name == NULL ? "a random map" : run->map_name,
    result->planner, run->seed);
  if (result->failure[0] != '\0') {
    printf("  %-18s %s\n", "what failed", result->failure);
  }
  printf(
    "  %-18s %" PRId64 " accepted, %" PRId64 " reached, %d left\n", "goals", result->goals_accepted,
    result->goals_reached, result->goals_left);
  printf(
    "  %-18s %" PRId64 " in the first part of %.0f simulated seconds; %" PRId64 " kills, %" PRId64
    " failed allocations\n",
    "faults", result->faults, result->seconds, result->kills, result->heap_failures);
  printf("  %-18s %" PRId64 " plans, %" PRId64 " releases\n", "controller", result->solves, result->releases);
  if (isfinite(result->nearest)) {
    printf("  %-18s %.3f m between discs\n", "minimum distance", result->nearest);
  }
}

int cli_controller_run(const cli_controller_run_t * run)
{
  fw_error_t error = {0};
  static page_t page;  // too large for the stack
  fw_view_tracks_t * tracks = &page.tracks;
  fw_controller_simulation_result_t result;
  const int32_t track_count = FW_CONTROLLER_SIMULATION_ROBOTS_MAX;  // robots may join
  if (run->out != NULL) {
    if (!cli_output_is_possible(run->out)) {
      return CLI_FAILURE;
    }
    const fw_allocator_t allocator = fw_allocator_default();
    if (fw__tracks_init(tracks, track_count, &allocator, &error) != FW_RET_OK) {
      return cli_error(CLI_FAILURE, "%s", error.text);
    }
  }
  const fw_simulation_observer_t observer = {take_world, take_pose, take_goal, take_arrival, &page};
  const fw_controller_simulation_options_t options = {
    .seed = run->seed,
    .fault_seconds = run->fault_seconds,
    .problem = run->problem,
    .planner = run->planner,
    .has_no_faults = run->has_no_faults,
    .has_no_areas = run->has_no_areas,
    .observer = run->out != NULL ? &observer : NULL,
    .trace = run->has_trace ? print_line : NULL,
  };
  const fw_ret_t ret = fw__controller_simulation_run(&options, &result, &error);
  int exit_code = CLI_SUCCESS;
  if (ret != FW_RET_OK) {
    exit_code = cli_error(ret == FW_RET_UNSUPPORTED ? CLI_USAGE : CLI_FAILURE, "%s", error.text);
  } else if (run->out != NULL) {
    tracks->robot_count = page.robot_count;  // the others were never there
    exit_code = write_page(run, tracks, &result);
    tracks->robot_count = track_count;
  }
  if (exit_code == CLI_SUCCESS) {
    (run->is_json ? print_json : print_summary)(run, &result);
    exit_code = result.failure[0] != '\0' || result.goals_left > 0 ? CLI_NOT_SOLVED : CLI_SUCCESS;
  }
  if (run->out != NULL) {
    fw__tracks_fini(tracks);
  }
  return exit_code;
}
