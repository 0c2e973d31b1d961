// The figures of `bench bcp` in words, as JSON and as CSV.

#include <inttypes.h>

#include "bench/bench_bcp.h"

static const char * const player_words[CLI_BCP_PLAYERS] = {"A* (testbed)", "lra", "bcp"};
static const char * const player_keys[CLI_BCP_PLAYERS] = {"astar", "lra", "bcp"};
static const char * const scenario_keys[CLI_BCP_SCENARIOS] = {"rescue", "groups"};
static const char * const extension_words[CLI_BCP_EXTENSIONS] = {
  "an attacker that follows", "a static attacker", "two static attackers"};

// ---- figures --------------------------------------------------------------------------------------------------------

// Means of those that have arrived; a player that has not in some sample does not get better by it.
cli_bcp_row_t cli_bcp_row(const cli_bcp_report_t * report, cli_bcp_scenario_t scenario, int32_t units)
{
  cli_bcp_row_t row = {.units = units};
  double times[CLI_BCP_SAMPLES_MAX];
  int32_t counts[CLI_BCP_PLAYERS] = {0};
  const int32_t at = (units - cli_bcp_units_first(scenario)) * report->sample_count;
  for (int32_t i = 0; i < report->sample_count; ++i) {
    const cli_bcp_sample_t * sample = &report->samples[scenario][at + i];
    times[i] = sample->delay_ms;
    for (int32_t p = 0; p < CLI_BCP_PLAYERS; ++p) {
      row.late[p] += sample->steps[p] < 0 ? 1 : 0;
      if (sample->steps[p] >= 0) {
        row.steps[p] += sample->steps[p];
        row.hero[p] += sample->hero[p];
        row.hero_most[p] = sample->hero[p] > row.hero_most[p] ? sample->hero[p] : row.hero_most[p];
        ++counts[p];
      }
    }
  }
  for (int32_t p = 0; p < CLI_BCP_PLAYERS; ++p) {
    row.steps[p] /= counts[p] > 0 ? counts[p] : 1;
    row.hero[p] /= counts[p] > 0 ? counts[p] : 1;
  }
  row.delay_ms = cli_median(times, report->sample_count);
  row.delay_most_ms = times[report->sample_count - 1];
  return row;
}

int32_t cli_bcp_paper_delay(cli_bcp_scenario_t scenario, int32_t units)
{
  static const int32_t rescue[] = {236, 254, 323, 329, 329};                 // 4 to 8 units
  static const int32_t groups[] = {315, 434, 396, 375, 543, 458, 442, 470};  // 8 to 15
  const bool is_rescue = scenario == CLI_BCP_RESCUE;
  const int32_t at = units - (is_rescue ? 4 : 8);
  const int32_t count = (int32_t)(is_rescue ? sizeof(rescue) : sizeof(groups)) / (int32_t)sizeof(*rescue);
  return at < 0 || at >= count ? 0 : is_rescue ? rescue[at] : groups[at];
}

static int32_t damage_at(const cli_bcp_report_t * report, int32_t extension, int32_t iterations, int32_t run)
{
  return report->damages[extension][iterations * report->run_count + run];
}

double cli_bcp_damage(const cli_bcp_report_t * report, int32_t extension, int32_t iterations)
{
  int32_t sum = 0;
  for (int32_t run = 0; run < report->run_count; ++run) {
    sum += damage_at(report, extension, iterations, run);
  }
  return (double)sum / report->run_count;
}

double cli_bcp_death_rate(const cli_bcp_report_t * report, int32_t extension, int32_t iterations)
{
  int32_t deaths = 0;
  for (int32_t run = 0; run < report->run_count; ++run) {
    int32_t sum = 0;  // of all numbers of iterations: hit points times their number
    for (int32_t i = 0; i <= report->iterations_max; ++i) {
      sum += damage_at(report, extension, i, run);
    }
    deaths += damage_at(report, extension, iterations, run) * (report->iterations_max + 1) > sum ? 1 : 0;
  }
  return (double)deaths / report->run_count;
}

// ---- words ----------------------------------------------------------------------------------------------------------

static void print_scenario(const cli_bcp_report_t * report, cli_bcp_scenario_t scenario)
{
  const bool has_hero = scenario == CLI_BCP_RESCUE;
  printf("%6s", "units");
  for (int32_t p = 0; p < CLI_BCP_PLAYERS; ++p) {
    printf(" %13s", player_words[p]);
  }
  for (int32_t p = 0; p < CLI_BCP_PLAYERS && has_hero; ++p) {
    printf(" %13s", player_words[p]);
  }
  printf(" %10s %10s %10s %8s\n", "first ms", "worst ms", "paper ms", "times");
  for (int32_t units = cli_bcp_units_first(scenario); units <= cli_bcp_units_last(scenario); ++units) {
    const cli_bcp_row_t row = cli_bcp_row(report, scenario, units);
    const int32_t paper = cli_bcp_paper_delay(scenario, units);
    printf("%6d", units);
    for (int32_t p = 0; p < CLI_BCP_PLAYERS; ++p) {
      printf(" %13.1f", row.steps[p]);
    }
    for (int32_t p = 0; p < CLI_BCP_PLAYERS && has_hero; ++p) {
      printf(" %8.1f (%2d)", row.hero[p], row.hero_most[p]);
    }
    printf(" %10.3f %10.3f", row.delay_ms, row.delay_most_ms);
    if (paper > 0) {
      printf(" %10d %8.0f\n", paper, paper / row.delay_ms);
    } else {
      printf(" %10s %8s\n", "-", "-");
    }
  }
}

static void print_deaths(const cli_bcp_report_t * report)
{
  printf("%10s", "iterations");
  for (int32_t e = 0; e < CLI_BCP_EXTENSIONS; ++e) {
    printf(" %26s", extension_words[e]);
  }
  putchar('\n');
  for (int32_t i = 0; i <= report->iterations_max; ++i) {
    printf("%10d", i);
    for (int32_t e = 0; e < CLI_BCP_EXTENSIONS; ++e) {
      printf(" %19.2f (%4.1f)", cli_bcp_death_rate(report, e, i), cli_bcp_damage(report, e, i));
    }
    putchar('\n');
  }
}

void cli_bcp_print_words(const cli_bcp_report_t * report)
{
  cli_host_print(&report->host);
  printf(
    "# rescue the hero: steps of all units and the hero until each has arrived, then the hero's alone (and their "
    "most);\n"
    "# %d samples for each number of units, seed %" PRId64 "; every plan checked\n",
    report->sample_count, report->seed);
  print_scenario(report, CLI_BCP_RESCUE);
  printf("# two groups through each other: steps of all units\n");
  print_scenario(report, CLI_BCP_GROUPS);
  printf("# the hero's flight: share of %d runs in which it dies (and hit points that it loses)\n", report->run_count);
  print_deaths(report);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void write_row(cli_json_t * json, const cli_bcp_report_t * report, cli_bcp_scenario_t scenario, int32_t units)
{
  const cli_bcp_row_t row = cli_bcp_row(report, scenario, units);
  const int32_t paper = cli_bcp_paper_delay(scenario, units);
  cli_json_open(json, NULL, '{');
  cli_json_integer(json, "units", units);
  for (int32_t p = 0; p < CLI_BCP_PLAYERS; ++p) {
    cli_json_open(json, player_keys[p], '{');
    cli_json_number(json, "steps", row.steps[p]);
    if (scenario == CLI_BCP_RESCUE) {
      cli_json_number(json, "hero_steps", row.hero[p]);
      cli_json_integer(json, "hero_steps_most", row.hero_most[p]);
    }
    cli_json_integer(json, "not_arrived", row.late[p]);
    cli_json_close(json, '}');
  }
  cli_json_number(json, "first_move_ms", row.delay_ms);
  cli_json_number(json, "first_move_ms_worst", row.delay_most_ms);
  if (paper > 0) {
    cli_json_integer(json, "paper_first_move_ms", paper);
    cli_json_number(json, "times_faster", paper / row.delay_ms);
  }
  cli_json_close(json, '}');
}

static void write_deaths(cli_json_t * json, const cli_bcp_report_t * report)
{
  cli_json_open(json, "flights", '[');
  for (int32_t e = 0; e < CLI_BCP_EXTENSIONS; ++e) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "extension", extension_words[e]);
    cli_json_open(json, "death_rates", '[');  // by iterations, from 0
    for (int32_t i = 0; i <= report->iterations_max; ++i) {
      cli_json_number(json, NULL, cli_bcp_death_rate(report, e, i));
    }
    cli_json_close(json, ']');
    cli_json_open(json, "damages", '[');
    for (int32_t i = 0; i <= report->iterations_max; ++i) {
      cli_json_number(json, NULL, cli_bcp_damage(report, e, i));
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
}

void cli_bcp_print_json(const cli_bcp_report_t * report)
{
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_host_write(&report->host, &json);
  cli_json_integer(&json, "samples", report->sample_count);
  cli_json_integer(&json, "runs", report->run_count);
  cli_json_integer(&json, "seed", report->seed);
  for (cli_bcp_scenario_t s = 0; s < CLI_BCP_SCENARIOS; ++s) {
    cli_json_open(&json, scenario_keys[s], '[');
    for (int32_t units = cli_bcp_units_first(s); units <= cli_bcp_units_last(s); ++units) {
      write_row(&json, report, s, units);
    }
    cli_json_close(&json, ']');
  }
  write_deaths(&json, report);
  cli_json_close(&json, '}');
  putchar('\n');
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

void cli_bcp_write_csv(const cli_bcp_report_t * report, FILE * stream)
{
  fputs("scenario,units,sample,player,steps,hero_steps,first_move_ms\n", stream);
  for (cli_bcp_scenario_t s = 0; s < CLI_BCP_SCENARIOS; ++s) {
    const int32_t rows = cli_bcp_units_last(s) - cli_bcp_units_first(s) + 1;
    for (int32_t i = 0; i < rows * report->sample_count; ++i) {
      const cli_bcp_sample_t * sample = &report->samples[s][i];
      for (int32_t p = 0; p < CLI_BCP_PLAYERS; ++p) {
        fprintf(
          stream, "%s,%d,%d,%s,%d,", scenario_keys[s], sample->units, sample->number, player_keys[p], sample->steps[p]);
        if (s == CLI_BCP_RESCUE) {
          fprintf(stream, "%d", sample->hero[p]);
        }
        fprintf(stream, p == CLI_BCP_BCP ? ",%.6f\n" : ",\n", sample->delay_ms);
      }
    }
  }
}
