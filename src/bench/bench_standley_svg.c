// The curves of Standley's figures 6 and 7 as one picture: running times in order, and largest groups solved by size.

#include <math.h>

#include "bench/bench_standley.h"

enum { WIDTH = 720, HEIGHT = 340, LEFT = 70, TOP = 40, PLOT_WIDTH = 380, PLOT_HEIGHT = 240 };

static const char * const colours[] = {"#4477aa", "#ee6677", "#228833", "#aa3377", "#ccbb44", "#66ccee", "#777777"};
#define COLOUR(index) colours[(index) % (int32_t)(sizeof(colours) / sizeof(colours[0]))]

static void write_text(FILE * stream, double x, double y, const char * anchor, const char * text)
{
  fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
  for (const char * c = text; *c != '\0'; ++c) {
    fputs(*c == '<' ? "&lt;" : *c == '&' ? "&amp;" : (char[]){*c, '\0'}, stream);
  }
  fputs("</text>\n", stream);
}

static void write_frame(FILE * stream, double top, const char * title, const char * below)
{
  fprintf(
    stream, "<rect x=\"%d\" y=\"%.0f\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>\n", LEFT, top,
    PLOT_WIDTH, PLOT_HEIGHT);
  write_text(stream, LEFT, top - 12, "start", title);
  write_text(stream, LEFT + PLOT_WIDTH / 2.0, top + PLOT_HEIGHT + 34, "middle", below);
}

static void write_line(FILE * stream, double x, double y, bool is_first)
{
  fprintf(stream, "%s%.1f,%.1f", is_first ? "" : " ", x, y);
}

static void write_name(FILE * stream, double top, int32_t index, const char * name)
{
  const double y = top + 14 + 18 * index;
  fprintf(
    stream, "<rect x=\"%d\" y=\"%.1f\" width=\"14\" height=\"3\" fill=\"%s\"/>\n", LEFT + PLOT_WIDTH + 14, y - 5,
    COLOUR(index));
  write_text(stream, LEFT + PLOT_WIDTH + 34, y, "start", name);
}

// ---- figure 6 -------------------------------------------------------------------------------------------------------

static double height_of(double ms, double limit_ms)
{
  const double low = log10(0.01);
  const double share = (log10(ms < 0.01 ? 0.01 : ms) - low) / (log10(limit_ms) - low);
  return PLOT_HEIGHT * (1.0 - (share > 1.0 ? 1.0 : share));
}

static void write_times(const cli_standley_rows_t * rows, FILE * stream, double top)
{
  cli_standley_algorithm_t algorithms[CLI_STANDLEY_ALGORITHMS_MAX];
  const int32_t count = cli_standley_algorithms(&rows->settings, algorithms);
  const double limit_ms = rows->settings.time_limit * 1000.0;
  char title[120];
  snprintf(
    title, sizeof(title), "Running time of each instance that is solved, in order (ms)%s",
    rows->settings.cuts_corners ? ", corners cut" : "");
  write_frame(stream, top, title, "share of instances (%)");
  for (double ms = 0.01; ms < limit_ms * 1.01; ms *= 10.0) {
    char text[32];
    snprintf(text, sizeof(text), "%g", ms);
    write_text(stream, LEFT - 8, top + height_of(ms, limit_ms) + 4, "end", text);
  }
  for (int32_t share = 0; share <= 100; share += 20) {
    char text[32];
    snprintf(text, sizeof(text), "%d", share);
    write_text(stream, LEFT + PLOT_WIDTH * share / 100.0, top + PLOT_HEIGHT + 16, "middle", text);
  }
  for (int32_t i = 0; i < count; ++i) {
    cli_standley_figures_t figures = cli_standley_figures(rows, algorithms[i].name);
    const int32_t step = figures.solved > 400 ? figures.solved / 400 : 1;
    fprintf(stream, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", COLOUR(i));
    for (int32_t k = 0; k < figures.solved; k += step) {
      write_line(
        stream, LEFT + PLOT_WIDTH * (k + 1.0) / figures.count, top + height_of(figures.solved_ms[k], limit_ms), k == 0);
    }
    if (figures.solved > 0) {
      write_line(
        stream, LEFT + PLOT_WIDTH * (double)figures.solved / figures.count,
        top + height_of(figures.solved_ms[figures.solved - 1], limit_ms), false);
    }
    fputs("\"/>\n", stream);
    write_name(stream, top, i, algorithms[i].name);
    cli_standley_figures_fini(&figures);
  }
}

// ---- figure 7 -------------------------------------------------------------------------------------------------------

static void write_groups(const cli_standley_rows_t * rows, FILE * stream, double top)
{
  cli_standley_algorithm_t algorithms[CLI_STANDLEY_ALGORITHMS_MAX];
  const int32_t count = cli_standley_algorithms(&rows->settings, algorithms);
  const double step = PLOT_WIDTH / 20.0;  // groups of more than 20 are off the picture
  char title[120];
  snprintf(title, sizeof(title), "Largest groups solved alone within %g s (%%)", 2.0 * rows->settings.time_limit);
  write_frame(stream, top, title, "robots in the group");
  for (int32_t share = 0; share <= 100; share += 20) {
    char text[32];
    snprintf(text, sizeof(text), "%d", share);
    write_text(stream, LEFT - 8, top + PLOT_HEIGHT * (1.0 - share / 100.0) + 4, "end", text);
  }
  for (int32_t size = 2; size <= 20; size += 2) {
    char text[32];
    snprintf(text, sizeof(text), "%d", size);
    write_text(stream, LEFT + step * size, top + PLOT_HEIGHT + 16, "middle", text);
  }
  for (int32_t i = 0; i < count; ++i) {
    cli_standley_group_figures_t figures[CLI_STANDLEY_ROBOTS_MAX];
    const int32_t sizes = cli_standley_group_figures(rows, algorithms[i].name, figures);
    if (sizes == 0) {
      continue;
    }
    fprintf(stream, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", COLOUR(i));
    for (int32_t k = 0; k < sizes && figures[k].size <= 20; ++k) {
      write_line(
        stream, LEFT + step * figures[k].size, top + PLOT_HEIGHT * (1.0 - (double)figures[k].solved / figures[k].count),
        k == 0);
    }
    fputs("\"/>\n", stream);
    write_name(stream, top, i, algorithms[i].name);
  }
}

void cli_standley_write_svg(const cli_standley_rows_t * rows, FILE * stream)
{
  fprintf(
    stream,
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
    "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
    WIDTH, 2 * HEIGHT, WIDTH, 2 * HEIGHT);
  write_times(rows, stream, TOP);
  write_groups(rows, stream, HEIGHT + TOP);
  fputs("</svg>\n", stream);
}
