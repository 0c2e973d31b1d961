// The figures of `bench search` as a picture: for each map four columns of bars, all but the length on a scale where each
// line is ten times the one before.

#include <math.h>
#include <string.h>

#include "bench/bench_search.h"

enum { LEFT = 110, COLUMN = 210, GAP = 24, BAR = 16, HEAD = 64, COLUMNS = 4 };

static const char style[] =
  "<style>\n"
  "  .page { fill: #fff } text { fill: #1d2024; font: 12px sans-serif } .title { font-weight: 600; font-size: 14px }\n"
  "  .faint { fill: #5d646d; font-size: 11px } .bar { fill: #3b6fb6 } .grid { stroke: #d5d9de }\n"
  "  @media (prefers-color-scheme: dark) {\n"
  "    .page { fill: #1c1f23 } text { fill: #e7e8ea } .faint { fill: #a3abb5 } .bar { fill: #6fa1e0 }\n"
  "    .grid { stroke: #3a4048 }\n"
  "  }\n"
  "</style>\n";

typedef struct column_t {
  const char * title;
  bool is_logarithmic;
} column_t;

static const column_t columns[COLUMNS] = {
  {"microseconds per question", true},
  {"expansions", true},
  {"kilobytes per question", true},
  {"length over optimal", false}};

static double value_of(const cli_search_row_t * row, int32_t column)
{
  const double values[COLUMNS] = {row->us_per_query, row->expanded, row->kb_per_query, row->length_mean};
  return values[column];
}

// From 0 to 1 within the column; `low` and `high` are its ends.
static double share_of(double value, bool is_logarithmic, double low, double high)
{
  if (isnan(value)) {
    return 0.0;
  }
  const double at = is_logarithmic ? log10(fmax(value, low)) : value;
  const double from = is_logarithmic ? log10(low) : low;
  const double to = is_logarithmic ? log10(high) : high;
  return fmin(1.0, fmax(0.0, (at - from) / (to - from)));
}

static void put_column(
  const cli_search_report_t * report, const cli_search_case_t * found, int32_t column, double top, FILE * stream)
{
  const bool is_logarithmic = columns[column].is_logarithmic;
  double low = is_logarithmic ? 1e9 : 1.0;
  double high = is_logarithmic ? 1e-3 : 1.02;
  for (int32_t i = 0; i < report->search_count; i++) {
    const double value = value_of(&found->rows[i], column);
    if (found->rows[i].search != NULL && !found->rows[i].is_left_out && !isnan(value)) {
      low = is_logarithmic ? fmin(low, fmax(value, 0.01)) : low;
      high = fmax(high, value);
    }
  }
  low = is_logarithmic ? pow(10.0, floor(log10(low))) / 2.0 : low;
  high = is_logarithmic ? pow(10.0, ceil(log10(fmax(high, low * 10.0)))) : high;
  const double left = LEFT + column * (COLUMN + GAP);
  fprintf(stream, "<text class=\"faint\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", left, top - 6.0, columns[column].title);
  for (double line = low * 2.0; is_logarithmic && line <= high * 1.01; line *= 10.0) {
    const double x = left + COLUMN * share_of(line, true, low, high);
    fprintf(stream, "<path class=\"grid\" d=\"M%.1f %.0fv%d\"/>\n", x, top, report->search_count * BAR);
  }
  for (int32_t i = 0; i < report->search_count; i++) {
    const cli_search_row_t * row = &found->rows[i];
    const double y = top + i * BAR;
    if (row->search == NULL || row->is_left_out) {
      continue;
    }
    const double value = value_of(row, column);
    const double width = (COLUMN - 52) * share_of(value, is_logarithmic, low, high);
    fprintf(
      stream, "<rect class=\"bar\" x=\"%.0f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>\n", left, y + 2.0, width,
      BAR - 4);
    if (!isnan(value)) {
      fprintf(
        stream, "<text class=\"faint\" x=\"%.1f\" y=\"%.1f\">%.*f</text>\n", left + width + 4.0, y + BAR - 4.0,
        column == 3 ? 3 : (value < 10.0 ? 2 : (value < 100.0 ? 1 : 0)), value);
    }
  }
}

static void put_case(const cli_search_report_t * report, const cli_search_case_t * found, double top, FILE * stream)
{
  fprintf(
    stream, "<text class=\"title\" x=\"8\" y=\"%.0f\">%s, %d questions, connectivity %d</text>\n", top - 30.0,
    strrchr(found->map_name, '/') != NULL ? strrchr(found->map_name, '/') + 1 : found->map_name, found->query_count,
    report->router.connectivity);
  for (int32_t i = 0; i < report->search_count; i++) {
    fprintf(
      stream, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 8, top + i * BAR + BAR - 4.0,
      report->searches[i]);
  }
  for (int32_t column = 0; column < COLUMNS; column++) {
    put_column(report, found, column, top, stream);
  }
}

void cli_search_write_svg(const cli_search_report_t * report, FILE * stream)
{
  const int32_t width = LEFT + COLUMNS * (COLUMN + GAP);
  const int32_t part = HEAD + report->search_count * BAR;
  const int32_t height = report->case_count * part + 16;
  fprintf(
    stream, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", width,
    height, width, height);
  fputs(style, stream);
  fprintf(stream, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", width, height);
  for (int32_t i = 0; i < report->case_count; i++) {
    if (report->cases[i].rows != NULL) {
      put_case(report, &report->cases[i], i * part + HEAD, stream);
    }
  }
  fputs("</svg>\n", stream);
}
