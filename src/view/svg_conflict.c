// The conflict of a still picture, in the words of `fleetweave check`.

#include <string.h>

#include "view/escape.h"
#include "view/picture.h"

#define TEXT 0.7           // height, in lines of text
#define LETTER_WIDTH 0.37  // on average, in lines of text

double fw__picture_conflict_lines(const fw__picture_t * picture) { return picture->flaw.text[0] != '\0' ? 1.0 : 0.0; }

double fw__picture_conflict_width(const fw__picture_t * picture)
{
  return LETTER_WIDTH * (double)strlen(picture->flaw.text);
}

// A moment's picture has the ring if the conflict lies in its window.
static bool has_ring(const fw__picture_t * picture)
{
  const fw_conflict_t * conflict = &picture->flaw.conflict;
  const bool is_now =
    !picture->options.has_moment || (conflict->tick >= picture->now && conflict->tick <= picture->last);
  return conflict->kind != FW_CONFLICT_NONE && is_now && conflict->cell >= 0 &&
         conflict->cell < fw_grid_cell_count(picture->problem->grid);
}

void fw__picture_put_conflict(const fw__picture_t * picture)
{
  FILE * stream = picture->stream;
  const fw_grid_t * grid = picture->problem->grid;
  if (picture->flaw.text[0] == '\0') {
    return;
  }
  fprintf(
    stream, "<g class=\"conflict\">\n  <text x=\"0\" y=\"%.3f\" font-size=\"%.3f\">", -0.35 * picture->line,
    TEXT * picture->line);
  fw__escape_markup(stream, picture->flaw.text);
  fputs("</text>\n", stream);
  if (has_ring(picture)) {
    fprintf(
      stream, "  <circle cx=\"%.1f\" cy=\"%.1f\" r=\"0.62\"/>\n", fw_grid_x(grid, picture->flaw.conflict.cell) + 0.5,
      fw_grid_y(grid, picture->flaw.conflict.cell) + 0.5);
  }
  fputs("</g>\n", stream);
}
