// A picture of `bench rtaa`: the paper's Figure 4 (total time, time per episode, time per robot over the groups, a line per
// map, both axes logarithmic) and Figure 5 (the largest map and group in several ways, as bars).

#include <math.h>
#include <stdio.h>

#include "bench/bench_rtaa.h"

enum { PANEL_WIDTH = 300, PANEL_HEIGHT = 220, LEFT = 62, TOP = 46, GAP = 84, BAR_HEIGHT = 20, BAR_STEP = 28 };

static const char * const colours[CLI_RTAA_MAPS] = {"#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#76b7b2", "#e15759"};

typedef struct panel_t {
  const char * title;
  double (*value)(const cli_rtaa_row_t * row);
  double low;  // of the logarithms
  double high;
  int32_t x;
} panel_t;

static double total_ms(const cli_rtaa_row_t * row) { return row->total_s * 1e3; }
static double robot_us(const cli_rtaa_row_t * row) { return row->total_s * 1e6 / cli_rtaa_groups[row->group].robots; }

static void fit(const cli_rtaa_report_t * report, panel_t * panel)
{
  panel->low = 1e9;
  panel->high = -1e9;
  for (int32_t i = 0; i < report->row_count; ++i) {
    const double value = log10(fmax(panel->value(&report->rows[i]), 1e-6));
    panel->low = fmin(panel->low, floor(value));
    panel->high = fmax(panel->high, ceil(value));
  }
  panel->high = panel->high > panel->low ? panel->high : panel->low + 1.0;
}

static double x_of(const panel_t * panel, int32_t group)
{
  const double low = log10(cli_rtaa_groups[0].robots);
  const double high = log10(cli_rtaa_groups[CLI_RTAA_GROUPS - 1].robots);
  return panel->x + PANEL_WIDTH * (log10(cli_rtaa_groups[group].robots) - low) / (high - low);
}

static double y_of(const panel_t * panel, double logarithm)
{
  return TOP + PANEL_HEIGHT * (panel->high - logarithm) / (panel->high - panel->low);
}

static void draw_axes(const panel_t * panel, FILE * stream)
{
  fprintf(stream, "<text x=\"%d\" y=\"%d\" class=\"title\">%s</text>\n", panel->x, TOP - 14, panel->title);
  for (double mark = panel->low; mark <= panel->high + 0.5; mark += 1.0) {
    const double y = y_of(panel, mark);
    fprintf(
      stream, "<path d=\"M%d %.1fh%d\" class=\"grid\"/><text x=\"%d\" y=\"%.1f\" class=\"end\">%g</text>\n", panel->x,
      y, PANEL_WIDTH, panel->x - 6, y + 4.0, pow(10.0, mark));
  }
  for (int32_t group = 0; group < CLI_RTAA_GROUPS; ++group) {
    fprintf(
      stream, "<text x=\"%.1f\" y=\"%d\" class=\"middle\">%s</text>\n", x_of(panel, group), TOP + PANEL_HEIGHT + 16,
      cli_rtaa_groups[group].name);
  }
}

static void draw_lines(const cli_rtaa_report_t * report, const panel_t * panel, FILE * stream)
{
  for (int32_t map = 0; map < CLI_RTAA_MAPS; ++map) {
    char command = 'M';
    for (int32_t i = 0; i < report->row_count; ++i) {
      const cli_rtaa_row_t * row = &report->rows[i];
      if (row->map != map) {
        continue;
      }
      if (command == 'M') {
        fprintf(stream, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"", colours[map]);
      }
      fprintf(
        stream, "%c%.1f %.1f", command, x_of(panel, row->group), y_of(panel, log10(fmax(panel->value(row), 1e-6))));
      command = 'L';
    }
    fputs(command == 'L' ? "\"/>\n" : "", stream);
  }
}

static void draw_legend(const cli_rtaa_report_t * report, FILE * stream)
{
  int32_t x = LEFT;
  for (int32_t map = 0; map < CLI_RTAA_MAPS; ++map) {
    if (report->has_map[map]) {
      fprintf(
        stream, "<path d=\"M%d %dh18\" stroke=\"%s\" stroke-width=\"3\"/><text x=\"%d\" y=\"%d\">%s %d²</text>\n", x,
        TOP + PANEL_HEIGHT + 42, colours[map], x + 24, TOP + PANEL_HEIGHT + 46, cli_rtaa_maps[map].name,
        cli_rtaa_maps[map].side);
      x += 110;
    }
  }
}

static void draw_ways(const cli_rtaa_report_t * report, FILE * stream)
{
  const int32_t top = TOP + PANEL_HEIGHT + 100;
  double most = 1e-9;
  for (int32_t i = 0; i < report->way_count; ++i) {
    most = fmax(most, report->ways[i].total_s);
  }
  const cli_rtaa_row_t * first = &report->ways[0];
  fprintf(
    stream, "<text x=\"%d\" y=\"%d\" class=\"title\">%s %s, seconds in all</text>\n", LEFT, top - 12,
    cli_rtaa_maps[first->map].name, cli_rtaa_groups[first->group].name);
  for (int32_t i = 0; i < report->way_count; ++i) {
    const cli_rtaa_row_t * row = &report->ways[i];
    const double width = 500.0 * row->total_s / most;
    const int32_t y = top + i * BAR_STEP;
    fprintf(
      stream,
      "<text x=\"%d\" y=\"%d\">%d thread%s, %s, %d episode%s per call</text>"
      "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/><text x=\"%.1f\" y=\"%d\">%.3f</text>\n",
      LEFT, y + 15, row->way.threads, row->way.threads == 1 ? "" : "s", row->way.is_fused ? "fused" : "staged",
      row->way.stride, row->way.stride == 1 ? "" : "s", LEFT + 290, y, width, BAR_HEIGHT, colours[i % CLI_RTAA_MAPS],
      LEFT + 298 + width, y + 15, row->total_s);
  }
}

void cli_rtaa_write_svg(const cli_rtaa_report_t * report, FILE * stream)
{
  panel_t panels[] = {
    {.title = "Total time, ms", .value = total_ms},
    {.title = "Time per episode, ms", .value = cli_rtaa_per_episode_ms},
    {.title = "Time per robot, us", .value = robot_us},
  };
  const int32_t width = LEFT + 3 * (PANEL_WIDTH + GAP);
  const int32_t height = TOP + PANEL_HEIGHT + 120 + report->way_count * BAR_STEP;
  fprintf(
    stream,
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
    "font-family=\"sans-serif\" "
    "font-size=\"12\">\n<style>.title{font-weight:bold}.end{text-anchor:end}.middle{text-anchor:middle}"
    ".grid{stroke:#ddd;fill:none}</style>\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
    width, height, width, height, width, height);
  for (int32_t i = 0; i < 3; ++i) {
    panels[i].x = LEFT + i * (PANEL_WIDTH + GAP);
    fit(report, &panels[i]);
    draw_axes(&panels[i], stream);
    draw_lines(report, &panels[i], stream);
  }
  draw_legend(report, stream);
  draw_ways(report, stream);
  fputs("</svg>\n", stream);
}
