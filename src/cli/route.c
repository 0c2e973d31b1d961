// `fleetweave route`: ways for one robot alone, by any search.

#include "cli/route.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/common/words.h"

#define AT(member) offsetof(cli_route_command_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t end_options[] = {
  {.name = "from", .kind = CLI_TEXT, .offset = AT(route.from), .value = "X,Y", .help = "one question: from this cell"},
  {.name = "to", .kind = CLI_TEXT, .offset = AT(route.to), .value = "X,Y", .help = "to this one"},
};
static const cli_option_t search_options[] = {
  {.name = "search",
   .letter = 's',
   .kind = CLI_TEXT,
   .offset = AT(search),
   .value = "NAME",
   .help = "see --list (default: astar)"},
  {.name = "list",
   .kind = CLI_FLAG,
   .offset = AT(is_list),
   .help = "list the searches and their parameters, and do nothing else"},
  {.name = "corners",
   .kind = CLI_FLAG,
   .offset = AT(finds_corners),
   .help = "any-angle: shorten each way along lines of sight, too"},
};
static const cli_option_t output_options[] = {
  {.name = "out",
   .letter = 'o',
   .kind = CLI_TEXT,
   .offset = AT(out),
   .value = "FILE",
   .help = "a picture (.svg) with the cells searched and what the search has built, or\n"
           "for one question on square tiles a plan (any other name)"},
  {.name = "title",
   .kind = CLI_TEXT,
   .offset = AT(title),
   .value = "TEXT",
   .help = "of the picture (default: the search and the map)"},
  {.name = "json",
   .kind = CLI_FLAG,
   .offset = AT(is_json),
   .help = "one JSON object on stdout, with the cells of each way"},
};
// clang-format on

static int write_plan(cli_route_run_t * run, const cli_question_t * question, const fw_route_t * route)
{
  fw_error_t error = {0};
  const fw_robot_t robot = {
    .start = question->ends[0],
    .goal = question->ends[1],
    .footprint = run->router_options.footprint,
    .footprint_count = run->router_options.footprint_count,
  };
  const fw_problem_t problem = {
    .grid = &run->instance.grid,
    .robots = &robot,
    .robot_count = 1,
    .connectivity = run->router_options.connectivity,
  };
  const fw_path_t path = {.cells = route->cells, .length = route->length};
  const fw_plan_t plan = {
    .outcome = FW_OUTCOME_SOLVED,
    .safe_until = FW_TICK_MAX,
    .paths = &path,
    .robot_count = 1,
    .stats = {.sum_of_costs = route->length - 1, .makespan = route->length - 1},
  };
  const fw_ret_t ret =
    fw_plan_write(&problem, &plan, run->instance.map_name, run->options->search, run->output.stream, &error);
  return ret == FW_RET_OK ? CLI_SOLVED : cli_say(CLI_FAILURE, "%s: %s", run->options->out, error.text);
}

static bool is_picture(const cli_route_command_t * options)
{
  const size_t length = options->out != NULL ? strlen(options->out) : 0;
  return length >= 4 && strcmp(options->out + length - 4, ".svg") == 0;
}

// One question, and what is asked for about it.
static int answer(cli_route_run_t * run, const cli_question_t * question)
{
  fw_route_t route;
  fw_error_t error = {0};
  const fw_budget_t budget = {.expansions_max = run->options->route.expansions};
  const int64_t start_ns = fw_clock_now_ns();
  const fw_ret_t ret = fw_router_find(&run->router, question->ends[0], question->ends[1], &budget, &route, &error);
  const int64_t elapsed_ns = fw_clock_now_ns() - start_ns;
  if (ret != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  if (
    route.length > 0 &&
    fw_route_check(&route, &run->instance.grid, &run->router_options, question->ends, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "search %s: %s", run->options->search, error.text);
  }
  run->solved += route.length > 0;
  run->given_up += route.stop != FW_STOP_DONE;
  run->without_way += route.length == 0 && route.stop == FW_STOP_DONE;
  run->expanded += route.expanded;
  run->elapsed_ns += elapsed_ns;
  run->length += route.length > 0 ? cli_route_length(&route) : 0.0;
  if (run->picture.stream != NULL) {
    cli_picture_put_route(&run->picture, &route);
  } else if (run->output.stream != NULL && route.length > 0) {
    const int exit_code = write_plan(run, question, &route);
    if (exit_code != CLI_SOLVED) {
      return exit_code;
    }
  }
  if (run->options->is_json) {
    cli_route_write_one(run, question, &route, elapsed_ns);
  } else if (run->questions.count == 1) {
    cli_route_print_one(run, &route, elapsed_ns);
  }
  return CLI_SOLVED;
}

static int open_output(cli_route_run_t * run)
{
  const cli_route_command_t * options = run->options;
  if (options->out == NULL) {
    return CLI_SOLVED;
  }
  if (!is_picture(options) && (run->questions.count != 1 || run->router_options.connectivity == 6)) {
    return cli_say(CLI_USAGE, "a plan is for one question on square tiles; name a picture, such as -o routes.svg");
  }
  if (!cli_output_open(&run->output, options->out)) {
    return CLI_FAILURE;
  }
  if (is_picture(options)) {
    char words[256];
    const fw_router_stats_t stats = fw_router_stats(&run->router);
    const bool is_built = fw_router_def_find(options->search)->has_abstraction;
    snprintf(
      words, sizeof(words), "%s on %s%s%d nodes, %d question%s", options->search, run->instance.map_name,
      is_built ? ", built: " : ", ", stats.node_count, run->questions.count, run->questions.count == 1 ? "" : "s");
    run->picture = (cli_picture_t){
      .grid = &run->instance.grid,
      .is_hexagonal = run->router_options.connectivity == 6,
      .title = options->title != NULL ? options->title : options->search,
      .stream = run->output.stream,
    };
    cli_picture_open(&run->picture, words);
    cli_picture_put_shapes(&run->picture, &run->router);
  }
  return CLI_SOLVED;
}

static int answer_all(cli_route_run_t * run)
{
  const cli_route_command_t * options = run->options;
  fw_error_t error = {0};
  int exit_code = cli_route_open(&run->router, options->search, &options->route, &run->router_options, NULL);
  if (exit_code == CLI_SOLVED && fw_router_build(&run->router, &run->instance.grid, &error) != FW_RET_OK) {
    exit_code = cli_say(CLI_FAILURE, "%s", error.text);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = open_output(run);
  }
  if (exit_code == CLI_SOLVED && options->is_json) {
    cli_route_open_json(run);
  }
  for (int32_t i = 0; i < run->questions.count && exit_code == CLI_SOLVED; i++) {
    exit_code = answer(run, &run->questions.items[i]);
  }
  if (exit_code != CLI_SOLVED) {
    return exit_code;
  }
  if (options->is_json) {
    cli_route_close_json(run);
  } else if (run->questions.count > 1) {
    cli_route_print_sums(run);
  }
  if (run->picture.stream != NULL) {
    cli_picture_close(&run->picture);
  }
  if (run->output.stream != NULL && run->solved > 0 && !cli_output_commit(&run->output)) {
    return CLI_FAILURE;
  }
  return run->solved == run->questions.count ? CLI_SOLVED : CLI_NOT_SOLVED;
}

static int route(const cli_route_command_t * options)
{
  static cli_route_run_t run;  // a footprint is large; a program routes once
  run = (cli_route_run_t){.options = options};
  int exit_code = cli_route_check_names(&options->route, &options->search, 1);
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_route_read_options(&options->route, run.cells, &run.router_options);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_instance_load_grid(&run.instance, &options->route.instance);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_questions_load(&run.questions, &run.instance, &options->route);
  }
  if (exit_code == CLI_SOLVED) {
    run.router_options.finds_corners = options->finds_corners;
    run.router_options.notes_touched = is_picture(options);
    exit_code = answer_all(&run);
  }
  cli_output_discard(&run.output);
  fw_router_fini(&run.router);
  cli_questions_free(&run.questions);
  cli_instance_fini(&run.instance);
  return exit_code;
}

static int run_command(int argument_count, char ** arguments)
{
  cli_route_command_t options = {.route = cli_route_options_default(), .search = "astar"};
  const cli_group_t groups[] = {
    {"Map", cli_map_options, CLI_MAP_OPTION_COUNT, &options.route.instance},
    {"Questions", end_options, 2, &options},
    {"Many questions", cli_question_options, CLI_QUESTION_OPTION_COUNT, &options.route},
    {"Rules of motion", cli_motion_options, CLI_MOTION_OPTION_COUNT, &options.route},
    {"Search", search_options, 3, &options},
    {"Search's limits and parameters", cli_search_options, CLI_SEARCH_OPTION_COUNT, &options.route},
    {"Output", output_options, 3, &options},
  };
  const cli_manual_t manual = {
    .name = "route",
    .usage = "(--map FILE | --make LINE) (--from X,Y --to X,Y | [--scen FILE] [--queries N]) [--search NAME]",
    .about =
      "Finds ways for one robot alone on a map, by any of the searches of --list: on cells (A*, jump points, ...),\n"
      "on clusters of them (hpa), or on another picture of the floor (quadtree, navmesh, visibility, corridors,\n"
      "waypoints). Every way is checked: a move at a time, all on free cells. Without --from and --scen the\n"
      "question is a random one.",
    .groups = groups,
    .group_count = (int32_t)(sizeof(groups) / sizeof(groups[0])),
    .examples =
      "  fleetweave route --list\n"
      "  fleetweave route --map hall.map --from 3,17 --to 120,9 --search jps\n"
      "  fleetweave route --map hall.map --scen hall.scen --search hpa --json\n"
      "  fleetweave route --make rooms:64x64,room=9 --seed 3 --search navmesh --corners -o way.svg\n"
      "  fleetweave route --make random:40x30,obstacles=25 --connectivity 6 --search astar -o tiles.svg\n"
      "  fleetweave route --map hall.map --from 3,17 --to 120,9 --footprint 2x2 --clearance 1 -o plan.txt",
    .exit_codes = "0 a way for every question, 1 not for all, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  if (options.is_list) {
    cli_route_print_list();
    return CLI_SOLVED;
  }
  return route(&options);
}

const cli_command_t cli_command_route = {
  .name = "route",
  .summary = "find ways for one robot alone, by any search",
  .run = run_command,
};
