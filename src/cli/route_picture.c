// Lengths are in cells; the viewBox scales them.

#include "cli/route_picture.h"

#include <math.h>

#include "base/assert.h"
#include "view/palette.h"

static const char style[] =
  "<style>\n"
  "  .page { fill: " FW_PALETTE_PAGE " } .wall { fill: " FW_PALETTE_WALL
  " } .touched { fill: #f2b84b } text { fill: " FW_PALETTE_TEXT
  "; font-family: "
  "sans-serif }\n"
  "  .shape { fill: none; stroke: #3b8f6b } .point { fill: #3b8f6b } .way { fill: none; stroke: #c03028 }\n"
  "  .sight { fill: none; stroke: #2458a8; stroke-dasharray: 0.6 0.4 } .end { fill: #c03028 }\n"
  "  @media (prefers-color-scheme: dark) {\n"
  "    .page { fill: " FW_PALETTE_PAGE_DARK " } .wall { fill: " FW_PALETTE_WALL_DARK
  " } .touched { fill: #8a6a24 } text { fill: " FW_PALETTE_TEXT_DARK
  " }\n"
  "    .shape { stroke: #58b58c } .point { fill: #58b58c } .way { stroke: #ff7b6e } .end { fill: #ff7b6e }\n"
  "    .sight { stroke: #7fb0ff }\n"
  "  }\n"
  "  .way { stroke-linejoin: round; stroke-linecap: round } .touched { fill-opacity: 0.75 }\n"
  "</style>\n";

// The centre of a cell. Hexagonal tiles: odd rows are shifted half a tile to the east, and the distance of rows is
// sqrt(3)/2.
static double middle_x(const cli_route_picture_t * picture, fw_cell_t cell)
{
  const bool is_odd = fw_grid_y(picture->grid, cell) % 2 != 0;
  return fw_grid_x(picture->grid, cell) + 0.5 + (picture->is_hexagonal && is_odd ? 0.5 : 0.0);
}

static double middle_y(const cli_route_picture_t * picture, fw_cell_t cell)
{
  return (fw_grid_y(picture->grid, cell) + 0.5) * (picture->is_hexagonal ? sqrt(3.0) / 2.0 : 1.0);
}

// Writes the outline of a cell as a part of an SVG path.
static void put_cell(const cli_route_picture_t * picture, fw_cell_t cell)
{
  const double x = middle_x(picture, cell);
  const double y = middle_y(picture, cell);
  if (picture->is_hexagonal) {
    const double slope = sqrt(3.0) / 6.0;
    fprintf(
      picture->stream, "M%.2f %.2fl0.5 %.3fv%.3fl-0.5 %.3fl-0.5 -%.3fv-%.3fz", x, y - 2.0 * slope, slope, 2.0 * slope,
      slope, slope, 2.0 * slope);
  } else {
    fprintf(picture->stream, "M%.0f %.0fh1v1h-1z", x - 0.5, y - 0.5);
  }
}

// Writes the obstacles, runs of cells in a row as one rectangle.
static void put_walls(const cli_route_picture_t * picture)
{
  const fw_grid_t * grid = picture->grid;
  fputs("<path class=\"wall\" shape-rendering=\"crispEdges\" d=\"", picture->stream);
  for (int32_t y = 0; y < grid->height; y++) {
    for (int32_t x = 0; x < grid->width; x++) {
      const int32_t first = x;
      while (!picture->is_hexagonal && x < grid->width && !fw_grid_is_free(grid, x, y)) {
        x++;
      }
      if (x > first) {
        fprintf(picture->stream, "M%d %dh%dv1h-%dz", first, y, x - first, x - first);
      } else if (picture->is_hexagonal && !fw_grid_is_free(grid, x, y)) {
        put_cell(picture, fw_grid_cell(grid, x, y));
      }
    }
  }
  fputs("\"/>\n", picture->stream);
}

// Escapes what XML requires in the text of an element. Quotes stay, unlike in fw__escape_markup.
static void put_text(FILE * stream, const char * text)
{
  for (; *text != '\0'; text++) {
    switch (*text) {
      case '<':
        fputs("&lt;", stream);
        break;
      case '&':
        fputs("&amp;", stream);
        break;
      default:
        fputc(*text, stream);
    }
  }
}

void cli_route_picture_open(cli_route_picture_t * picture, const char * subtitle)
{
  FW_ASSERT(picture->stream != NULL && picture->grid != NULL);
  const fw_grid_t * grid = picture->grid;
  const double down = picture->is_hexagonal ? sqrt(3.0) / 2.0 : 1.0;
  const double width = grid->width + 1.5;
  const double side = fmax(width, grid->height * down);
  const double scale = fmax(2.0, fmin(32.0, 900.0 / side));
  picture->line = 17.0 / scale;
  const double head = 2.4 * picture->line;
  const double height = grid->height * down + 1.0 + head;
  FILE * stream = picture->stream;
  fprintf(
    stream,
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-0.5 %.3f %.3f %.3f\" width=\"%.0f\" height=\"%.0f\">\n",
    -0.5 - head, width, height, width * scale, height * scale);
  fputs(style, stream);
  fprintf(
    stream, "<rect class=\"page\" x=\"-0.5\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\"/>\n", -0.5 - head, width,
    height);
  fprintf(
    stream, "<text y=\"%.3f\" font-size=\"%.3f\" font-weight=\"600\">", -1.45 * picture->line, 0.85 * picture->line);
  put_text(stream, picture->title);
  fprintf(stream, "</text>\n<text y=\"%.3f\" font-size=\"%.3f\">", -0.45 * picture->line, 0.75 * picture->line);
  put_text(stream, subtitle);
  fputs("</text>\n", stream);
  put_walls(picture);
}

static void put_shape(const fw_shape_t * shape, void * state)
{
  const cli_route_picture_t * picture = state;
  if (shape->kind == FW_SHAPE_LINE && shape->from == shape->to) {
    return;
  }
  const double from_x = middle_x(picture, shape->from);
  const double from_y = middle_y(picture, shape->from);
  const double to_x = middle_x(picture, shape->to);
  const double to_y = middle_y(picture, shape->to);
  switch (shape->kind) {
    case FW_SHAPE_RECTANGLE:
      fprintf(
        picture->stream,
        "<rect class=\"shape\" stroke-width=\"%.3f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
        0.06 * picture->line, from_x - 0.5, from_y - 0.5, to_x - from_x + 1.0, to_y - from_y + 1.0);
      break;
    case FW_SHAPE_POINT:
      fprintf(
        picture->stream, "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.3f\"/>\n", from_x, from_y,
        fmax(0.25, 0.12 * picture->line));
      break;
    case FW_SHAPE_LINE:
      fprintf(
        picture->stream, "<path class=\"shape\" stroke-width=\"%.3f\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
        0.06 * picture->line, from_x, from_y, to_x, to_y);
      break;
  }
}

void cli_route_picture_put_shapes(cli_route_picture_t * picture, const fw_router_t * router)
{
  fw_router_shapes(router, put_shape, picture);
}

static void put_line(const cli_route_picture_t * picture, const char * class, const fw_cell_t * cells, int32_t count)
{
  fprintf(picture->stream, "<path class=\"%s\" stroke-width=\"%.3f\" d=\"", class, fmax(0.25, 0.14 * picture->line));
  for (int32_t i = 0; i < count; i++) {
    fprintf(
      picture->stream, "%c%.2f %.2f", i == 0 ? 'M' : 'L', middle_x(picture, cells[i]), middle_y(picture, cells[i]));
  }
  fputs("\"/>\n", picture->stream);
}

void cli_route_picture_put_route(cli_route_picture_t * picture, const fw_route_t * route)
{
  if (route->touched_count > 0) {
    fputs("<path class=\"touched\" shape-rendering=\"crispEdges\" d=\"", picture->stream);
    for (int32_t i = 0; i < route->touched_count; i++) {
      put_cell(picture, route->touched[i]);
    }
    fputs("\"/>\n", picture->stream);
  }
  if (route->length == 0) {
    return;
  }
  put_line(picture, "way", route->cells, route->length);
  if (route->corner_count > 0) {
    put_line(picture, "sight", route->corners, route->corner_count);
  }
  for (int32_t i = 0; i < 2; i++) {
    const fw_cell_t cell = route->cells[i == 0 ? 0 : route->length - 1];
    fprintf(
      picture->stream, "<circle class=\"end\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.3f\"/>\n", middle_x(picture, cell),
      middle_y(picture, cell), fmax(0.4, 0.25 * picture->line));
  }
}

void cli_route_picture_close(cli_route_picture_t * picture) { fputs("</svg>\n", picture->stream); }
