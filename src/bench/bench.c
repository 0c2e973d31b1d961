// What the experiments share: machine, statistics, output, lists, one measured solve, and components of a grid.

#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "cli/common/message.h"
#include "cli/common/output.h"
#include "cli/common/progress.h"
#include "fleetweave/batch.h"

// ---- the machine ----------------------------------------------------------------------------------------------------

void bench_host_read(bench_host_t * host)
{
  *host = (bench_host_t){.cpu = "unknown", .cores = sysconf(_SC_NPROCESSORS_ONLN)};
  const time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc) != NULL) {
    strftime(host->date, sizeof(host->date), "%Y-%m-%dT%H:%M:%SZ", &utc);
  }
  FILE * stream = fopen("/proc/cpuinfo", "r");
  if (stream == NULL) {
    return;
  }
  char line[512];
  while (fgets(line, sizeof(line), stream) != NULL) {
    const char * colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
      colon += 1 + strspn(colon + 1, " \t");
      snprintf(host->cpu, sizeof(host->cpu), "%.*s", (int)strcspn(colon, "\n"), colon);
      break;
    }
  }
  fclose(stream);
}

void bench_host_print(const bench_host_t * host)
{
  printf("# fleetweave %s, %s, %s, %ld cores\n", FLEETWEAVE_VERSION, host->date, host->cpu, host->cores);
}

void bench_host_write(const bench_host_t * host, cli_json_t * json)
{
  cli_json_text(json, "version", FLEETWEAVE_VERSION);
  cli_json_text(json, "date", host->date);
  cli_json_text(json, "cpu", host->cpu);
  cli_json_integer(json, "cores", host->cores);
}

// ---- statistics -----------------------------------------------------------------------------------------------------

static int compare_doubles(const void * a, const void * b)
{
  const double left = *(const double *)a;
  const double right = *(const double *)b;
  return left < right ? -1 : left > right ? 1 : 0;
}

double bench_median(double * values, int32_t count)
{
  FW_ASSERT(count >= 0);
  if (count == 0) {
    return 0.0;
  }
  qsort(values, (size_t)count, sizeof(*values), compare_doubles);
  return (values[(count - 1) / 2] + values[count / 2]) / 2.0;
}

double bench_percentile(double * values, int32_t count, double share)
{
  FW_ASSERT(count >= 0 && share >= 0.0 && share <= 1.0);
  if (count == 0) {
    return 0.0;
  }
  qsort(values, (size_t)count, sizeof(*values), compare_doubles);
  const int32_t at = (int32_t)(share * (double)(count - 1) + 0.5);
  FW_ASSERT(at >= 0 && at < count);
  return values[at];
}

// ---- output ---------------------------------------------------------------------------------------------------------

const cli_option_t bench_output_options[] = {
  {.name = "csv",
   .kind = CLI_TEXT,
   .offset = offsetof(bench_output_t, csv),
   .value = "FILE",
   .help = "also write a CSV file: a header, then a line per measurement"},
  {.name = "json",
   .kind = CLI_FLAG,
   .offset = offsetof(bench_output_t, is_json),
   .help = "print one JSON object instead of the tables"},
  {0},
};

const cli_option_t bench_unknown_options[] = {
  {.name = "hidden",
   .kind = CLI_INTEGER,
   .offset = offsetof(bench_unknown_t, hidden),
   .min = 0,
   .max = 100,
   .value = "PERCENT",
   .help = "share of the obstacles that robots do not know until one of them sees them (default: 0)"},
  {.name = "sight",
   .kind = CLI_INTEGER,
   .offset = offsetof(bench_unknown_t, sight),
   .min = 1,
   .max = FW_SIGHT_MAX,
   .value = "CELLS",
   .help = "range in which robots see hidden obstacles (default: 3)"},
  {0},
};

bool bench_output_is_possible(const bench_output_t * output)
{
  return output->csv == NULL || cli_output_is_possible(output->csv);
}

int bench_output_write(const bench_output_t * output, const bench_report_t * report)
{
  if (output->is_json) {
    report->print_json(report->state);
  } else {
    report->print_text(report->state);
  }
  if (output->csv == NULL || report->write_csv == NULL) {
    return CLI_SUCCESS;
  }
  cli_output_t file = {0};
  if (!cli_output_open(&file, output->csv)) {
    return CLI_FAILURE;
  }
  report->write_csv(report->state, file.stream);
  return cli_output_commit(&file) ? CLI_SUCCESS : CLI_FAILURE;
}

void bench_write_quoted(FILE * stream, const char * text)
{
  fputc('"', stream);
  for (const char * c = text; *c != '\0'; c++) {
    if (*c == '"') {
      fputc('"', stream);
    }
    fputc(*c, stream);
  }
  fputc('"', stream);
}

// ---- lists ----------------------------------------------------------------------------------------------------------

int bench_names_read(bench_names_t * names, const char * option, const char * text)
{
  names->count = 0;
  snprintf(names->text, sizeof(names->text), "%s", text);
  bool is_valid = strlen(text) < sizeof(names->text);
  for (char * word = names->text; word != NULL && is_valid;) {
    char * comma = strchr(word, ',');
    if (comma != NULL) {
      *comma++ = '\0';
    }
    is_valid = *word != '\0' && names->count < BENCH_NAMES_MAX;
    if (is_valid) {
      names->items[names->count++] = word;
    }
    word = comma;
  }
  return is_valid
           ? CLI_SUCCESS
           : cli_error(
               CLI_USAGE, "--%s must be 1 to %d words with commas between, not \"%s\"", option, BENCH_NAMES_MAX, text);
}

// ---- one solve ------------------------------------------------------------------------------------------------------

int bench_solve(const cli_solve_request_t * request, bench_run_t * run)
{
  cli_solve_t solve = {0};
  const int exit_code = cli_solve_run(&solve, request);
  *run = (bench_run_t){
    .has_failed = exit_code != CLI_SUCCESS,
    .outcome = solve.plan.outcome,
    .stop = solve.plan.stop,
    .stats = solve.plan.stats,
  };
  cli_solve_fini(&solve);
  if (exit_code == CLI_USAGE) {
    return CLI_USAGE;
  }
  return cli_progress_was_interrupted() ? CLI_NOT_SOLVED : CLI_SUCCESS;
}

// ---- grids ----------------------------------------------------------------------------------------------------------

int32_t bench_count_free(const fw_grid_t * grid)
{
  int32_t count = 0;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    count += grid->cost[cell] != 0 ? 1 : 0;
  }
  return count;
}

// Gives the whole component of `start` the label of `start`; returns its size. A diagonal move needs both of its side
// cells, so four directions are enough.
static int32_t flood(const fw_grid_t * grid, fw_cell_t start, int32_t * labels, fw_cell_t * queue)
{
  const int32_t label = labels[start];
  int32_t head = 0, count = 1;
  FW_ASSERT(label > 0 && grid->cost[start] != 0);
  queue[0] = start;
  while (head < count) {
    const fw_cell_t cell = queue[head++];
    const int32_t x = fw_grid_x(grid, cell), y = fw_grid_y(grid, cell);
    const int32_t around[4][2] = {{x + 1, y}, {x - 1, y}, {x, y + 1}, {x, y - 1}};
    for (int32_t i = 0; i < 4; ++i) {
      const fw_cell_t next = fw_grid_cell(grid, around[i][0], around[i][1]);
      if (fw_grid_is_free(grid, around[i][0], around[i][1]) && labels[next] == 0) {
        labels[next] = label;
        queue[count++] = next;
      }
    }
  }
  FW_ASSERT(count <= fw_grid_cell_count(grid));
  return count;
}

int32_t bench_find_largest_component(const fw_grid_t * grid, fw_cell_t * cells)
{
  const int32_t cell_count = fw_grid_cell_count(grid);
  int32_t * labels = calloc((size_t)cell_count, sizeof(*labels));
  if (labels == NULL) {
    return -1;
  }
  int32_t label_count = 0, largest = 0, most = 0;
  for (fw_cell_t cell = 0; cell < cell_count; ++cell) {
    if (grid->cost[cell] != 0 && labels[cell] == 0) {
      labels[cell] = ++label_count;
      const int32_t size = flood(grid, cell, labels, cells);
      largest = size > most ? label_count : largest;
      most = size > most ? size : most;
    }
  }
  int32_t count = 0;
  for (fw_cell_t cell = 0; cell < cell_count; ++cell) {
    if (labels[cell] == largest && grid->cost[cell] != 0) {
      cells[count++] = cell;
    }
  }
  free(labels);
  FW_ASSERT(count == most);
  return count;
}
