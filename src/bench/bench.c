// `fleetweave bench KIND`: finds the kind and hands over.

#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/completion.h"
#include "cli/words.h"

static const cli_command_t * const kinds[] = {
  &cli_bench_mapf,  &cli_bench_lifelong, &cli_bench_scaling, &cli_bench_table,  &cli_bench_standley,
  &cli_bench_merge, &cli_bench_bcp,      &cli_bench_rtaa,    &cli_bench_search,
};
#define KIND_COUNT ((int32_t)(sizeof(kinds) / sizeof(kinds[0])))

void cli_host_read(cli_host_t * host)
{
  *host = (cli_host_t){.cpu = "unknown", .cores = sysconf(_SC_NPROCESSORS_ONLN)};
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

void cli_host_print(const cli_host_t * host)
{
  printf("# fleetweave %s, %s, %s, %ld cores\n", FLEETWEAVE_VERSION, host->date, host->cpu, host->cores);
}

void cli_host_write(const cli_host_t * host, cli_json_t * json)
{
  cli_json_text(json, "version", FLEETWEAVE_VERSION);
  cli_json_text(json, "date", host->date);
  cli_json_text(json, "cpu", host->cpu);
  cli_json_integer(json, "cores", host->cores);
}

static int compare(const void * a, const void * b)
{
  const double left = *(const double *)a;
  const double right = *(const double *)b;
  return left < right ? -1 : left > right ? 1 : 0;
}

double cli_median(double * values, int32_t count)
{
  if (count == 0) {
    return 0.0;
  }
  qsort(values, (size_t)count, sizeof(*values), compare);
  return (values[(count - 1) / 2] + values[count / 2]) / 2.0;
}

double cli_percentile(double * values, int32_t count, double share)
{
  if (count == 0) {
    return 0.0;
  }
  qsort(values, (size_t)count, sizeof(*values), compare);
  const int32_t at = (int32_t)(share * (double)(count - 1) + 0.5);
  return values[at];
}

int32_t cli_cut_list(char * text, const char ** words, int32_t words_max)
{
  int32_t count = 0;
  for (char * word = text; word != NULL;) {
    char * comma = strchr(word, ',');
    if (comma != NULL) {
      *comma++ = '\0';
    }
    if (*word == '\0' || count == words_max) {
      return 0;
    }
    words[count++] = word;
    word = comma;
  }
  return count;
}

static const char * kind_name(const void * state, int32_t index)
{
  (void)state;
  return index < KIND_COUNT ? kinds[index]->name : NULL;
}

static void print_help(FILE * stream)
{
  fputs("Usage: fleetweave bench KIND [options]\n\nMeasures planners, side by side in one run. Kinds:\n", stream);
  for (int32_t i = 0; i < KIND_COUNT; i++) {
    fprintf(stream, "  %-10s %s\n", kinds[i]->name, kinds[i]->summary);
  }
  fputs("\nOptions of a kind: fleetweave bench KIND --help\n", stream);
}

static int run(int argument_count, char ** arguments)
{
  if (argument_count < 2) {
    print_help(stderr);
    return CLI_USAGE;
  }
  if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
    print_help(stdout);
    return CLI_SOLVED;
  }
  if (cli_is_completion(argument_count, arguments)) {
    for (int32_t i = 0; i < KIND_COUNT; i++) {
      cli_offer(kinds[i]->name, arguments);
    }
    return CLI_SOLVED;
  }
  for (int32_t i = 0; i < KIND_COUNT; i++) {
    if (strcmp(kinds[i]->name, arguments[1]) == 0) {
      return kinds[i]->run(argument_count - 1, arguments + 1);
    }
  }
  const char * nearest = cli_nearest(arguments[1], kind_name, NULL);
  if (nearest != NULL) {
    return cli_say(CLI_USAGE, "bench has no kind \"%s\"; did you mean %s?", arguments[1], nearest);
  }
  return cli_say(CLI_USAGE, "bench has no kind \"%s\"; see `fleetweave bench --help`", arguments[1]);
}

const cli_command_t cli_command_bench = {
  .name = "bench",
  .summary = "measure planners side by side",
  .run = run,
};
