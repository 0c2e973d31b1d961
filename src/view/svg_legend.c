// The legend of a moment's picture: signs with their words, those alone that the picture has, broken into lines where the
// row is too long. Lengths are in lines of text; the group is scaled.

#include <string.h>

#include "view/picture.h"
#include "view/walk.h"

#define SIGN_WIDTH 1.7
#define LETTER_WIDTH 0.36  // on average
#define GAP 1.1

enum { SIGNS_MAX = 8 };

typedef struct sign_t {
  const char * drawing;  // 1.4 wide, 1 high, its middle at y = 0
  const char * words;
  double x;
  int32_t line;
} sign_t;

typedef struct legend_t {
  sign_t signs[SIGNS_MAX];
  int32_t count;
  char window_words[40];
} legend_t;

static const char behind_drawing[] = "<path class=\"behind\" d=\"M0.1 0h1.2\"/>";
static const char ahead_drawing[] = "<path class=\"ahead\" d=\"M0.1 0h1.2\"/>";
static const char rest_drawing[] = "<path class=\"rest\" d=\"M0 0h1.4\"/>";
static const char goal_drawing[] = "<circle class=\"goal\" cx=\"0.9\" cy=\"0\" r=\"0.36\" stroke-width=\"0.14\"/>";
static const char reserved_drawing[] =
  "<rect x=\"0.1\" y=\"-0.45\" width=\"1.2\" height=\"0.9\" rx=\"0.1\" fill-opacity=\"0.3\"/>"
  "<text x=\"0.27\" y=\"0.2\" font-size=\"0.55\">7\xe2\x80\x93\x39</text>";
static const char wait_drawing[] =
  "<circle cx=\"0.9\" cy=\"0\" r=\"0.38\"/><text class=\"inverse\" x=\"0.74\" y=\"0.2\" font-size=\"0.55\">3</text>";
static const char closed_drawing[] =
  "<rect class=\"closed\" x=\"0.1\" y=\"-0.45\" width=\"1.2\" height=\"0.9\" rx=\"0.1\"/>";

static bool has_waits(const fw__picture_t * picture)
{
  bool has = false;
  for (int32_t robot = 0; robot < picture->plan->robot_count && !has; robot++) {
    const fw__walk_t walk = fw__walk(picture->problem, picture->plan, robot);
    fw__wait_t wait;
    has = fw__walk_next_wait(&walk, 0, picture->end, &wait);
  }
  return has;
}

static bool has_rest(const fw__picture_t * picture)
{
  bool has = false;
  for (int32_t robot = 0; robot < picture->plan->robot_count && !has; robot++) {
    has = picture->last < picture->plan->paths[robot].length - 1 ||
          fw_path_at(&picture->plan->paths[robot], picture->end) != picture->problem->robots[robot].goal;
  }
  return has;
}

// Puts a sign behind the others, on a line of its own if it does not fit.
static void add(legend_t * legend, const fw__picture_t * picture, const char * drawing, const char * words)
{
  const double width = SIGN_WIDTH + LETTER_WIDTH * (double)strlen(words);
  sign_t sign = {.drawing = drawing, .words = words};
  if (legend->count > 0) {
    const sign_t * before = &legend->signs[legend->count - 1];
    const double end = before->x + SIGN_WIDTH + LETTER_WIDTH * (double)strlen(before->words) + GAP;
    const bool fits = (end + width) * picture->line <= picture->width - 1.0;
    sign.x = fits ? end : 0.0;
    sign.line = fits ? before->line : before->line + 1;
  }
  legend->signs[legend->count++] = sign;
}

static void fill(legend_t * legend, const fw__picture_t * picture)
{
  bool has_closed = false;
  for (int32_t i = 0; i < picture->stays->count; i++) {
    has_closed = has_closed || picture->stays->items[i].robot == FW__STAY_CLOSED;
  }
  snprintf(legend->window_words, sizeof(legend->window_words), "window: %d ticks", picture->options.window);
  add(legend, picture, goal_drawing, "goal");
  if (picture->now > 0) {
    add(legend, picture, behind_drawing, "behind");
  }
  add(legend, picture, ahead_drawing, picture->options.window > 0 ? legend->window_words : "ahead");
  if (has_rest(picture)) {
    add(legend, picture, rest_drawing, "later");
  }
  if (picture->options.shows_reservations) {
    add(legend, picture, reserved_drawing, "reserved, ticks 7 to 9");
  }
  if (has_waits(picture)) {
    add(legend, picture, wait_drawing, "waits 3 ticks");
  }
  if (has_closed) {
    add(legend, picture, closed_drawing, "closed");
  }
}

int32_t fw__picture_legend_lines(const fw__picture_t * picture)
{
  legend_t legend = {0};
  if (!picture->options.has_moment) {
    return 0;
  }
  fill(&legend, picture);
  return legend.signs[legend.count - 1].line + 1;
}

void fw__picture_put_legend(const fw__picture_t * picture)
{
  FILE * stream = picture->stream;
  legend_t legend = {0};
  fill(&legend, picture);
  fprintf(
    stream, "<g class=\"legend\" transform=\"translate(0 %.3f) scale(%.4f)\">\n",
    picture->problem->grid->height + 1.1 * picture->line, picture->line);
  for (int32_t i = 0; i < legend.count; i++) {
    const sign_t * sign = &legend.signs[i];
    fprintf(
      stream,
      "  <g transform=\"translate(%.2f %.2f)\">%s<text x=\"%.2f\" y=\"0.24\" font-size=\"0.68\">%s</text></g>\n",
      sign->x, 1.3 * sign->line, sign->drawing, SIGN_WIDTH, sign->words);
  }
  fputs("</g>\n", stream);
}
