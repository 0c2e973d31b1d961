// Benchmarks: what the kinds of `fleetweave bench` share. A new kind is one file with one cli_command_t and one line in
// bench.c.

#ifndef BENCH__BENCH_H_
#define BENCH__BENCH_H_

#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/json.h"

extern const cli_command_t cli_bench_bcp;
extern const cli_command_t cli_bench_lifelong;
extern const cli_command_t cli_bench_mapf;
extern const cli_command_t cli_bench_merge;
extern const cli_command_t cli_bench_rtaa;
extern const cli_command_t cli_bench_scaling;
extern const cli_command_t cli_bench_standley;
extern const cli_command_t cli_bench_search;
extern const cli_command_t cli_bench_table;

// Figures mean little without the machine and the day they come from.
typedef struct cli_host_t {
  char cpu[128];  // "unknown" where /proc/cpuinfo does not say
  long cores;     // that are online
  char date[32];  // UTC, 2026-11-05T10:20:30Z
} cli_host_t;

void cli_host_read(cli_host_t * host);
// The line that a table begins with, and the members that a JSON object begins with.
void cli_host_print(const cli_host_t * host);
void cli_host_write(const cli_host_t * host, cli_json_t * json);

// The middle of some numbers (the mean of the two middle ones); sorts them. 0 for none.
double cli_median(double * values, int32_t count);

// The number below which `share` of them lie (0.99: the 99th percentile); sorts them. 0 for none.
double cli_percentile(double * values, int32_t count, double share);

// Cuts "a,b,c" in place. Returns the number of words, 0 if one is empty or there are more than `words_max`.
int32_t cli_cut_list(char * text, const char ** words, int32_t words_max);

#endif  // BENCH__BENCH_H_
