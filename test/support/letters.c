// Plans written by hand.

#include "support/letters.h"

#include "support/test.h"

typedef struct letter_t {
  char letter;
  int32_t dx;
  int32_t dy;
  int32_t turn;
} letter_t;

static const letter_t alphabet[] = {
  {'E', 1, 0, 0},
  {'S', 0, 1, 0},
  {'W', -1, 0, 0},
  {'N', 0, -1, 0},
  {'e', 1, 1, 0},
  {'s', -1, 1, 0},
  {'w', -1, -1, 0},
  {'n', 1, -1, 0},
  {'.', 0, 0, 0},
  {'>', 0, 0, 1},
  {'<', 0, 0, FW_HEADING_COUNT - 1},
};

static letter_t find(char letter)
{
  for (int32_t i = 0; i < TEST_COUNT(alphabet); ++i) {
    if (alphabet[i].letter == letter) {
      return alphabet[i];
    }
  }
  fail_msg("'%c' is not a letter of a plan", letter);
  return alphabet[0];
}

void letters_plan(letters_t * letters, const fw_problem_t * problem, const char * const * words)
{
  assert_in_range(problem->robot_count, 0, LETTERS_ROBOTS_MAX);
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const int32_t length = (int32_t)strlen(words[r]) + 1;
    const int32_t step = problem->connectivity == 8 ? 1 : 2;
    assert_in_range(length, 1, LETTERS_TICKS_MAX);
    letters->cells[r][0] = robot->start;
    letters->headings[r][0] = (uint8_t)robot->heading;
    for (int32_t t = 1; t < length; ++t) {
      const letter_t letter = find(words[r][t - 1]);
      letters->cells[r][t] = letters->cells[r][t - 1] + letter.dy * problem->grid->width + letter.dx;
      letters->headings[r][t] = (uint8_t)((letters->headings[r][t - 1] + step * letter.turn) % FW_HEADING_COUNT);
    }
    letters->paths[r] = (fw_path_t){
      .cells = letters->cells[r], .length = length, .headings = robot->turn_ticks > 0 ? letters->headings[r] : NULL};
  }
  letters->plan = (fw_plan_t){
    .outcome = FW_OUTCOME_SOLVED,
    .safe_until = FW_TICK_MAX,
    .paths = letters->paths,
    .robot_count = problem->robot_count,
  };
}
