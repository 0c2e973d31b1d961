// `bench search`: what has been measured, between the parts that take options (bench_search.c), run (bench_search_run.c),
// tell (bench_search_report.c) and draw (bench_search_svg.c).

#ifndef BENCH__BENCH_SEARCH_H_
#define BENCH__BENCH_SEARCH_H_

#include <stdio.h>

#include "bench/bench.h"
#include "cli/route_search.h"

// A search on a map.
typedef struct cli_search_row_t {
  const char * search;
  bool is_left_out;  // it cannot do this map or these moves; `reason` says why
  fw_error_t reason;
  bool is_optimal;
  double build_ms;  // the least of the repeats, as all times
  double built_mb;  // what was built, the floor included
  int32_t node_count;
  int64_t edge_count;
  double us_per_query;
  double us_worst;  // the slowest question
  double expanded;  // per question
  double ns_per_expansion;
  double kb_per_query;  // what a question needs beside, on average
  double kb_worst;
  double length_mean;  // over the optimal, 1 is optimal; NaN if nothing was solved
  double length_worst;
  int32_t solved;
  int32_t unsolved;  // given up: --expansions or --memory
} cli_search_row_t;

typedef struct cli_search_case_t {
  char map_name[256];
  const char * scen_name;
  int32_t width;
  int32_t height;
  int32_t free_count;
  int32_t query_count;
  int32_t without_way;     // questions to which there is no way
  double mean_length;      // optimal, in moves
  double scen_difference;  // the largest between the scenario's lengths and ours; NaN if it has none for these moves
  cli_search_row_t * rows;
} cli_search_case_t;

typedef struct cli_search_report_t {
  cli_host_t host;
  cli_route_options_t options;
  fw_router_options_t router;
  fw_offset_t cells[CLI_FOOTPRINT_MAX];
  const char * const * searches;
  int32_t search_count;
  int32_t repeat;
  cli_search_case_t * cases;
  int32_t case_count;
  bool has_failed;  // some answer was wrong; it has been said
} cli_search_report_t;

// Measures all searches on one map. Returns an exit code after saying what is wrong; CLI_NOT_SOLVED if interrupted.
int cli_search_measure(cli_search_report_t * report, const cli_instance_options_t * where, cli_search_case_t * result);

void cli_search_print_words(const cli_search_report_t * report);
void cli_search_print_json(const cli_search_report_t * report);
void cli_search_write_csv(const cli_search_report_t * report, FILE * stream);
void cli_search_write_svg(const cli_search_report_t * report, FILE * stream);

#endif  // BENCH__BENCH_SEARCH_H_
