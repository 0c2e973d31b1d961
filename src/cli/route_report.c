// The answers of `fleetweave route` in words and as JSON.

#include <math.h>
#include <stdio.h>

#include "cli/route.h"
#include "cli/common/words.h"

void cli_route_print_list(void)
{
  for (int32_t i = 0; i < fw_router_def_count(); i++) {
    const fw_router_def_t * def = fw_router_def_at(i);
    printf("%s: %s\n  %s\n", def->name, def->summary, def->paper);
    printf(
      "  %s%s%s\n", def->is_optimal ? "shortest ways" : "ways need not be shortest",
      def->takes_terrain ? "" : "; floor of cost 1 only", def->takes_hexagons ? "; hexagons too" : "");
    for (int32_t k = 0; k < def->parameter_count; k++) {
      char initial[64];
      fw_parameter_format(&def->parameters[k], def->parameters[k].initial, initial, sizeof(initial));
      printf("    %-12s %s (default: %s)\n", def->parameters[k].name, def->parameters[k].help, initial);
    }
  }
}

double cli_route_length(const fw_route_t * route) { return (double)route->cost / route->unit; }

static double sight_length(const fw_grid_t * grid, const fw_route_t * route)
{
  double length = 0.0;
  for (int32_t i = 1; i < route->corner_count; i++) {
    const double dx = fw_grid_x(grid, route->corners[i]) - fw_grid_x(grid, route->corners[i - 1]);
    const double dy = fw_grid_y(grid, route->corners[i]) - fw_grid_y(grid, route->corners[i - 1]);
    length += hypot(dx, dy);
  }
  return length;
}

static void write_cells(
  cli_json_t * json, const char * key, const fw_grid_t * grid, const fw_cell_t * cells, int32_t count)
{
  cli_json_open(json, key, '[');
  for (int32_t i = 0; i < count; i++) {
    cli_json_open(json, NULL, '[');
    cli_json_integer(json, NULL, fw_grid_x(grid, cells[i]));
    cli_json_integer(json, NULL, fw_grid_y(grid, cells[i]));
    cli_json_close(json, ']');
  }
  cli_json_close(json, ']');
}

void cli_route_write_one(
  cli_route_run_t * run, const cli_question_t * question, const fw_route_t * route, int64_t elapsed_ns)
{
  cli_json_t * json = &run->json;
  const fw_grid_t * grid = &run->instance.grid;
  cli_json_open(json, NULL, '{');
  write_cells(json, "ends", grid, question->ends, 2);
  cli_json_text(json, "stop", fw_stop_name(route->stop));
  cli_json_number(json, "length", route->length > 0 ? cli_route_length(route) : NAN);
  cli_json_number(json, "scen_length", question->length >= 0.0 ? question->length : NAN);
  cli_json_integer(json, "diagonals", route->diagonals);
  cli_json_integer(json, "expanded", route->expanded);
  cli_json_integer(json, "memory_bytes", (int64_t)route->memory_bytes);
  cli_json_number(json, "elapsed_us", (double)elapsed_ns / 1e3);
  write_cells(json, "cells", grid, route->cells, route->length);
  if (run->options->finds_corners) {
    cli_json_number(json, "sight_length", route->length > 0 ? sight_length(grid, route) : NAN);
    write_cells(json, "corners", grid, route->corners, route->corner_count);
  }
  cli_json_close(json, '}');
}

void cli_route_print_one(const cli_route_run_t * run, const fw_route_t * route, int64_t elapsed_ns)
{
  const fw_router_stats_t stats = fw_router_stats(&run->router);
  char number[CLI_NUMBER_SIZE];
  if (route->length == 0) {
    printf("%s\n", route->stop == FW_STOP_DONE ? "there is no way" : "given up");
  } else {
    printf(
      "%-18s %.4f (%d moves, %d of them diagonal)\n", "length", cli_route_length(route), route->length - 1,
      route->diagonals);
  }
  if (route->corner_count > 0) {
    printf(
      "%-18s %.4f, %d straight lines\n", "any-angle", sight_length(&run->instance.grid, route),
      route->corner_count - 1);
  }
  printf("%-18s %s nodes\n", "expanded", cli_thousands(number, route->expanded));
  printf("%-18s %.1f us\n", "time", (double)elapsed_ns / 1e3);
  printf("%-18s %.1f KB\n", "memory", (double)route->memory_bytes / 1024.0);
  printf(
    "%-18s %.2f ms, %.2f MB, %d nodes\n", "built", (double)stats.build_ns / 1e6, (double)stats.built_bytes / 1e6,
    stats.node_count);
}

void cli_route_print_sums(const cli_route_run_t * run)
{
  char number[CLI_NUMBER_SIZE];
  const fw_router_stats_t stats = fw_router_stats(&run->router);
  printf("%s on %s: %d questions", run->options->search, run->instance.map_name, run->questions.count);
  if (run->without_way > 0) {
    printf(", %d without a way", run->without_way);
  }
  if (run->given_up > 0) {
    printf(", %d given up", run->given_up);
  }
  printf("\n%-18s %.4f\n", "mean length", run->solved > 0 ? run->length / run->solved : 0.0);
  printf("%-18s %s nodes\n", "expanded", cli_thousands(number, run->expanded));
  printf(
    "%-18s %.3f ms, %.2f us each\n", "time", (double)run->elapsed_ns / 1e6,
    (double)run->elapsed_ns / 1e3 / run->questions.count);
  printf(
    "%-18s %.2f ms, %.2f MB, %d nodes\n", "built", (double)stats.build_ns / 1e6, (double)stats.built_bytes / 1e6,
    stats.node_count);
  printf("%-18s every way is one on the map\n", "check");
}

void cli_route_open_json(cli_route_run_t * run)
{
  const fw_router_stats_t stats = fw_router_stats(&run->router);
  run->json = (cli_json_t){.stream = stdout};
  cli_json_open(&run->json, NULL, '{');
  cli_json_text(&run->json, "search", run->options->search);
  cli_json_text(&run->json, "map", run->instance.map_name);
  cli_json_integer(&run->json, "connectivity", run->router_options.connectivity);
  cli_json_number(&run->json, "build_ms", (double)stats.build_ns / 1e6);
  cli_json_integer(&run->json, "built_bytes", (int64_t)stats.built_bytes);
  cli_json_integer(&run->json, "nodes", stats.node_count);
  cli_json_open(&run->json, "routes", '[');
}

void cli_route_close_json(cli_route_run_t * run)
{
  cli_json_close(&run->json, ']');
  cli_json_close(&run->json, '}');
  putchar('\n');
}
