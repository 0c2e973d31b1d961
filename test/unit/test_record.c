// Records of solves: problems are read back as they were, and solving them again gives the same result, deadlines
// included.

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/create_file.h"
#include "base/rng.h"
#include "fleetweave/files.h"
#include "plan/record.h"
#include "support/test.h"
#include "support/world.h"

static char path[64];
static char old[80];

static int name_file(void ** state)
{
  (void)state;
  snprintf(path, sizeof(path), "test_record_%d.record", (int)getpid());
  snprintf(old, sizeof(old), "%s.old", path);
  return 0;
}

static int remove_files(void ** state)
{
  (void)state;
  (void)remove(path);
  (void)remove(old);
  return 0;
}

static fw_planner_t make_planner(const fw_planner_def_t * def)
{
  fw_planner_t planner = {0};
  assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
  return planner;
}

static fw_record_planner_t describe(const fw_planner_t * planner)
{
  const fw_planner_def_t * def = fw_planner_definition(planner);
  fw_record_planner_t described = {
    .threads = 1, .memory_max_bytes = (size_t)2 << 30, .parameter_count = def->parameter_count};
  snprintf(described.name, sizeof(described.name), "%s", def->name);
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    snprintf(described.names[i], sizeof(described.names[i]), "%s", def->parameters[i].name);
    assert_int_equal(
      fw_planner_get(planner, described.names[i], described.values[i], sizeof(described.values[i]), NULL), FW_RET_OK);
  }
  return described;
}

static fw_plan_t record_solve(
  fw_record_writer_t * recorder, fw_planner_t * planner, const fw_problem_t * problem, fw_budget_t budget)
{
  static fw_replay_clock_t watch;
  fw_plan_t plan = {0};
  fw_error_t error = {0};
  const fw_record_planner_t described = describe(planner);
  assert_int_equal(fw__record_writer_add_problem(recorder, &described, problem, &error), FW_RET_OK);
  const fw_budget_t noted = fw__replay_clock_record(&watch, &budget);
  const fw_ret_t ret = fw_planner_solve(planner, problem, &noted, &plan, NULL);
  const fw_record_result_t answer = {problem, &watch.notes, ret, &plan};
  assert_int_equal(fw__record_writer_add_result(recorder, &answer, &error), FW_RET_OK);
  return plan;
}

// ---- reading back ---------------------------------------------------------------------------------------------------

static void check_robot(const fw_robot_t * then, const fw_robot_t * now)
{
  assert_int_equal(then->start, now->start);
  assert_int_equal(then->goal, now->goal);
  assert_int_equal(then->priority, now->priority);
  assert_int_equal(then->ticks_per_move, now->ticks_per_move);
  assert_int_equal(then->turn_ticks, now->turn_ticks);
  assert_int_equal(then->heading, now->heading);
  assert_int_equal(then->sweeps_sides, now->sweeps_sides);
  assert_int_equal(then->id, now->id);
  assert_int_equal(then->arrives, now->arrives);
  if (then->arrives > 0) {
    assert_int_equal(then->from, now->from);
    assert_int_equal(then->from_heading, now->from_heading);
  }
  assert_int_equal(then->footprint_count, now->footprint_count);
  for (int32_t i = 0; i < then->footprint_count; ++i) {
    assert_int_equal(then->footprint[i].dx, now->footprint[i].dx);
    assert_int_equal(then->footprint[i].dy, now->footprint[i].dy);
  }
}

static void check_problem(const fw_problem_t * then, const fw_problem_t * now)
{
  assert_int_equal(then->grid->width, now->grid->width);
  assert_int_equal(then->grid->height, now->grid->height);
  assert_memory_equal(then->grid->cost, now->grid->cost, (size_t)fw_grid_cell_count(then->grid));
  assert_int_equal(then->connectivity, now->connectivity);
  assert_int_equal(then->cuts_corners, now->cuts_corners);
  assert_int_equal(then->robust_ticks, now->robust_ticks);
  assert_int_equal(then->horizon, now->horizon);
  assert_int_equal(then->since, now->since);
  assert_int_equal(then->robot_count, now->robot_count);
  for (int32_t i = 0; i < then->robot_count; ++i) {
    check_robot(&then->robots[i], &now->robots[i]);
  }
  assert_int_equal(then->closure_count, now->closure_count);
  for (int32_t i = 0; i < then->closure_count; ++i) {
    assert_int_equal(then->closures[i].cell, now->closures[i].cell);
    assert_int_equal(then->closures[i].from, now->closures[i].from);
    assert_int_equal(then->closures[i].to, now->closures[i].to);
  }
}

// ---- solving again --------------------------------------------------------------------------------------------------

static void solve_again(fw_record_reader_t * record, fw_planner_t * planner)
{
  static fw_replay_clock_t watch;
  fw_plan_t plan = {0};
  char * text = NULL;
  size_t size = 0;
  watch.notes = record->notes;
  const fw_budget_t replayed = fw__replay_clock_replay(&watch);
  assert_int_equal(fw_planner_solve(planner, &record->problem, &replayed, &plan, NULL), record->ret);
  assert_string_equal(fw_outcome_name(plan.outcome), record->outcome);
  assert_int_equal(plan.safe_until, record->safe_until);
  assert_int_equal(plan.stats.expanded, record->expanded);
  if (record->ret != FW_RET_OK) {
    assert_null(fw__record_reader_plan_line(record));
    return;
  }
  FILE * stream = open_memstream(&text, &size);
  assert_non_null(stream);
  assert_int_equal(fw__record_write_plan(&record->problem, &plan, stream, NULL), FW_RET_OK);
  assert_int_equal(fclose(stream), 0);
  const char * now = text;
  for (const char * then = fw__record_reader_plan_line(record); then != NULL;
       then = fw__record_reader_plan_line(record)) {
    assert_int_equal(strncmp(now, then, strlen(then)), 0);
    assert_int_equal(now[strlen(then)], '\n');
    now += strlen(then) + 1;
  }
  assert_int_equal(*now, '\0');
  free(text);
}

// Solves all problems of the file again; returns how many there are.
static int32_t replay(const char * file)
{
  static fw_record_reader_t record;
  fw_planner_t planner = {0};
  fw_error_t error = {0};
  int32_t count = 0;
  assert_int_equal(fw__record_reader_open(&record, file, &error), FW_RET_OK);
  fw_ret_t ret = fw__record_reader_next(&record, &error);
  for (; ret == FW_RET_OK; ret = fw__record_reader_next(&record, &error)) {
    if (record.is_new_planner) {
      fw_planner_fini(&planner);
      planner = make_planner(fw_planner_def_find(record.planner.name));
    }
    assert_true(record.has_answer);
    solve_again(&record, &planner);
    ++count;
  }
  assert_int_equal(ret, FW_RET_NOT_FOUND);
  assert_false(record.is_cut);
  fw_planner_fini(&planner);
  fw__record_reader_close(&record);
  return count;
}

// Every planner, worlds of every kind, and deadlines at any moment.
static void a_solve_with_a_deadline_is_repeatable(void ** state)
{
  (void)state;
  static fw_record_reader_t record;
  static const int32_t features[] = {
    WORLD_MOTION | WORLD_CLOSURES | WORLD_UNDER_WAY, WORLD_ONE_CELL, WORLD_ONE_CELL | WORLD_CORNERS};
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    const int32_t rounds = test_rounds(12);
    fw_planner_t planner = make_planner(fw_planner_def_at(i));
    fw_record_writer_t recorder = {0};
    assert_int_equal(fw__record_writer_open(&recorder, path, INT64_MAX, NULL), FW_RET_OK);
    for (int32_t number = 0; number < rounds; ++number) {
      world_t world;
      world_make(&world, (uint64_t)number, features[number % TEST_COUNT(features)], 16);
      const int64_t allowed_ns = (int64_t)20000 << (number % 6);
      (void)record_solve(
        &recorder, &planner, &world.problem,
        (fw_budget_t){.deadline_ns = fw_clock_now_ns() + allowed_ns, .expansions_max = number % 3 == 0 ? 500 : 0});
      world_fini(&world);
    }
    fw__record_writer_close(&recorder);
    assert_int_equal(replay(path), rounds);
    assert_int_equal(fw__record_reader_open(&record, path, NULL), FW_RET_OK);
    for (int32_t number = 0; number < rounds; ++number) {
      world_t world;
      world_make(&world, (uint64_t)number, features[number % TEST_COUNT(features)], 16);
      assert_int_equal(fw__record_reader_next(&record, NULL), FW_RET_OK);
      assert_int_equal(record.number, number + 1);
      check_problem(&world.problem, &record.problem);
      world_fini(&world);
    }
    fw__record_reader_close(&record);
    fw_planner_fini(&planner);
  }
}

static bool is_third(void * state) { return ++*(int32_t *)state >= 3; }

static void a_cancelled_solve_is_repeatable(void ** state)
{
  (void)state;
  fw_planner_t planner = make_planner(fw_planner_def_find("hca"));
  fw_record_writer_t recorder = {0};
  fw_grid_t grid = {0};
  fw_scenario_t scenario = {0};
  int32_t queries = 0;
  assert_int_equal(fw_grid_make(&grid, "random:40x40,obstacles=20,seed=1", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, 100, 1, NULL, NULL), FW_RET_OK);
  const fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = 100, .connectivity = 4};
  assert_int_equal(fw__record_writer_open(&recorder, path, INT64_MAX, NULL), FW_RET_OK);
  (void)record_solve(&recorder, &planner, &problem, (fw_budget_t){.is_cancelled = is_third, .cancel_state = &queries});
  fw__record_writer_close(&recorder);
  static fw_record_reader_t record;
  assert_int_equal(fw__record_reader_open(&record, path, NULL), FW_RET_OK);
  assert_int_equal(fw__record_reader_next(&record, NULL), FW_RET_OK);
  assert_string_equal(record.stop, "cancelled");
  assert_int_equal(record.notes.cancelled_at, 3);
  fw__record_reader_close(&record);
  assert_int_equal(replay(path), 1);
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
  fw_planner_fini(&planner);
}

// ---- rolling horizon ------------------------------------------------------------------------------------------------

enum { LIFE_ROBOTS = 12 };

// Window after window on a grid that changes a little; each continues from the one before, except every `anew`th.
static void live(fw_record_writer_t * recorder, int32_t windows, int32_t anew)
{
  fw_planner_t planner = make_planner(fw_planner_def_find("whca"));
  fw_grid_t grid = {0};
  fw_scenario_t scenario = {0};
  fw_rng_t rng = fw__rng(5);
  assert_int_equal(fw_grid_make(&grid, "random:20x20,obstacles=10,seed=2", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, LIFE_ROBOTS, 1, NULL, NULL), FW_RET_OK);
  fw_problem_t problem = {
    .grid = &grid, .robots = scenario.robots, .robot_count = LIFE_ROBOTS, .connectivity = 4, .horizon = 8};
  for (int32_t i = 0; i < LIFE_ROBOTS; ++i) {
    scenario.robots[i].id = i;
  }
  for (int32_t window = 0; window < windows; ++window) {
    const fw_plan_t plan =
      record_solve(recorder, &planner, &problem, (fw_budget_t){.deadline_ns = fw_clock_now_ns() + 10000000000});
    for (int32_t i = 0; i < LIFE_ROBOTS; ++i) {
      fw_robot_advance(&scenario.robots[i], &plan.paths[i], 4);
      scenario.robots[i].goal =
        fw__rng_below(&rng, 4) == 0 ? scenario.robots[(i + 1) % LIFE_ROBOTS].start : scenario.robots[i].goal;
    }
    problem.since = (window + 1) % anew == 0 ? 0 : 4;
  }
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
  fw_planner_fini(&planner);
}

static void windows_are_repeatable(void ** state)
{
  (void)state;
  fw_record_writer_t recorder = {0};
  assert_int_equal(fw__record_writer_open(&recorder, path, INT64_MAX, NULL), FW_RET_OK);
  live(&recorder, 20, 100);
  fw__record_writer_close(&recorder);
  assert_int_equal(replay(path), 20);
}

static long size_of(const char * file)
{
  FILE * stream = fopen(file, "r");
  assert_non_null(stream);
  assert_int_equal(fseek(stream, 0, SEEK_END), 0);
  const long size = ftell(stream);
  (void)fclose(stream);
  return size;
}

// Two files of half the size, each of which can be replayed by itself.
static void a_record_does_not_grow_for_ever(void ** state)
{
  (void)state;
  fw_record_writer_t recorder = {0};
  assert_int_equal(fw__record_writer_open(&recorder, path, 40000, NULL), FW_RET_OK);
  live(&recorder, 60, 3);
  assert_int_equal(recorder.entry_count, 60);
  fw__record_writer_close(&recorder);
  assert_in_range(size_of(path) + size_of(old), 20000, 50000);
  assert_in_range(replay(old), 3, 50);
  assert_in_range(replay(path), 1, 50);
}

// A sequence of problems that all continue from the one before ends where the file is full.
static void an_endless_sequence_fills_the_record(void ** state)
{
  (void)state;
  fw_record_writer_t recorder = {0};
  assert_int_equal(fw__record_writer_open(&recorder, path, 20000, NULL), FW_RET_OK);
  live(&recorder, 40, 1000);
  assert_true(recorder.is_full);
  const int64_t count = recorder.entry_count;
  assert_in_range(count, 2, 30);
  fw__record_writer_close(&recorder);
  assert_in_range(size_of(path), 20000, 30000);
  assert_int_equal(replay(path), count);
}

// ---- incomplete files -----------------------------------------------------------------------------------------------

static void write_part(const char * text, size_t size)
{
  FILE * stream = fopen(path, "w");
  assert_non_null(stream);
  assert_int_equal(fwrite(text, 1, size, stream), size);
  assert_int_equal(fclose(stream), 0);
}

static char * read_whole(size_t * size)
{
  *size = (size_t)size_of(path);
  char * text = malloc(*size + 1);
  FILE * stream = fopen(path, "r");
  assert_non_null(stream);
  assert_int_equal(fread(text, 1, *size, stream), *size);
  (void)fclose(stream);
  return text;
}

// Reads all entries with a complete problem; counts those with a result.
static fw_ret_t count_entries(int32_t * questions, int32_t * answers)
{
  static fw_record_reader_t record;
  fw_error_t error = {0};
  *questions = *answers = 0;
  fw_ret_t ret = fw__record_reader_open(&record, path, &error);
  for (ret = ret == FW_RET_OK ? fw__record_reader_next(&record, &error) : ret; ret == FW_RET_OK;
       ret = fw__record_reader_next(&record, &error)) {
    ++*questions;
    *answers += record.has_answer ? 1 : 0;
  }
  fw__record_reader_close(&record);
  return ret;
}

// Wherever a process ends while it writes, the complete entries before can be read.
static void a_truncated_file_is_read_up_to_its_end(void ** state)
{
  (void)state;
  fw_record_writer_t recorder = {0};
  size_t size = 0;
  int32_t questions, answers, last_questions = 0, last_answers = 0;
  assert_int_equal(fw__record_writer_open(&recorder, path, INT64_MAX, NULL), FW_RET_OK);
  live(&recorder, 3, 2);
  fw__record_writer_close(&recorder);
  char * text = read_whole(&size);
  for (size_t length = strlen("fleetweave_record=1\n"); length <= size; ++length) {
    write_part(text, length);
    assert_int_equal(count_entries(&questions, &answers), FW_RET_NOT_FOUND);
    assert_in_range(questions, last_questions, answers + 1);
    assert_in_range(answers, last_answers, questions);
    last_questions = questions;
    last_answers = answers;
  }
  assert_int_equal(last_answers, 3);
  free(text);
}

static void corrupted_files_are_refused_or_read(void ** state)
{
  (void)state;
  fw_record_writer_t recorder = {0};
  fw_rng_t rng = fw__rng(9);
  size_t size = 0;
  int32_t questions, answers;
  assert_int_equal(fw__record_writer_open(&recorder, path, INT64_MAX, NULL), FW_RET_OK);
  live(&recorder, 3, 2);
  fw__record_writer_close(&recorder);
  char * text = read_whole(&size);
  for (int32_t round = 0; round < test_rounds(400); ++round) {
    char kept[4];
    size_t places[4];
    for (int32_t i = 0; i < 4; ++i) {
      places[i] = (size_t)fw__rng_below(&rng, (int32_t)size);
      kept[i] = text[places[i]];
      text[places[i]] = "0123456789-,=\n @.xzZ"[fw__rng_below(&rng, 20)];
    }
    write_part(text, size);
    const fw_ret_t ret = count_entries(&questions, &answers);
    assert_true(ret == FW_RET_NOT_FOUND || ret == FW_RET_FILE || ret == FW_RET_BAD_ALLOC);
    for (int32_t i = 3; i >= 0; --i) {
      text[places[i]] = kept[i];
    }
  }
  free(text);
}

static void an_older_record_is_kept(void ** state)
{
  (void)state;
  fw_record_writer_t recorder = {0};
  write_part("what was there", 14);
  assert_int_equal(fw__record_writer_open(&recorder, path, INT64_MAX, NULL), FW_RET_OK);
  fw__record_writer_close(&recorder);
  assert_int_equal(size_of(old), 14);
  assert_int_equal(replay(path), 0);
  fw_error_t error = {0};
  assert_int_equal(fw__record_writer_open(&recorder, "no/such/folder/file", INT64_MAX, &error), FW_RET_FILE);
  assert_non_null(strstr(error.text, "no/such/folder/file"));
}

// It is trusted when it is read again.
static void others_cannot_write_into_a_record(void ** state)
{
  (void)state;
  fw_record_writer_t recorder = {0};
  const mode_t mask = umask(0);
  assert_int_equal(fw__record_writer_open(&recorder, path, INT64_MAX, NULL), FW_RET_OK);
  fw__record_writer_close(&recorder);
  umask(mask);
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0644);
  // Somebody has put a link to another file in the place of a record.
  assert_int_equal(rename(path, old), 0);
  assert_int_equal(symlink(old, path), 0);
  const int64_t size = size_of(old);
  assert_null(fw__create_file(path, false));
  assert_null(fw__create_file(path, true));
  assert_int_equal(size_of(old), size);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_teardown(a_solve_with_a_deadline_is_repeatable, remove_files),
    cmocka_unit_test_teardown(a_cancelled_solve_is_repeatable, remove_files),
    cmocka_unit_test_teardown(windows_are_repeatable, remove_files),
    cmocka_unit_test_teardown(a_record_does_not_grow_for_ever, remove_files),
    cmocka_unit_test_teardown(an_endless_sequence_fills_the_record, remove_files),
    cmocka_unit_test_teardown(a_truncated_file_is_read_up_to_its_end, remove_files),
    cmocka_unit_test_teardown(corrupted_files_are_refused_or_read, remove_files),
    cmocka_unit_test_teardown(an_older_record_is_kept, remove_files),
    cmocka_unit_test_teardown(others_cannot_write_into_a_record, remove_files),
  };
  return cmocka_run_group_tests(tests, name_file, NULL);
}
