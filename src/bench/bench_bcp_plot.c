// The plots of `bench bcp`, after figures 6, 7, 9 and 11 of the paper: four charts in one picture, with lines.

#include <math.h>

#include "bench/bench_bcp.h"

enum { POINTS_MAX = CLI_BCP_ITERATIONS_MAX + 1, SERIES_MAX = 3 };
enum { WIDTH = 430, HEIGHT = 300, LEFT = 52, RIGHT = 14, TOP = 46, BOTTOM = 62 };

typedef struct series_t {
  const char * name;
  const char * colour;
  double values[POINTS_MAX];
} series_t;

typedef struct chart_t {
  const char * title;
  const char * along;  // what stands below the axis
  int32_t first;       // x of the first point; the others follow by one
  int32_t count;
  series_t series[SERIES_MAX];
  double most;  // the end of the upright axis
} chart_t;

static const char style[] =
  "<style>\n"
  "  .page { fill: #fff } text { fill: #1d2024; font: 12px sans-serif } .title { font-weight: 600; font-size: 13px }\n"
  "  .axis { stroke: #4a4f57; fill: none } .grid { stroke: #d5d8dc; fill: none } .line { fill: none; stroke-width: 2 "
  "}\n"
  "  .number { font-size: 10px } .end { text-anchor: end } .middle { text-anchor: middle }\n"
  "  @media (prefers-color-scheme: dark) {\n"
  "    .page { fill: #1c1f23 } text { fill: #e7e8ea } .axis { stroke: #8d949e } .grid { stroke: #3a3f46 }\n"
  "  }\n"
  "</style>\n";

// The least of 1, 2 or 5 times a power of ten that cuts the axis into at most five parts.
static double step_of(double most)
{
  const double rough = most / 5.0;
  const double power = pow(10.0, floor(log10(rough)));
  const double share = rough / power;
  return power * (share <= 1.0 ? 1.0 : share <= 2.0 ? 2.0 : share <= 5.0 ? 5.0 : 10.0);
}

static double x_at(const chart_t * chart, int32_t point)
{
  const double room = WIDTH - LEFT - RIGHT;
  return LEFT + (chart->count > 1 ? room * point / (chart->count - 1) : room / 2.0);
}

static double y_at(const chart_t * chart, double value)
{
  return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / chart->most;
}

static void put_axes(FILE * stream, chart_t * chart)
{
  const double step = step_of(chart->most);
  chart->most = ceil(chart->most / step) * step;
  const int32_t lines = (int32_t)(chart->most / step + 0.5);
  for (int32_t i = 0; i <= lines; ++i) {
    const double y = y_at(chart, step * i);
    fprintf(stream, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y, WIDTH - RIGHT);
    fprintf(stream, "<text class=\"number end\" x=\"%d\" y=\"%.1f\">%g</text>\n", LEFT - 6, y + 3.5, step * i);
  }
  fprintf(stream, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
  const int32_t every = chart->count > 10 ? 2 : 1;
  for (int32_t i = 0; i < chart->count; i += every) {
    fprintf(
      stream, "<text class=\"number middle\" x=\"%.1f\" y=\"%d\">%d</text>\n", x_at(chart, i), HEIGHT - BOTTOM + 15,
      chart->first + i);
  }
  fprintf(
    stream, "<text class=\"middle\" x=\"%d\" y=\"%d\">%s</text>\n", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 32,
    chart->along);
  fprintf(stream, "<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>\n", LEFT, TOP - 20, chart->title);
}

static void put_series(FILE * stream, const chart_t * chart)
{
  double x = LEFT;
  for (int32_t s = 0; s < SERIES_MAX; ++s) {
    const series_t * series = &chart->series[s];
    // Wider below, so that lines that lie on each other are seen.
    fprintf(stream, "<path class=\"line\" stroke=\"%s\" style=\"stroke-width:%d\" d=\"", series->colour, 6 - 2 * s);
    for (int32_t i = 0; i < chart->count; ++i) {
      fprintf(stream, "%c%.1f %.1f", i == 0 ? 'M' : 'L', x_at(chart, i), y_at(chart, series->values[i]));
    }
    fprintf(stream, "\"><title>%s</title></path>\n", series->name);
    fprintf(stream, "<path class=\"line\" stroke=\"%s\" d=\"M%.1f %dh16\"/>", series->colour, x, HEIGHT - 12);
    fprintf(stream, "<text class=\"number\" x=\"%.1f\" y=\"%d\">%s</text>\n", x + 20, HEIGHT - 8, series->name);
    x += (WIDTH - LEFT - RIGHT) / (double)SERIES_MAX;
  }
}

static void put_chart(FILE * stream, chart_t * chart, int32_t column, int32_t row)
{
  for (int32_t s = 0; s < SERIES_MAX; ++s) {
    for (int32_t i = 0; i < chart->count; ++i) {
      chart->most = fmax(chart->most, chart->series[s].values[i]);
    }
  }
  chart->most = fmax(chart->most, 1.0);
  fprintf(stream, "<g transform=\"translate(%d %d)\">\n", column * WIDTH, row * HEIGHT);
  put_axes(stream, chart);
  put_series(stream, chart);
  fputs("</g>\n", stream);
}

// A line for each player; of all units, or of the hero.
static chart_t chart_of(const cli_bcp_report_t * report, cli_bcp_scenario_t scenario, bool is_hero)
{
  chart_t chart = {
    .first = cli_bcp_units_first(scenario),
    .count = cli_bcp_units_last(scenario) - cli_bcp_units_first(scenario) + 1,
    .along = "units",
    .series =
      {[CLI_BCP_TESTBED] = {.name = "A* (testbed)", .colour = "#c0392b"},
       [CLI_BCP_LRA] = {.name = "lra", .colour = "#b8860b"},
       [CLI_BCP_BCP] = {.name = "bcp", .colour = "#2471a3"}},
  };
  for (int32_t i = 0; i < chart.count; ++i) {
    const cli_bcp_row_t row = cli_bcp_row(report, scenario, chart.first + i);
    for (int32_t p = 0; p < CLI_BCP_PLAYERS; ++p) {
      chart.series[p].values[i] = is_hero ? row.hero[p] : row.steps[p];
    }
  }
  return chart;
}

static chart_t chart_of_deaths(const cli_bcp_report_t * report)
{
  chart_t chart = {
    .title = "The hero's flight: death rate (figure 9)",
    .count = report->iterations_max + 1,
    .along = "iterations (0: A*)",
    .series =
      {{.name = "follows", .colour = "#c0392b"},
       {.name = "one static", .colour = "#b8860b"},
       {.name = "two static", .colour = "#2471a3"}},
  };
  for (int32_t e = 0; e < CLI_BCP_EXTENSIONS; ++e) {
    for (int32_t i = 0; i < chart.count; ++i) {
      chart.series[e].values[i] = cli_bcp_death_rate(report, e, i);
    }
  }
  return chart;
}

void cli_bcp_write_svg(const cli_bcp_report_t * report, FILE * stream)
{
  chart_t steps = chart_of(report, CLI_BCP_RESCUE, false);
  chart_t hero = chart_of(report, CLI_BCP_RESCUE, true);
  chart_t groups = chart_of(report, CLI_BCP_GROUPS, false);
  chart_t deaths = chart_of_deaths(report);
  steps.title = "Rescue the hero: steps of all (figure 6)";
  hero.title = "Rescue the hero: steps of the hero (figure 7)";
  groups.title = "Two groups: steps of all (figure 11)";
  fprintf(
    stream, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", 2 * WIDTH,
    2 * HEIGHT, 2 * WIDTH, 2 * HEIGHT);
  fputs("<title>Biased cost pathfinding</title>\n", stream);
  fputs(style, stream);
  fprintf(stream, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", 2 * WIDTH, 2 * HEIGHT);
  put_chart(stream, &steps, 0, 0);
  put_chart(stream, &hero, 1, 0);
  put_chart(stream, &deaths, 0, 1);
  put_chart(stream, &groups, 1, 1);
  fputs("</svg>\n", stream);
}
