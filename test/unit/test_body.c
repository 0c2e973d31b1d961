// Bodies: footprints as they turn, and motions as lists of cells and ticks, drawn.

#include "world/body.h"

#include <math.h>

#include "base/rng.h"
#include "support/test.h"
#include "support/rotated.h"

enum { SIDE = 5, MIDDLE = 2 };

static const fw_offset_t long_cells[] = {{-1, 0}, {0, 0}, {1, 0}};
static const fw_offset_t nose_cells[] = {{0, 0}, {1, 0}, {2, 0}};
static const fw_offset_t square_cells[] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
static const fw_offset_t block_cells[] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};

static const fw_footprint_t bar = {long_cells, 3};
static const fw_footprint_t nose = {nose_cells, 3};
static const fw_footprint_t square = {square_cells, 4};
static const fw_footprint_t block = {block_cells, 9};

// ---- footprints -----------------------------------------------------------------------------------------------------

// Rows of five with the robot's own cell in the middle; '#' is covered.
static void assert_turned(fw_footprint_t footprint, int32_t heading, const char * expected)
{
  char picture[SIDE * (SIDE + 1)];
  for (int32_t i = 0; i < SIDE * (SIDE + 1); ++i) {
    picture[i] = i % (SIDE + 1) == SIDE ? ' ' : '.';
  }
  picture[sizeof(picture) - 1] = '\0';
  fw_offset_t cells[SIDE * SIDE];
  const int32_t count = fw__footprint_rotate_into(footprint, heading, cells, SIDE * SIDE);
  for (int32_t i = 0; i < count; ++i) {
    char * at = &picture[(cells[i].dy + MIDDLE) * (SIDE + 1) + cells[i].dx + MIDDLE];
    assert_int_equal(*at, '.');  // each cell once
    *at = '#';
  }
  assert_string_equal(picture, expected);
}

static void quarters_turn_exactly(void ** state)
{
  (void)state;
  assert_turned(nose, FW_HEADING_EAST, "..... ..... ..### ..... .....");
  assert_turned(nose, FW_HEADING_SOUTH, "..... ..... ..#.. ..#.. ..#..");
  assert_turned(nose, FW_HEADING_WEST, "..... ..... ###.. ..... .....");
  assert_turned(nose, FW_HEADING_NORTH, "..#.. ..#.. ..#.. ..... .....");
  assert_turned(square, FW_HEADING_EAST, "..... ..... ..##. ..##. .....");
  assert_turned(square, FW_HEADING_SOUTH, "..... ..... .##.. .##.. .....");
  assert_turned(square, FW_HEADING_WEST, "..... .##.. .##.. ..... .....");
  assert_turned(square, FW_HEADING_NORTH, "..... ..##. ..##. ..... .....");
}

static void between_quarters_cells_are_those_whose_centres_are_inside(void ** state)
{
  (void)state;
  assert_turned(bar, FW_HEADING_SOUTH_EAST, "..... .#... ..#.. ...#. .....");
  assert_turned(bar, FW_HEADING_SOUTH_WEST, "..... ...#. ..#.. .#... .....");
  assert_turned(bar, FW_HEADING_NORTH_WEST, "..... .#... ..#.. ...#. .....");
  assert_turned(bar, FW_HEADING_NORTH_EAST, "..... ...#. ..#.. .#... .....");
  assert_turned(square, FW_HEADING_SOUTH_EAST, "..... ..... ..#.. .###. ..#..");
  assert_turned(square, FW_HEADING_SOUTH_WEST, "..... .#... ###.. .#... .....");
  assert_turned(block, FW_HEADING_SOUTH_EAST, "..#.. .###. ##### .###. ..#..");
  assert_turned(fw__footprint_single, FW_HEADING_NORTH_EAST, "..... ..... ..#.. ..... .....");
}

static void turned_footprints_are_those_of_the_contract(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(2000); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round);
    fw_offset_t cells[8] = {{0, 0}};
    int32_t count = 1;
    for (int32_t i = 0; i < 7; ++i) {
      const fw_offset_t cell = {fw__rng_below(&rng, 7) - 3, fw__rng_below(&rng, 7) - 3};
      bool is_new = true;
      for (int32_t j = 0; j < count; ++j) {
        is_new = is_new && (cells[j].dx != cell.dx || cells[j].dy != cell.dy);
      }
      if (is_new) {
        cells[count++] = cell;
      }
    }
    const fw_robot_t robot = {.footprint = cells, .footprint_count = count, .turn_ticks = 1};
    const int32_t heading = fw__rng_below(&rng, FW_HEADING_COUNT);
    fw_offset_t turned[ROTATED_MAX], expected[ROTATED_MAX];
    const int32_t turned_count =
      fw__footprint_rotate_into((fw_footprint_t){cells, count}, heading, turned, ROTATED_MAX);
    assert_int_equal(turned_count, rotated_list(&robot, heading, expected));
    for (int32_t i = 0; i < turned_count; ++i) {
      assert_true(rotated_covers(&robot, heading, turned[i]));
    }
  }
}

// A single cell far away: rounding holds where numbers are large.
static void far_cells_turn_too(void ** state)
{
  (void)state;
  for (int32_t far = 1; far <= FW_GRID_SIDE_MAX; far += 61) {
    const fw_offset_t cell[] = {{far, -far / 3}};
    fw_offset_t turned[FW_ROTATED_CELLS_MAX];
    const int32_t count =
      fw__footprint_rotate_into((fw_footprint_t){cell, 1}, FW_HEADING_SOUTH_EAST, turned, FW_ROTATED_CELLS_MAX);
    for (int32_t i = 0; i < count; ++i) {
      assert_int_equal(lround((turned[i].dx + turned[i].dy) / sqrt(2.0)), cell[0].dx);
      assert_int_equal(lround((turned[i].dy - turned[i].dx) / sqrt(2.0)), cell[0].dy);
    }
  }
}

// ---- motions --------------------------------------------------------------------------------------------------------

typedef struct fixture_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_body_t body;
} fixture_t;

static void begin(fixture_t * f, fw_robot_t robot, int32_t connectivity)
{
  f->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
  fw__arena_init(&f->arena, &f->memory);
  assert_true(fw__body_init(&f->body, &f->arena, &robot, connectivity));
}

// The last tick after departure at which each cell is covered; '.' for never. All are covered from tick 1 on.
static void assert_motion(const fw_motion_t * motion, const char * expected)
{
  char picture[SIDE * (SIDE + 1)];
  for (int32_t i = 0; i < SIDE * (SIDE + 1); ++i) {
    picture[i] = i % (SIDE + 1) == SIDE ? ' ' : '.';
  }
  picture[sizeof(picture) - 1] = '\0';
  for (int32_t i = 0; i < motion->sweep_count; ++i) {
    const fw_swept_cell_t * sweep = &motion->sweeps[i];
    char * at = &picture[(sweep->dy + MIDDLE) * (SIDE + 1) + sweep->dx + MIDDLE];
    assert_int_equal(*at, '.');
    assert_int_equal(sweep->from, 1);
    *at = (char)('0' + sweep->to);
  }
  assert_string_equal(picture, expected);
}

static void moves_cover_both_ends_on_the_way(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, (fw_robot_t){.footprint = square_cells, .footprint_count = 4, .ticks_per_move = 1}, 8);
  assert_false(f.body.is_plain);
  assert_int_equal(f.body.motion_count, 8);
  assert_motion(&f.body.motions[0][0], "..... ..... ...11 ...11 .....");
  assert_motion(&f.body.motions[0][4], "..... ..... ..... ...11 ...11");
  assert_motion(&f.body.waits[0], "..... ..... ..11. ..11. .....");
  fw__arena_fini(&f.arena);
  begin(&f, (fw_robot_t){.footprint = square_cells, .footprint_count = 4, .ticks_per_move = 3}, 8);
  assert_motion(&f.body.motions[0][0], "..... ..... ..233 ..233 .....");
  assert_motion(&f.body.motions[0][4], "..... ..... ..22. ..233 ...33");
  fw__arena_fini(&f.arena);
}

static void diagonals_sweep_their_sides_where_asked(void ** state)
{
  (void)state;
  fixture_t f;
  const fw_robot_t sweeping = {
    .footprint = square_cells, .footprint_count = 1, .ticks_per_move = 1, .sweeps_sides = true};
  begin(&f, sweeping, 8);
  assert_false(f.body.is_plain);
  assert_motion(&f.body.motions[0][4], "..... ..... ...1. ..11. .....");
  assert_motion(&f.body.motions[0][0], "..... ..... ...1. ..... .....");
  fw__arena_fini(&f.arena);
  begin(&f, sweeping, 4);
  assert_true(f.body.is_plain);  // no diagonals, nothing to sweep
  fw__arena_fini(&f.arena);
  begin(&f, (fw_robot_t){.footprint = long_cells, .footprint_count = 3, .ticks_per_move = 2, .sweeps_sides = true}, 8);
  assert_motion(&f.body.motions[0][4], "..... ..... .1222 .2222 .....");
  fw__arena_fini(&f.arena);
}

static void turns_sweep_what_lies_between(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, (fw_robot_t){.footprint = long_cells, .footprint_count = 3, .ticks_per_move = 1, .turn_ticks = 1}, 4);
  assert_int_equal(f.body.motion_count, 3);
  // Ahead, right to south, left to north. A quarter of one tick leaves its old cells at once.
  assert_motion(&f.body.motions[0][0], "..... ..... ..111 ..... .....");
  assert_motion(&f.body.motions[0][1], "..... .11.. ..1.. ..11. .....");
  assert_motion(&f.body.motions[0][2], "..... ..11. ..1.. .11.. .....");
  assert_int_equal(f.body.motions[0][1].heading, FW_HEADING_SOUTH);
  assert_int_equal(f.body.motions[0][2].heading, FW_HEADING_NORTH);
  assert_int_equal(f.body.motions[FW_HEADING_NORTH][1].heading, FW_HEADING_EAST);
  fw__arena_fini(&f.arena);
  begin(&f, (fw_robot_t){.footprint = long_cells, .footprint_count = 3, .ticks_per_move = 1, .turn_ticks = 3}, 4);
  assert_motion(&f.body.motions[0][1], "..... .33.. .232. ..33. .....");
  fw__arena_fini(&f.arena);
  // Discs that stand on a diagonal reach into the cells beside it.
  begin(&f, (fw_robot_t){.footprint = long_cells, .footprint_count = 3, .ticks_per_move = 1, .turn_ticks = 3}, 8);
  assert_motion(&f.body.motions[0][1], "..... .33.. .232. ..33. .....");
  assert_int_equal(f.body.motions[0][1].heading, FW_HEADING_SOUTH_EAST);
  assert_motion(&f.body.motions[FW_HEADING_SOUTH_EAST][0], "..... ..... ..1.. ...1. ....1");
  fw__arena_fini(&f.arena);
}

// The middle of a bar turns within the square around it; a bar that is held at one end reaches farther than its length.
static void what_is_farther_out_sweeps_farther(void ** state)
{
  (void)state;
  fixture_t f;
  begin(&f, (fw_robot_t){.footprint = nose_cells, .footprint_count = 3, .ticks_per_move = 1, .turn_ticks = 2}, 4);
  assert_motion(&f.body.motions[0][1], "..... ..... ..221 ..222 ..222");
  assert_motion(&f.body.motions[0][2], "..222 ..222 ..221 ..... .....");
  assert_motion(&f.body.motions[FW_HEADING_WEST][2], "..... ..... 122.. 222.. 222..");
  fw__arena_fini(&f.arena);
  begin(&f, (fw_robot_t){.footprint = nose_cells, .footprint_count = 3, .ticks_per_move = 1, .turn_ticks = 2}, 8);
  assert_motion(&f.body.motions[0][1], "..... ..... ..221 ..222 ...22");
  assert_motion(&f.body.motions[FW_HEADING_SOUTH_EAST][1], "..... ..... ..22. ..222 ..222");
  fw__arena_fini(&f.arena);
}

static bool is_in_motion(const fw_body_t * body, int32_t heading, const fw_motion_t * motion, fw_offset_t at)
{
  bool is_in = false;
  for (int32_t i = 0; i < motion->sweep_count; ++i) {
    is_in = is_in || (motion->sweeps[i].dx == at.dx && motion->sweeps[i].dy == at.dy);
  }
  for (int32_t i = 0; i < body->footprints[heading].count; ++i) {
    is_in = is_in || (body->footprints[heading].cells[i].dx == at.dx && body->footprints[heading].cells[i].dy == at.dy);
  }
  return is_in;
}

// A disc of almost one cell's diameter around each cell's centre, wherever it is on the way.
static void assert_discs_stay_inside(const fw_body_t * body, const fw_robot_t * robot, int32_t heading, int32_t index)
{
  const fw_motion_t * motion = &body->motions[heading][index];
  const double step = (index == 1 ? 1 : -1) * body->turn_step * atan(1.0);
  for (int32_t look = 0; look <= 60; ++look) {
    const double angle = heading * atan(1.0) + step * look / 60;
    for (int32_t i = 0; i < robot->footprint_count; ++i) {
      const fw_offset_t cell = robot->footprint[i];
      const double x = cell.dx * cos(angle) - cell.dy * sin(angle), y = cell.dx * sin(angle) + cell.dy * cos(angle);
      for (int32_t k = 0; k < 9; ++k) {
        const fw_offset_t at = {(int32_t)lround(x) + k % 3 - 1, (int32_t)lround(y) + k / 3 - 1};
        const double dx = fmax(fabs(x - at.dx) - 0.5, 0.0), dy = fmax(fabs(y - at.dy) - 0.5, 0.0);
        assert_true(hypot(dx, dy) > 0.5 - 1e-9 || is_in_motion(body, heading, motion, at));
      }
    }
  }
}

static bool is_in_list(const fw_offset_t * cells, int32_t count, fw_offset_t at)
{
  for (int32_t i = 0; i < count; ++i) {
    if (cells[i].dx == at.dx && cells[i].dy == at.dy) {
      return true;
    }
  }
  return false;
}

// All cells that a turning body touches, and no others.
static void turns_sweep_all_that_they_touch(void ** state)
{
  (void)state;
  for (int32_t round = 0; round < test_rounds(40); ++round) {
    fw_rng_t rng = fw__rng((uint64_t)round + 9000);
    fw_offset_t cells[6] = {{0, 0}};
    int32_t count = 1;
    while (count < 2 + round % 5) {
      const fw_offset_t cell = {fw__rng_below(&rng, 9) - 4, fw__rng_below(&rng, 9) - 4};
      count += is_in_list(cells, count, cell) ? 0 : 1;
      cells[count - 1] = is_in_list(cells, count - 1, cell) ? cells[count - 1] : cell;
    }
    const fw_robot_t robot = {.footprint = cells, .footprint_count = count, .ticks_per_move = 1, .turn_ticks = 2};
    fixture_t f;
    begin(&f, robot, round % 2 == 0 ? 4 : 8);
    const int32_t heading = f.body.turn_step * fw__rng_below(&rng, FW_HEADING_COUNT / f.body.turn_step);
    for (int32_t index = 1; index <= 2; ++index) {
      const fw_motion_t * turn = &f.body.motions[heading][index];
      fw_offset_t expected[ROTATED_MAX];
      const int32_t total = rotated_sweeps(&robot, heading, turn->heading, (fw_offset_t){0, 0}, expected);
      const fw_footprint_t after = f.body.footprints[turn->heading], before = f.body.footprints[heading];
      assert_discs_stay_inside(&f.body, &robot, heading, index);
      for (int32_t i = 0; i < total; ++i) {
        assert_true(is_in_motion(&f.body, heading, turn, expected[i]));
      }
      for (int32_t i = 0; i < turn->sweep_count; ++i) {
        const fw_offset_t at = {turn->sweeps[i].dx, turn->sweeps[i].dy};
        const bool is_swept = is_in_list(expected, total, at);
        assert_true(is_swept || is_in_list(after.cells, after.count, at) || is_in_list(before.cells, before.count, at));
        assert_int_equal(turn->sweeps[i].to, is_swept || is_in_list(after.cells, after.count, at) ? 2 : 1);
      }
    }
    fw__arena_fini(&f.arena);
  }
}

static void every_motion_is_found_by_its_poses(void ** state)
{
  (void)state;
  static uint8_t cost[25];
  const fw_grid_t grid = {.width = 5, .height = 5, .cost = cost};
  for (int32_t turn_ticks = 0; turn_ticks < 2; ++turn_ticks) {
    for (int32_t connectivity = 4; connectivity <= 8; connectivity += 4) {
      fixture_t f;
      const fw_robot_t robot = {
        .footprint = square_cells, .footprint_count = 1, .ticks_per_move = 2, .turn_ticks = turn_ticks};
      begin(&f, robot, connectivity);
      for (int32_t heading = 0; heading < (turn_ticks > 0 ? 8 : 1); heading += f.body.turn_step) {
        const fw_grid_pose_t from = {12, heading};
        assert_ptr_equal(fw__body_motion(&f.body, &grid, from, from), &f.body.waits[heading]);
        for (int32_t i = 0; i < f.body.motion_count; ++i) {
          const fw_motion_t * motion = &f.body.motions[heading][i];
          const fw_grid_pose_t to = {12 + motion->dy * 5 + motion->dx, motion->heading};
          assert_ptr_equal(fw__body_motion(&f.body, &grid, from, to), motion);
        }
      }
      fw__arena_fini(&f.arena);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(quarters_turn_exactly),
    cmocka_unit_test(between_quarters_cells_are_those_whose_centres_are_inside),
    cmocka_unit_test(turned_footprints_are_those_of_the_contract),
    cmocka_unit_test(far_cells_turn_too),
    cmocka_unit_test(moves_cover_both_ends_on_the_way),
    cmocka_unit_test(diagonals_sweep_their_sides_where_asked),
    cmocka_unit_test(turns_sweep_what_lies_between),
    cmocka_unit_test(what_is_farther_out_sweeps_farther),
    cmocka_unit_test(turns_sweep_all_that_they_touch),
    cmocka_unit_test(every_motion_is_found_by_its_poses),
  };
  return TEST_RUN(tests);
}
