// Pictures of a plan: what they say is what the plan does.

#include <stdio.h>

#include "fleetweave/view.h"
#include "support/draw.h"
#include "support/test.h"

// ---- pictures -------------------------------------------------------------------------------------------------------

static char * picture_of(const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options)
{
  char * text = NULL;
  size_t length = 0;
  FILE * stream = open_memstream(&text, &length);
  assert_non_null(stream);
  assert_int_equal(fw_view_svg(problem, plan, options, stream, NULL), FW_RET_OK);
  fclose(stream);
  return text;
}

static int32_t count_of(const char * text, const char * part)
{
  int32_t count = 0;
  for (const char * at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
    count++;
  }
  return count;
}

// Robot 0 goes right, waits two ticks on (1,0) for robot 1 to pass the crossing at (2,0), and one more behind it.
//   0 . . . .
//   # # 1 # #
static const fw_cell_t across[] = {0, 1, 1, 1, 2, 3, 3, 4};
static const fw_cell_t through[] = {7, 7, 2, 7, 7, 7, 7, 7};

typedef struct crossing_t {
  fw_robot_t robots[2];
  fw_path_t paths[2];
  fw_problem_t problem;
  fw_plan_t plan;
} crossing_t;

static void crossing_make(crossing_t * crossing, const fw_grid_t * grid)
{
  crossing->robots[0] = (fw_robot_t){.start = 0, .goal = 4};
  crossing->robots[1] = (fw_robot_t){.start = 7, .goal = 7};
  crossing->paths[0] = (fw_path_t){.cells = across, .length = TEST_COUNT(across)};
  crossing->paths[1] = (fw_path_t){.cells = through, .length = TEST_COUNT(through)};
  crossing->problem = (fw_problem_t){.grid = grid, .robots = crossing->robots, .robot_count = 2};
  crossing->plan =
    (fw_plan_t){.outcome = FW_OUTCOME_SOLVED, .safe_until = FW_TICK_MAX, .paths = crossing->paths, .robot_count = 2};
}

static void waits_are_in_every_picture(void ** state)
{
  (void)state;
  DRAW(grid, ".....", "##.##");
  crossing_t crossing;
  crossing_make(&crossing, &grid);
  for (int32_t round = 0; round < 2; round++) {
    const fw_view_options_t moment = {.has_moment = true, .at = 3};
    char * text = picture_of(&crossing.problem, &crossing.plan, round == 0 ? NULL : &moment);
    assert_int_equal(count_of(text, "class=\"wait"), 2);
    assert_non_null(strstr(text, "robot 0 waits on (1,0), ticks 1 to 3"));
    assert_non_null(strstr(text, "robot 0 waits on (3,0), ticks 5 to 6"));
    assert_null(strstr(text, "robot 1 waits"));  // on its goal
    free(text);
  }
}

static void a_moment_has_ways_behind_ahead_and_later(void ** state)
{
  (void)state;
  DRAW(grid, ".....", "##.##");
  crossing_t crossing;
  crossing_make(&crossing, &grid);
  const fw_view_options_t options = {.has_moment = true, .at = 3, .window = 2, .shows_reservations = true};
  char * text = picture_of(&crossing.problem, &crossing.plan, &options);
  // Robot 0 on (1,0), a little off the middle.
  assert_non_null(strstr(text, "class=\"moment behind\" points=\"0.32,0.32 1.32,0.32 \""));
  assert_non_null(strstr(text, "class=\"moment ahead\" points=\"1.32,0.32 3.32,0.32 \""));
  // The goal's ring has a number: the line ends there.
  assert_non_null(strstr(text, "class=\"rest\" points=\"3.32,0.32 4.14,0.32 \""));
  // Ticks 3 to 5: robot 0 on (1,0), (2,0), (3,0); robot 1 on (2,1).
  assert_int_equal(count_of(text, "class=\"reserved\""), 4);
  assert_non_null(strstr(text, "robot 0 keeps (1,0), ticks 3<"));
  assert_non_null(strstr(text, "robot 0 keeps (2,0), ticks 4<"));
  assert_non_null(strstr(text, "robot 0 keeps (3,0), ticks 5<"));
  assert_non_null(strstr(
    text,
    "robot 1 keeps (2,1), ticks 3\xe2\x80\x93"
    "5<"));
  free(text);
}

// Without a moment and a window a solved plan has one line for each robot, and no legend.
static void the_whole_plan_is_as_plain_as_ever(void ** state)
{
  (void)state;
  DRAW(grid, ".....", "##.##");
  crossing_t crossing;
  crossing_make(&crossing, &grid);
  char * text = picture_of(&crossing.problem, &crossing.plan, NULL);
  assert_int_equal(count_of(text, "<polyline class=\"ahead\""), 2);
  assert_int_equal(count_of(text, "<polyline"), 2);
  assert_int_equal(count_of(text, "class=\"reserved\""), 0);
  assert_int_equal(count_of(text, "class=\"legend\""), 0);
  free(text);
}

// (2,0) is closed twice; the two that touch are one. Before tick 9 the second is still to come; the first is over at 4.
static void closures_have_their_ticks(void ** state)
{
  (void)state;
  DRAW(grid, ".....", "##.##");
  crossing_t crossing;
  crossing_make(&crossing, &grid);
  const fw_closure_t closures[] = {{2, 9, FW_TICK_MAX}, {2, 0, 1}, {2, 2, 3}, {5, 0, 9}};
  crossing.problem.closures = closures;
  crossing.problem.closure_count = TEST_COUNT(closures);
  char * text = picture_of(&crossing.problem, &crossing.plan, NULL);
  assert_int_equal(count_of(text, "class=\"closed\""), 2);  // the one on a wall is not drawn
  assert_non_null(strstr(
    text,
    "(2,0) is closed, ticks 0\xe2\x80\x93"
    "3<"));
  assert_non_null(strstr(text, "(2,0) is closed, ticks 9\xe2\x80\x93\xe2\x88\x9e<"));
  free(text);
  const fw_view_options_t options = {.has_moment = true, .at = 4};
  text = picture_of(&crossing.problem, &crossing.plan, &options);
  assert_int_equal(count_of(text, "<rect class=\"closed\" x=\"2.03\""), 1);
  assert_non_null(strstr(text, "opacity=\"0.5\"><title>(2,0) is closed, ticks 9"));
  free(text);
}

// A window of a rolling planner: the way to the goal goes on, dashed, around the wall; straight where there is none.
static void a_plan_that_ends_before_the_goal_is_drawn_on(void ** state)
{
  (void)state;
  DRAW(grid, "...", ".#.", "...");
  const fw_cell_t cells[] = {3, 0};
  const fw_path_t path = {.cells = cells, .length = 2};
  fw_robot_t robot = {.start = 3, .goal = 2};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
  const fw_plan_t plan = {.outcome = FW_OUTCOME_PARTIAL, .safe_until = 1, .paths = &path, .robot_count = 1};
  char * text = picture_of(&problem, &plan, NULL);
  assert_non_null(strstr(text, "class=\"ahead\" points=\"0.32,1.32 0.32,0.32 \""));
  assert_non_null(strstr(text, "class=\"rest\" points=\"0.32,0.32 2.14,0.32 \""));  // up to the goal's ring
  assert_non_null(strstr(text, "does not arrive"));
  free(text);
  robot.goal = 4;  // a wall
  text = picture_of(&problem, &plan, NULL);
  assert_non_null(strstr(text, "class=\"rest\" points=\"0.32,0.32 1.14,1.14 \""));
  free(text);
}

// Two ticks into a move of four the robot is halfway and covers the cells of both places.
static void slow_and_large_robots_are_drawn_where_they_are(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  const fw_cell_t cells[] = {0, 0, 0, 0, 1};
  const fw_path_t path = {.cells = cells, .length = 5};
  const fw_offset_t tall[] = {{0, 0}, {0, 1}};
  const fw_robot_t robot = {
    .start = 0, .goal = 1, .ticks_per_move = 4, .footprint = tall, .footprint_count = TEST_COUNT(tall)};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
  const fw_plan_t plan = {.outcome = FW_OUTCOME_SOLVED, .safe_until = FW_TICK_MAX, .paths = &path, .robot_count = 1};
  const fw_view_options_t options = {.has_moment = true, .at = 2, .window = 1, .shows_reservations = true};
  char * text = picture_of(&problem, &plan, &options);
  assert_non_null(strstr(text, "class=\"disc\" cx=\"1.00\" cy=\"0.50\""));
  assert_non_null(strstr(text, "class=\"shape\" d=\"M0 0h1v1h-1zM0 1h1v1h-1zM1 0h1v1h-1zM1 1h1v1h-1z\""));
  assert_int_equal(count_of(text, "class=\"reserved\""), 4);
  assert_int_equal(count_of(text, "class=\"wait"), 0);  // it moves all the time
  free(text);
}

// Half way down, the robot is where the ticks of the lower cell would stand.
static void ticks_make_room_for_robots(void ** state)
{
  (void)state;
  DRAW(grid, ".", ".");
  const fw_cell_t cells[] = {0, 0, 1};
  const fw_path_t path = {.cells = cells, .length = TEST_COUNT(cells)};
  const fw_robot_t robot = {.start = 0, .goal = 1, .ticks_per_move = 2};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
  const fw_plan_t plan = {.outcome = FW_OUTCOME_SOLVED, .safe_until = FW_TICK_MAX, .paths = &path, .robot_count = 1};
  fw_view_options_t options = {.has_moment = true, .at = 1, .shows_reservations = true};
  char * text = picture_of(&problem, &plan, &options);
  assert_non_null(strstr(text, "<text x=\"0.08\" y=\"0.232\" font-size=\"0.23\">1<"));
  assert_non_null(strstr(text, "<text x=\"0.08\" y=\"1.940\" font-size=\"0.23\">1"));
  free(text);
  options.at = 2;
  text = picture_of(&problem, &plan, &options);
  assert_non_null(strstr(text, "<text x=\"0.08\" y=\"1.232\" font-size=\"0.23\">2<"));
  free(text);
}

// A bar half way through a quarter turn: its outline and its nose lie at 45 degrees, it covers where it was, where it
// will be and the two corners between, and it does not wait.
static void a_robot_that_turns_is_drawn_as_it_lies(void ** state)
{
  (void)state;
  DRAW(grid, "...", "...", "...");
  const fw_cell_t cells[] = {4, 4, 4};
  uint8_t headings[] = {0, 0, 2};
  const fw_path_t path = {.cells = cells, .length = TEST_COUNT(cells), .headings = headings};
  const fw_offset_t bar[] = {{0, 0}, {-1, 0}, {1, 0}};
  const fw_robot_t robot = {
    .start = 4, .goal = 4, .turn_ticks = 2, .footprint = bar, .footprint_count = TEST_COUNT(bar)};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
  const fw_plan_t plan = {.outcome = FW_OUTCOME_SOLVED, .safe_until = FW_TICK_MAX, .paths = &path, .robot_count = 1};
  const fw_view_options_t options = {.has_moment = true, .at = 1, .window = 1, .shows_reservations = true};
  char * text = picture_of(&problem, &plan, &options);
  assert_int_equal(count_of(text, "transform=\"translate(1.50 1.50) rotate(45)\""), 2);
  assert_non_null(strstr(text, "class=\"body\" d=\"M-0.5 0.5h1M-0.5 -0.5h1M-1.5 0.5h1M-1.5 -0.5v1M-1.5 -0.5h1"));
  assert_int_equal(count_of(text, "class=\"nose\""), 1);
  assert_int_equal(count_of(text, "class=\"reserved\""), 7);
  assert_non_null(strstr(
    text,
    "robot 0 keeps (2,2), ticks 1\xe2\x80\x93"
    "2<"));
  assert_null(strstr(text, "robot 0 keeps (2,0)"));
  assert_non_null(strstr(text, "faces east"));
  assert_int_equal(count_of(text, "class=\"wait"), 0);
  free(text);
  headings[1] = 8;
  fw_error_t error = {0};
  FILE * stream = fopen("/dev/null", "w");
  assert_int_equal(fw_view_svg(&problem, &plan, NULL, stream, &error), FW_RET_INVALID_ARGUMENT);
  assert_string_equal(error.text, "robot 0 has heading 8 at tick 1; headings are 0 to 7");
  fclose(stream);
}

// Robot 1 stays on the crossing (2,0) up to tick 4, when robot 0 arrives there. The ring is there if the window has the
// tick.
static void conflicts_are_said_and_ringed(void ** state)
{
  (void)state;
  DRAW(grid, ".....", "##.##");
  crossing_t crossing;
  crossing_make(&crossing, &grid);
  char * text = picture_of(&crossing.problem, &crossing.plan, NULL);
  assert_int_equal(count_of(text, "class=\"conflict\""), 0);
  free(text);
  const fw_cell_t wrong[] = {7, 7, 2, 2, 2, 7};
  crossing.paths[1] = (fw_path_t){.cells = wrong, .length = TEST_COUNT(wrong)};
  const char * words = ">conflict (cell): robots 0 and 1 are both on (2,0) at tick 4<";
  const char * ring = "<circle cx=\"2.5\" cy=\"0.5\" r=\"0.62\"/>";
  const fw_view_options_t before = {.has_moment = true, .at = 1, .window = 2};
  const fw_view_options_t during = {.has_moment = true, .at = 1, .window = 3};
  const fw_view_options_t * const options[] = {NULL, &before, &during};
  for (int32_t i = 0; i < TEST_COUNT(options); i++) {
    text = picture_of(&crossing.problem, &crossing.plan, options[i]);
    assert_int_equal(count_of(text, words), 1);
    assert_int_equal(count_of(text, ring), i == 1 ? 0 : 1);
    free(text);
  }
  crossing.robots[1].goal = 6;  // a wall: the check refuses the problem itself
  text = picture_of(&crossing.problem, &crossing.plan, NULL);
  assert_int_equal(count_of(text, ">cannot be checked: "), 1);
  assert_null(strstr(text, "<circle cx=\"2.5\" cy=\"0.5\" r=\"0.62\"/>"));
  free(text);
}

static void plans_beside_each_other_are_for_one_map(void ** state)
{
  (void)state;
  DRAW(grid, ".....", "##.##");
  DRAW(wider, ".....", "#..##");
  crossing_t one;
  crossing_t other;
  crossing_make(&one, &grid);
  crossing_make(&other, &wider);
  fw_view_plan_t plans[] = {{&one.problem, &one.plan, "one"}, {&one.problem, &one.plan, "</script>"}, {0}};
  char * text = NULL;
  size_t length = 0;
  FILE * stream = open_memstream(&text, &length);
  fw_error_t error = {0};
  assert_int_equal(fw_view_html_plans(plans, 2, NULL, stream, NULL), FW_RET_OK);
  fclose(stream);
  assert_int_equal(count_of(text, "{\"name\":"), 2);
  assert_int_equal(count_of(text, "</script>"), 2);  // those of the page itself
  free(text);
  stream = fopen("/dev/null", "w");
  plans[1] = (fw_view_plan_t){&other.problem, &other.plan, NULL};
  assert_int_equal(fw_view_html_plans(plans, 2, NULL, stream, &error), FW_RET_INVALID_ARGUMENT);
  assert_string_equal(error.text, "two plans on one page must be for the same map; these have different ones");
  assert_int_equal(fw_view_html_plans(plans, 0, NULL, stream, &error), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(fw_view_html_plans(plans, 3, NULL, stream, &error), FW_RET_INVALID_ARGUMENT);
  assert_string_equal(error.text, "a page can have 1 to 2 plans, not 3");
  fclose(stream);
}

// What the page gets: a straight way is one step that is repeated; its own numbers are in the test of the browser.
static void the_page_gets_reservations_in_few_characters(void ** state)
{
  (void)state;
  DRAW(grid, "..............................");
  fw_cell_t cells[30];
  for (fw_cell_t cell = 0; cell < TEST_COUNT(cells); cell++) {
    cells[cell] = cell;
  }
  const fw_path_t path = {.cells = cells, .length = TEST_COUNT(cells)};
  const fw_offset_t wide[] = {{0, 0}, {-1, 0}};
  fw_robot_t robot = {.start = 0, .goal = 29};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
  const fw_plan_t plan = {.outcome = FW_OUTCOME_SOLVED, .safe_until = FW_TICK_MAX, .paths = &path, .robot_count = 1};
  char * text = NULL;
  size_t length = 0;
  FILE * stream = open_memstream(&text, &length);
  assert_int_equal(fw_view_html(&problem, &plan, NULL, stream, NULL), FW_RET_OK);
  fclose(stream);
  // 1 stay at tick 0 for 0 ticks more on (0,0), then 29 times: a tick later, a column on.
  assert_non_null(strstr(text, "\"footprints\":[\n\"\"\n],\n\"reservations\":[\n\"CAAAA6BCACA\"\n]"));
  free(text);
  robot.footprint = wide;
  robot.footprint_count = TEST_COUNT(wide);
  stream = open_memstream(&text, &length);
  assert_int_equal(fw_view_html(&problem, &plan, NULL, stream, NULL), FW_RET_OK);
  fclose(stream);
  assert_non_null(strstr(text, "\"footprints\":[\n\"AADA\"\n]"));
  free(text);
}

static void what_cannot_be_drawn_is_refused(void ** state)
{
  (void)state;
  DRAW(grid, ".....", "##.##");
  crossing_t crossing;
  crossing_make(&crossing, &grid);
  const fw_view_options_t late = {.has_moment = true, .at = 8};
  const fw_view_options_t early = {.has_moment = true, .at = -1};
  const fw_view_options_t back = {.has_moment = true, .window = -2};
  const fw_view_options_t whenever = {.shows_reservations = true};
  const fw_closure_t outside = {10, 0, 1};
  FILE * stream = fopen("/dev/null", "w");
  fw_error_t error = {0};
  assert_int_equal(fw_view_svg(&crossing.problem, &crossing.plan, &late, stream, &error), FW_RET_INVALID_ARGUMENT);
  assert_string_equal(error.text, "tick 8 is outside the plan: it has ticks 0 to 7");
  assert_int_equal(fw_view_html(&crossing.problem, &crossing.plan, &late, stream, NULL), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(fw_view_svg(&crossing.problem, &crossing.plan, &early, stream, NULL), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(fw_view_svg(&crossing.problem, &crossing.plan, &back, stream, NULL), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(fw_view_svg(&crossing.problem, &crossing.plan, &whenever, stream, NULL), FW_RET_INVALID_ARGUMENT);
  crossing.problem.closures = &outside;
  crossing.problem.closure_count = 1;
  assert_int_equal(fw_view_svg(&crossing.problem, &crossing.plan, NULL, stream, &error), FW_RET_INVALID_ARGUMENT);
  assert_string_equal(error.text, "closure 0 is outside the grid");
  fclose(stream);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(waits_are_in_every_picture),
    cmocka_unit_test(a_moment_has_ways_behind_ahead_and_later),
    cmocka_unit_test(the_whole_plan_is_as_plain_as_ever),
    cmocka_unit_test(closures_have_their_ticks),
    cmocka_unit_test(a_plan_that_ends_before_the_goal_is_drawn_on),
    cmocka_unit_test(slow_and_large_robots_are_drawn_where_they_are),
    cmocka_unit_test(ticks_make_room_for_robots),
    cmocka_unit_test(a_robot_that_turns_is_drawn_as_it_lies),
    cmocka_unit_test(conflicts_are_said_and_ringed),
    cmocka_unit_test(plans_beside_each_other_are_for_one_map),
    cmocka_unit_test(the_page_gets_reservations_in_few_characters),
    cmocka_unit_test(what_cannot_be_drawn_is_refused),
  };
  return TEST_RUN(tests);
}
