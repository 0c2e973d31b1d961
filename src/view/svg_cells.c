// Closures and reservations of a still picture. Those of one cell share it, in bands from the first at the top to the
// last at the bottom, each with its ticks.

#include <math.h>

#include "view/palette.h"
#include "view/picture.h"
#include "view/walk.h"

#define GAP 0.03       // around a band, in cells
#define TEXT_MAX 0.23  // height of the ticks, in cells
#define TEXT_MIN_PX 5.0

typedef struct band_t {
  const fw__stay_t * stay;
  double x;
  double y;
  double height;
} band_t;

// The band of item `at`, of all those on its cell.
static band_t band_of(const fw__picture_t * picture, int32_t at)
{
  const fw__stays_t * stays = picture->stays;
  const fw_cell_t cell = stays->items[at].cell;
  int32_t first = at;
  int32_t behind = at + 1;
  while (first > 0 && stays->items[first - 1].cell == cell) {
    first--;
  }
  while (behind < stays->count && stays->items[behind].cell == cell) {
    behind++;
  }
  const double height = 1.0 / (behind - first);
  const fw_grid_t * grid = picture->problem->grid;
  return (band_t){
    .stay = &stays->items[at],
    .x = fw_grid_x(grid, cell),
    .y = fw_grid_y(grid, cell) + (at - first) * height,
    .height = height,
  };
}

// "7", "7–9", or "7–∞" for ever.
static void put_span(const fw__picture_t * picture, const fw__stay_t * stay)
{
  fprintf(picture->stream, "%d", stay->from);
  if (stay->to >= FW_TICK_MAX) {
    fputs("\xe2\x80\x93\xe2\x88\x9e", picture->stream);
  } else if (stay->to > stay->from) {
    fprintf(picture->stream, "\xe2\x80\x93%d", stay->to);
  }
}

// What comes soon is strong.
static double strength(const fw__picture_t * picture, const fw__stay_t * stay)
{
  const double ahead = stay->from - picture->now;
  const double all = picture->last > picture->now ? picture->last - picture->now : 1.0;
  return 0.46 - 0.3 * (ahead < all ? ahead / all : 1.0);
}

static void put_band(const fw__picture_t * picture, const band_t * band)
{
  FILE * stream = picture->stream;
  const fw__stay_t * stay = band->stay;
  const int32_t x = fw_grid_x(picture->problem->grid, stay->cell);
  const int32_t y = fw_grid_y(picture->problem->grid, stay->cell);
  const bool is_closed = stay->robot == FW__STAY_CLOSED;
  fprintf(
    stream, "  <rect class=\"%s\" x=\"%.2f\" y=\"%.3f\" width=\"%.2f\" height=\"%.3f\" rx=\"0.06\"",
    is_closed ? "closed" : "reserved", band->x + GAP, band->y + GAP, 1.0 - 2.0 * GAP, band->height - 2.0 * GAP);
  if (is_closed) {
    const bool is_later = picture->options.has_moment && stay->from > picture->now;
    fprintf(stream, "%s><title>(%d,%d) is closed, ticks ", is_later ? " opacity=\"0.5\"" : "", x, y);
  } else {
    fprintf(
      stream, " fill=\"%s\" fill-opacity=\"%.2f\"><title>robot %d keeps (%d,%d), ticks ",
      fw__palette_colour(stay->robot).text, strength(picture, stay), stay->robot, x, y);
  }
  put_span(picture, stay);
  fputs("</title></rect>\n", stream);
}

void fw__picture_put_cells(const fw__picture_t * picture)
{
  fputs("<g>\n", picture->stream);
  for (int32_t i = 0; i < picture->stays->count; i++) {
    const band_t band = band_of(picture, i);
    put_band(picture, &band);
  }
  fputs("</g>\n", picture->stream);
}

static bool is_near(const band_t * band, double x, double y, double reach)
{
  return fabs(x - (band->x + 0.28)) < reach + 0.22 && fabs(y - (band->y + 0.15)) < reach + 0.1;
}

// Is a robot where the ticks would stand, at the top of a band: on its way between cells, or with its nose? Then they go to
// the bottom.
static bool is_hidden(const fw__picture_t * picture, const band_t * band)
{
  bool is = false;
  for (int32_t robot = 0; robot < picture->plan->robot_count && !is; robot++) {
    const fw__walk_t walk = fw__walk(picture->problem, picture->plan, robot);
    const fw__place_t place = fw__walk_place(&walk, picture->now);
    const double angle = atan(1.0) * place.heading;
    const double tip = fw__walk_has_heading(&walk) ? 0.45 : 0.0;
    is = is_near(band, place.x, place.y, 0.24) ||
         (tip > 0.0 && is_near(band, place.x + tip * cos(angle), place.y + tip * sin(angle), 0.05));
  }
  return is && picture->options.has_moment && band->height == 1.0;
}

void fw__picture_put_ticks(const fw__picture_t * picture)
{
  fputs("<g class=\"ticks\">\n", picture->stream);
  for (int32_t i = 0; i < picture->stays->count; i++) {
    const band_t band = band_of(picture, i);
    const double height = 0.8 * band.height < TEXT_MAX ? 0.8 * band.height : TEXT_MAX;
    if (height * picture->cell_px < TEXT_MIN_PX) {
      continue;
    }
    const double y = is_hidden(picture, &band) ? band.y + 1.0 - 2.0 * GAP : band.y + GAP + 0.88 * height;
    fprintf(picture->stream, "  <text x=\"%.2f\" y=\"%.3f\" font-size=\"%.2f\">", band.x + 0.08, y, height);
    put_span(picture, band.stay);
    fputs("</text>\n", picture->stream);
  }
  fputs("</g>\n", picture->stream);
}
