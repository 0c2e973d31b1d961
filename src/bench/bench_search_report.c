// The figures of `bench search` as a table, as JSON and as CSV.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench/bench_search.h"
#include "cli/json.h"
#include "cli/words.h"

// ---- words ----------------------------------------------------------------------------------------------------------

static void print_head(const cli_search_report_t * report, const cli_search_case_t * found)
{
  char free_count[CLI_NUMBER_SIZE];
  printf(
    "# %s, %d x %d, %s free cells; %d questions%s%s", found->map_name, found->width, found->height,
    cli_thousands(free_count, found->free_count), found->query_count, found->scen_name != NULL ? " of " : "",
    found->scen_name != NULL ? found->scen_name : "");
  if (found->without_way > 0) {
    printf(", %d without a way", found->without_way);
  }
  printf(", mean length %.1f\n", found->mean_length);
  printf(
    "# connectivity %d%s, least of %d; every route checked, optimal ones equal", report->router.connectivity,
    report->router.connectivity == 8 && report->router.diagonal == FW_DIAGONAL_TICK ? ", a diagonal counts as one" : "",
    report->repeat);
  if (!isnan(found->scen_difference)) {
    printf("; lengths differ from the scenario's by at most %.6f", found->scen_difference);
  }
  printf(
    "\n%-14s %10s %9s %9s %10s %11s %11s %8s %10s %8s %8s\n", "search", "build ms", "built MB", "nodes", "us/query",
    "worst us", "expanded", "ns/exp", "KB/query", "length", "worst");
}

static void print_row(const cli_search_row_t * row)
{
  if (row->is_left_out) {
    printf("%-14s %s\n", row->search, row->reason.text);
    return;
  }
  printf(
    "%-14s %10.2f %9.2f %9d %10.2f %11.2f %11.1f %8.1f %10.1f ", row->search, row->build_ms, row->built_mb,
    row->node_count, row->us_per_query, row->us_worst, row->expanded, row->ns_per_expansion, row->kb_per_query);
  if (row->solved > 0) {
    printf("%8.4f %8.4f", row->length_mean, row->length_worst);
  } else {
    printf("%8s %8s", "-", "-");
  }
  if (row->unsolved > 0) {
    printf("  %d given up", row->unsolved);
  }
  putchar('\n');
}

void cli_search_print_words(const cli_search_report_t * report)
{
  cli_host_print(&report->host);
  for (int32_t i = 0; i < report->case_count; i++) {
    print_head(report, &report->cases[i]);
    for (int32_t k = 0; report->cases[i].rows != NULL && k < report->search_count; k++) {
      if (report->cases[i].rows[k].search != NULL) {  // else interrupted before its turn
        print_row(&report->cases[i].rows[k]);
      }
    }
  }
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void write_row(cli_json_t * json, const cli_search_row_t * row)
{
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "search", row->search);
  cli_json_text(json, "left_out", row->is_left_out ? row->reason.text : NULL);
  if (!row->is_left_out) {
    cli_json_number(json, "build_ms", row->build_ms);
    cli_json_number(json, "built_mb", row->built_mb);
    cli_json_integer(json, "nodes", row->node_count);
    cli_json_integer(json, "edges", row->edge_count);
    cli_json_number(json, "us_per_query", row->us_per_query);
    cli_json_number(json, "us_worst", row->us_worst);
    cli_json_number(json, "expanded_per_query", row->expanded);
    cli_json_number(json, "ns_per_expansion", row->ns_per_expansion);
    cli_json_number(json, "kb_per_query", row->kb_per_query);
    cli_json_number(json, "kb_worst", row->kb_worst);
    cli_json_number(json, "length_over_optimal", row->length_mean);
    cli_json_number(json, "length_over_optimal_worst", row->length_worst);
    cli_json_integer(json, "solved", row->solved);
    cli_json_integer(json, "given_up", row->unsolved);
  }
  cli_json_close(json, '}');
}

void cli_search_print_json(const cli_search_report_t * report)
{
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_host_write(&report->host, &json);
  cli_json_integer(&json, "connectivity", report->router.connectivity);
  cli_json_text(&json, "diagonal", report->router.diagonal == FW_DIAGONAL_ROOT ? "root" : "tick");
  cli_json_integer(&json, "repeat", report->repeat);
  cli_json_open(&json, "cases", '[');
  for (int32_t i = 0; i < report->case_count; i++) {
    const cli_search_case_t * found = &report->cases[i];
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "map", found->map_name);
    cli_json_text(&json, "scen", found->scen_name);
    cli_json_integer(&json, "width", found->width);
    cli_json_integer(&json, "height", found->height);
    cli_json_integer(&json, "free_cells", found->free_count);
    cli_json_integer(&json, "queries", found->query_count);
    cli_json_integer(&json, "without_way", found->without_way);
    cli_json_number(&json, "mean_length", found->mean_length);
    cli_json_number(&json, "scen_difference", found->scen_difference);
    cli_json_open(&json, "rows", '[');
    for (int32_t k = 0; found->rows != NULL && k < report->search_count; k++) {
      if (found->rows[k].search != NULL) {
        write_row(&json, &found->rows[k]);
      }
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

void cli_search_write_csv(const cli_search_report_t * report, FILE * stream)
{
  fputs(
    "map,search,queries,build_ms,built_mb,nodes,edges,us_per_query,us_worst,expanded_per_query,ns_per_expansion,"
    "kb_per_query,kb_worst,length_over_optimal,length_over_optimal_worst,solved,given_up\n",
    stream);
  for (int32_t i = 0; i < report->case_count; i++) {
    const cli_search_case_t * found = &report->cases[i];
    for (int32_t k = 0; found->rows != NULL && k < report->search_count; k++) {
      const cli_search_row_t * row = &found->rows[k];
      if (row->search == NULL || row->is_left_out) {
        continue;
      }
      fprintf(
        stream, "\"%s\",%s,%d,%.6f,%.6f,%d,%" PRId64 ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%d,%d\n",
        found->map_name, row->search, found->query_count, row->build_ms, row->built_mb, row->node_count,
        row->edge_count, row->us_per_query, row->us_worst, row->expanded, row->ns_per_expansion, row->kb_per_query,
        row->kb_worst, row->length_mean, row->length_worst, row->solved, row->unsolved);
    }
  }
}
