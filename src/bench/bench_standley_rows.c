// Rows of `bench standley` in memory and in files.
//
// A file is a line of settings, a line of names, and a line per solve, added as they come: a run that was ended goes on
// from there, and files of shards can be joined.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bench/bench_standley.h"
#include "cli/output.h"
#include "cli/words.h"
#include "fleetweave/planner_def.h"

static const char names[] =
  "instance,robots,part,algorithm,outcome,stop,ms,sum_of_costs,lower_bound,alone,expanded,memory_peak_bytes,"
  "largest_group";

// In the line of settings, before the others; nothing where corners are not cut.
#define CORNERS "corners=cut "

bool cli_standley_is_solved(const cli_standley_row_t * row)
{
  char planner[CLI_STANDLEY_NAME_SIZE];
  snprintf(planner, sizeof(planner), "%.*s", (int)strcspn(row->algorithm, ":"), row->algorithm);
  const fw_planner_def_t * def = fw_planner_def_find(planner);
  const bool is_proved = strcmp(row->stop, fw_stop_name(FW_STOP_DONE)) == 0;
  return strcmp(row->outcome, fw_outcome_name(FW_OUTCOME_SOLVED)) == 0 &&
         (def == NULL || !def->is_optimal || is_proved);
}

bool cli_standley_add(cli_standley_rows_t * rows, const cli_standley_row_t * row)
{
  if (rows->count == rows->capacity) {
    const int32_t capacity = rows->capacity == 0 ? 1024 : 2 * rows->capacity;
    cli_standley_row_t * larger = realloc(rows->rows, (size_t)capacity * sizeof(*larger));
    if (larger == NULL) {
      return false;
    }
    rows->rows = larger;
    rows->capacity = capacity;
  }
  rows->rows[rows->count++] = *row;
  return true;
}

static int by_instance(const void * a, const void * b)
{
  const cli_standley_row_t * one = a;
  const cli_standley_row_t * two = b;
  if (one->instance != two->instance) {
    return one->instance < two->instance ? -1 : 1;
  }
  if (one->is_group != two->is_group) {
    return one->is_group ? 1 : -1;
  }
  return strcmp(one->algorithm, two->algorithm);
}

void cli_standley_sort(cli_standley_rows_t * rows)
{
  if (rows->count > 0) {
    qsort(rows->rows, (size_t)rows->count, sizeof(*rows->rows), by_instance);
  }
}

void cli_standley_fini(cli_standley_rows_t * rows)
{
  free(rows->rows);
  rows->rows = NULL;
  rows->count = rows->capacity = 0;
}

// ---- writing --------------------------------------------------------------------------------------------------------

void cli_standley_write_head(const cli_standley_settings_t * settings, FILE * stream)
{
  fprintf(
    stream, "# standley %sseed=%" PRId64 " instances=%" PRId64 " time_limit=%g algorithms=%s\n%s\n",
    settings->cuts_corners ? CORNERS : "", settings->seed, settings->instances, settings->time_limit,
    settings->algorithms, names);
}

void cli_standley_write_row(const cli_standley_row_t * row, FILE * stream)
{
  fprintf(
    stream, "%d,%d,%s,%s,%s,%s,%.6f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
    row->instance, row->robots, row->is_group ? "group" : "all", row->algorithm, row->outcome, row->stop, row->ms,
    row->sum_of_costs, row->lower_bound, row->alone, row->expanded, row->memory_bytes, row->largest_group);
}

bool cli_standley_write_file(const cli_standley_rows_t * rows, const char * path)
{
  cli_output_t output = {0};
  if (!cli_output_open(&output, path)) {
    return false;
  }
  cli_standley_write_head(&rows->settings, output.stream);
  for (int32_t i = 0; i < rows->count; ++i) {
    cli_standley_write_row(&rows->rows[i], output.stream);
  }
  return cli_output_commit(&output);
}

// ---- reading --------------------------------------------------------------------------------------------------------

static bool read_settings(const char * line, cli_standley_settings_t * settings)
{
  static const char begin[] = "# standley ";
  if (strncmp(line, begin, strlen(begin)) != 0) {
    return false;
  }
  line += strlen(begin);
  *settings = (cli_standley_settings_t){.cuts_corners = strncmp(line, CORNERS, strlen(CORNERS)) == 0};
  line += settings->cuts_corners ? strlen(CORNERS) : 0;
  return sscanf(
           line, "seed=%" SCNd64 " instances=%" SCNd64 " time_limit=%lf algorithms=%1023s", &settings->seed,
           &settings->instances, &settings->time_limit, settings->algorithms) == 4;
}

static bool is_same(const cli_standley_settings_t * a, const cli_standley_settings_t * b)
{
  return a->seed == b->seed && a->instances == b->instances && a->time_limit == b->time_limit &&
         a->cuts_corners == b->cuts_corners && strcmp(a->algorithms, b->algorithms) == 0;
}

static bool read_row(const char * line, cli_standley_row_t * row)
{
  char part[8];
  int end = 0;
  *row = (cli_standley_row_t){0};
  const int fields = sscanf(
    line,
    "%" SCNd32 ",%" SCNd32 ",%7[a-z],%95[^,],%15[a-z],%15[a-z],%lf,%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64
    ",%" SCNd64 ",%" SCNd64 "%n",
    &row->instance, &row->robots, part, row->algorithm, row->outcome, row->stop, &row->ms, &row->sum_of_costs,
    &row->lower_bound, &row->alone, &row->expanded, &row->memory_bytes, &row->largest_group, &end);
  row->is_group = strcmp(part, "group") == 0;
  return fields == 13 && line[end] == '\0';
}

// The last line of a run that was killed may be half a line.
static bool is_last_unfinished(const fw_text_t * text) { return text->cursor == NULL || text->cursor >= text->end; }

static int read_lines(cli_standley_rows_t * rows, fw_text_t * text)
{
  char * line = fw__text_line(text);
  cli_standley_settings_t settings;
  if (line == NULL || !read_settings(line, &settings)) {
    return cli_say(CLI_FAILURE, "%s is no file of `bench standley`", text->path);
  }
  if (rows->settings.instances == 0) {
    rows->settings = settings;
  } else if (!is_same(&rows->settings, &settings)) {
    return cli_say(
      CLI_USAGE, "%s is of another run (%s): seed, instances, time limit, algorithms and corners must be the same",
      text->path, line);
  }
  line = fw__text_line(text);
  if (line == NULL || strcmp(line, names) != 0) {
    return cli_say(CLI_FAILURE, "%s:2: other columns than this version writes", text->path);
  }
  while ((line = fw__text_line(text)) != NULL) {
    cli_standley_row_t row;
    if (!read_row(line, &row)) {
      return is_last_unfinished(text) ? CLI_SOLVED
                                      : cli_say(CLI_FAILURE, "%s:%d: this is no row", text->path, text->line_number);
    }
    if (!cli_standley_add(rows, &row)) {
      return cli_say(CLI_FAILURE, "out of memory");
    }
  }
  return CLI_SOLVED;
}

int cli_standley_read_file(cli_standley_rows_t * rows, const char * path)
{
  fw_text_t text = {0};
  fw_error_t error = {0};
  if (fw__text_open(&text, path, NULL, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  const int exit_code = read_lines(rows, &text);
  fw__text_close(&text);
  return exit_code;
}
