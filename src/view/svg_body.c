// The body of a robot in a still picture: the cells that it covers, its outline as it lies, and its nose.

#include "view/picture.h"
#include "view/walk.h"

// The cells that it covers, on the way included.
static void put_shape(const fw__picture_t * picture, const fw__walk_t * walk)
{
  fw_cell_t * cells = picture->stays->cells;
  const int32_t count = fw__walk_cells(walk, picture->now, cells);
  fputs("  <path class=\"shape\" d=\"", picture->stream);
  for (int32_t i = 0; i < count; i++) {
    fprintf(picture->stream, "M%d %dh1v1h-1z", fw_grid_x(walk->grid, cells[i]), fw_grid_y(walk->grid, cells[i]));
  }
  fputs("\"/>\n", picture->stream);
}

static bool has_cell(fw_footprint_t footprint, int32_t dx, int32_t dy)
{
  bool has = false;
  for (int32_t i = 0; i < footprint.count && !has; i++) {
    has = footprint.cells[i].dx == dx && footprint.cells[i].dy == dy;
  }
  return has;
}

static void put_place(const fw__picture_t * picture, const fw__place_t * place)
{
  fprintf(picture->stream, " transform=\"translate(%.2f %.2f)", place->x, place->y);
  if (place->heading != 0.0) {
    fprintf(picture->stream, " rotate(%.4g)", 45.0 * place->heading);
  }
  fputs("\"/>\n", picture->stream);
}

// The sides of its cells that are no other cell's, for heading east, and the whole turned.
static void put_outline(const fw__picture_t * picture, fw_footprint_t footprint, const fw__place_t * place)
{
  static const struct side_t {
    fw_offset_t to;
    const char * stroke;
    double x;
    double y;
  } sides[4] = {
    {{1, 0}, "v1", 0.5, -0.5}, {{0, 1}, "h1", -0.5, 0.5}, {{-1, 0}, "v1", -0.5, -0.5}, {{0, -1}, "h1", -0.5, -0.5}};
  fputs("  <path class=\"body\" d=\"", picture->stream);
  for (int32_t i = 0; i < footprint.count; i++) {
    const fw_offset_t cell = footprint.cells[i];
    for (int32_t k = 0; k < 4; k++) {
      if (!has_cell(footprint, cell.dx + sides[k].to.dx, cell.dy + sides[k].to.dy)) {
        fprintf(picture->stream, "M%g %g%s", cell.dx + sides[k].x, cell.dy + sides[k].y, sides[k].stroke);
      }
    }
  }
  fputs("\"", picture->stream);
  put_place(picture, place);
}

void fw__picture_put_body(const fw__picture_t * picture, int32_t robot, double radius)
{
  const fw__walk_t walk = fw__walk(picture->problem, picture->plan, robot);
  const fw__place_t place = fw__walk_place(&walk, picture->now);
  if (walk.robot->footprint_count > 1) {
    put_shape(picture, &walk);
    put_outline(picture, fw__footprint_of(walk.robot), &place);
  }
  if (fw__walk_has_heading(&walk)) {
    fprintf(
      picture->stream, "  <path class=\"nose\" d=\"M%.2f %.2fL0.52 0L%.2f %.2f\"", 0.45 * radius, -0.85 * radius,
      0.45 * radius, 0.85 * radius);
    put_place(picture, &place);
  }
}
