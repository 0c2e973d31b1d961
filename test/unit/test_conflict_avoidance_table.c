// The conflict avoidance table against the obvious way to find conflicts; and the open list with long keys.

#include "planner/optimal/conflict_avoidance_table.h"

#include "planner/optimal/open_list.h"
#include "support/test.h"
#include "support/world.h"

enum { TICKS = 14, ROBOTS = 6 };

typedef struct room_t {
  world_t world;
  fw_memory_t memory;
  fw_arena_t arena;
  fw_moves_t moves;
  fw_instance_t instance;
  fw_cell_t paths[ROBOTS][TICKS];
  int32_t lengths[ROBOTS];
} room_t;

// Paths are random walks that may meet; no two end on one node.
static void begin(room_t * room, uint64_t number, int32_t robust_ticks)
{
  fw_rng_t rng = fw__rng(number);
  world_make(&room->world, number, WORLD_DIAGONALS, ROBOTS);
  room->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = (size_t)1 << 26};
  fw__arena_init(&room->arena, &room->memory);
  const fw_problem_t * problem = &room->world.problem;
  assert_true(fw__moves_init_cells(
    &room->moves, &room->arena,
    &(fw_problem_t){.grid = problem->grid, .connectivity = problem->connectivity == 8 ? 8 : 4}));
  room->instance = (fw_instance_t){.problem = problem, .moves = &room->moves, .robust_ticks = robust_ticks};
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t length = 1 + fw__rng_below(&rng, TICKS);
    int32_t node = room->moves.node_of[problem->robots[r].start];
    for (int32_t t = 0; t < length; ++t) {
      room->paths[r][t] = node;
      const int32_t next = fw__moves_successors(&room->moves, node)[fw__rng_below(&rng, room->moves.degree)];
      node = next >= 0 && fw__rng_below(&rng, 4) > 0 ? next : node;
    }
    room->lengths[r] = length;
    for (int32_t k = 0; k < r; ++k) {
      if (room->lengths[k] > 0 && room->paths[k][room->lengths[k] - 1] == room->paths[r][length - 1]) {
        room->paths[r][0] = room->moves.node_of[problem->robots[r].start];
        room->lengths[r] = 0;  // it stays out
      }
    }
  }
}

static void end(room_t * room)
{
  fw__arena_fini(&room->arena);
  world_fini(&room->world);
}

static fw_path_t path_of(const room_t * room, int32_t robot)
{
  return (fw_path_t){.cells = room->paths[robot], .length = room->lengths[robot]};
}

static int32_t middle(const room_t * room, int32_t a, int32_t b, bool is_y)
{
  const fw_grid_t * grid = room->instance.problem->grid;
  const fw_cell_t one = room->moves.cell_of[a];
  const fw_cell_t two = room->moves.cell_of[b];
  return is_y ? fw_grid_y(grid, one) + fw_grid_y(grid, two) : fw_grid_x(grid, one) + fw_grid_x(grid, two);
}

// Does a move meet a robot: the same place within the robust ticks, or the same middle of two moves at the same time?
static bool meets(const room_t * room, const fw_cat_move_t * move, int32_t robot)
{
  const fw_path_t path = path_of(room, robot);
  const fw_tick_t arrival = move->depart + 1;
  const int32_t k = room->instance.robust_ticks;
  bool is_met = false;
  for (fw_tick_t t = arrival > k ? arrival - k : 0; t <= arrival + k; ++t) {
    is_met = is_met || fw_path_at(&path, t) == move->to;
  }
  if (move->direction >= 0) {
    const int32_t from = fw_path_at(&path, move->depart);
    const int32_t to = fw_path_at(&path, arrival);
    is_met = is_met || (from != to && middle(room, from, to, false) == middle(room, move->from, move->to, false) &&
                        middle(room, from, to, true) == middle(room, move->from, move->to, true) &&
                        !(from == move->from && to == move->to));
  }
  return is_met;
}

static void assert_same(const room_t * room, const fw_cat_t * table, const fw_cat_move_t * move, const bool * is_in)
{
  int32_t robots[64];
  const int32_t count = fw__cat_find_conflicts(table, move, robots, 64);
  bool is_met[ROBOTS] = {false};
  for (int32_t i = 0; i < count && i < 64; ++i) {
    is_met[robots[i]] = true;
  }
  for (int32_t r = 0; r < room->instance.problem->robot_count; ++r) {
    assert_int_equal(is_met[r], is_in[r] && meets(room, move, r));
  }
}

static void every_conflict_is_found(void ** state)
{
  (void)state;
  for (int32_t number = 0; number < test_rounds(60); ++number) {
    static room_t room;
    fw_cat_t table;
    bool is_in[ROBOTS] = {false};
    begin(&room, (uint64_t)(30000 + number), number % 3);
    assert_true(fw__cat_init(&table, &room.arena, &room.instance));
    fw_rng_t rng = fw__rng((uint64_t)number);
    for (int32_t change = 0; change < 20; ++change) {
      const int32_t robot = fw__rng_below(&rng, room.world.problem.robot_count);
      if (is_in[robot]) {
        fw__cat_remove(&table, robot);
        is_in[robot] = false;
      } else if (room.lengths[robot] > 0) {
        assert_true(fw__cat_add(&table, robot, path_of(&room, robot)));
        is_in[robot] = true;
      }
      assert_true(fw__cat_validate(&table));
      for (int32_t query = 0; query < 40; ++query) {
        const int32_t node = fw__rng_below(&rng, room.moves.node_count);
        const int32_t direction = fw__rng_below(&rng, room.moves.degree + 1) - 1;
        const int32_t to = direction < 0 ? node : fw__moves_successors(&room.moves, node)[direction];
        if (to >= 0) {
          const fw_cat_move_t move = {node, to, direction, fw__rng_below(&rng, TICKS + 4)};
          assert_same(&room, &table, &move, is_in);
        }
      }
    }
    end(&room);
  }
}

// A table in which an entry names another robot, or a robot rests elsewhere, is not valid.
static void a_corrupted_table_is_found(void ** state)
{
  (void)state;
  static room_t room;
  fw_cat_t table;
  int32_t robot = 0;
  begin(&room, 30007, 1);
  assert_true(fw__cat_init(&table, &room.arena, &room.instance));
  while (room.lengths[robot] < 2) {
    ++robot;
    assert_true(robot < room.world.problem.robot_count);
  }
  assert_true(fw__cat_add(&table, robot, path_of(&room, robot)));
  assert_true(fw__cat_validate(&table));
  table.entries[0].robot ^= 1;
  assert_false(fw__cat_validate(&table));
  table.entries[0].robot ^= 1;
  ++table.rest_from[room.paths[robot][room.lengths[robot] - 1]];
  assert_false(fw__cat_validate(&table));
  end(&room);
}

static void the_smallest_key_comes_first_and_of_equals_the_newest(void ** state)
{
  (void)state;
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = (size_t)1 << 24};
  fw_arena_t arena;
  fw_open_list_t open;
  fw_open_item_t item;
  fw_rng_t rng = fw__rng(3);
  fw__arena_init(&arena, &memory);
  fw__open_list_init(&open, &arena);
  assert_false(fw__open_list_pop(&open, &item));
  // 200 levels: more than there are lists, and most of them above that of the first item.
  for (int32_t i = 0; i < 3000; ++i) {
    const uint64_t level = i == 0 ? 20 : (uint64_t)fw__rng_below(&rng, 200);
    const uint64_t rest = (uint64_t)fw__rng_below(&rng, 3);
    assert_true(fw__open_list_push(&open, level << FW_OPEN_LEVEL_SHIFT | rest, i));
  }
  assert_true(fw__open_list_validate(&open));
  const int32_t end = open.heap.count - 1;
  const fw_open_item_t kept = open.heap.items[end];
  open.heap.items[end] = (fw_open_item_t){.key = 0, .value = 3000};
  assert_false(fw__open_list_validate(&open));  // a child that comes before its parent
  open.heap.items[end] = kept;
  open.lists[1].items[0].key += UINT64_C(1) << FW_OPEN_LEVEL_SHIFT;
  assert_false(fw__open_list_validate(&open));  // an item in the list of another level
  open.lists[1].items[0].key -= UINT64_C(1) << FW_OPEN_LEVEL_SHIFT;
  fw_open_item_t last = {0};
  for (int32_t i = 0; i < 3000; ++i) {
    assert_true(fw__open_list_pop(&open, &item));
    assert_true(i == 0 || item.key > last.key || (item.key == last.key && item.value < last.value));
    last = item;
  }
  assert_false(fw__open_list_pop(&open, &item));
  fw__arena_fini(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_conflict_is_found),
    cmocka_unit_test(a_corrupted_table_is_found),
    cmocka_unit_test(the_smallest_key_comes_first_and_of_equals_the_newest),
  };
  return TEST_RUN(tests);
}
