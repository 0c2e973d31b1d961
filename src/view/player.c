// Writes the page: the embedded template with the title and the data as JSON. See player.h.

#include "view/player.h"

#include <stdarg.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "view/escape.h"
#include "view/view.h"

static const char * const page_lines[] = {
#include "view/player.inc"
};

void fw__player_add_fact(fw_player_scene_t * scene, const char * name, const char * format, ...)
{
  if (scene->fact_count == FW_PLAYER_FACTS_MAX) {
    return;
  }
  fw_player_fact_t * fact = &scene->facts[scene->fact_count++];
  fact->name = name;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fact->value, sizeof(fact->value), format, arguments);
  va_end(arguments);
}

static int32_t value_at(const fw_grid_t * grid, fw_cell_t cell, bool is_rule)
{
  return is_rule ? grid->rules[cell] : grid->cost[cell];
}

// The grid as run lengths, row after row: number of cells, their cost, or their rule.
static fw_ret_t write_grid(FILE * stream, const fw_view_tracks_t * tracks, bool is_rule, fw_error_t * error)
{
  const fw_grid_t * grid = tracks->grid;
  fw_vlq_t runs;
  fw__vlq_init(&runs, &tracks->allocator);
  const int32_t count = fw_grid_cell_count(grid);
  for (fw_cell_t cell = 0; cell < count;) {
    const int32_t value = value_at(grid, cell, is_rule);
    fw_cell_t end = cell + 1;
    while (end < count && value_at(grid, end, is_rule) == value) {
      end++;
    }
    fw__vlq_put(&runs, end - cell);
    fw__vlq_put(&runs, value);
    cell = end;
  }
  const bool has_failed = runs.has_failed;
  if (!has_failed) {
    fw__vlq_write_json(&runs, stream);
  }
  fw__vlq_fini(&runs);
  return has_failed ? fw__error_memory(error) : FW_RET_OK;
}

// What fw_check_plan found: its text, and where and when. Nothing for a plan without a conflict.
static void write_verdict(const fw_player_scene_t * scene, FILE * stream)
{
  const fw_conflict_t * conflict = &scene->verdict->conflict;
  const fw_grid_t * grid = scene->tracks->grid;
  if (scene->verdict->text[0] == '\0') {
    return;
  }
  fputs(",\n\"flaw\":{\"text\":", stream);
  fw__escape_json(stream, scene->verdict->text);
  if (conflict->kind != FW_CONFLICT_NONE) {
    fprintf(stream, ",\"tick\":%d,\"robots\":[", conflict->tick);
    if (conflict->robot >= 0) {
      fprintf(stream, "%d", conflict->robot);
    }
    if (conflict->other >= 0) {
      fprintf(stream, ",%d", conflict->other);
    }
    fputc(']', stream);
  }
  if (conflict->kind != FW_CONFLICT_NONE && conflict->cell >= 0 && conflict->cell < fw_grid_cell_count(grid)) {
    fprintf(stream, ",\"x\":%d,\"y\":%d", fw_grid_x(grid, conflict->cell), fw_grid_y(grid, conflict->cell));
  }
  fputc('}', stream);
}

static void write_scene(const fw_player_scene_t * scene, bool is_plan, FILE * stream)
{
  const fw_view_tracks_t * tracks = scene->tracks;
  FW_ASSERT(tracks != NULL && scene->fact_count <= FW_PLAYER_FACTS_MAX);
  fputs("{\"name\":", stream);
  fw__escape_json(stream, scene->name != NULL ? scene->name : "");
  fprintf(stream, ",\"end\":%lld,\"hasYaw\":%s", (long long)tracks->end, tracks->has_yaw ? "true" : "false");
  fputs(",\"facts\":[", stream);
  for (int32_t i = 0; i < scene->fact_count; i++) {
    fputs(i > 0 ? ",[" : "[", stream);
    fw__escape_json(stream, scene->facts[i].name);
    fputc(',', stream);
    fw__escape_json(stream, scene->facts[i].value);
    fputc(']', stream);
  }
  fputc(']', stream);
  if (scene->verdict != NULL) {
    write_verdict(scene, stream);
  }
  fputs(",\n", stream);
  fw__tracks_write_json(tracks, is_plan, stream);
  fputc('}', stream);
}

static fw_ret_t write_data(const fw_player_t * player, FILE * stream, fw_error_t * error)
{
  const fw_view_tracks_t * tracks = player->scenes[0].tracks;
  fputs("{\"kind\":", stream);
  fw__escape_json(stream, player->kind);
  fprintf(
    stream, ",\"width\":%d,\"height\":%d,\"isRow0Below\":%s", tracks->grid->width, tracks->grid->height,
    tracks->is_row_0_below ? "true" : "false");
  fprintf(
    stream, ",\"unitsPerCell\":%d,\"cellOffset\":%g,\"secondsPerUnit\":%.9g,\"metresPerCell\":%.9g,\"radius\":%.6g",
    tracks->units_per_cell, tracks->cell_offset, tracks->seconds_per_unit, tracks->metres_per_cell,
    tracks->radius_cells);
  fprintf(
    stream, ",\"at\":%d,\"window\":%d,\"showsReservations\":%s", player->at, player->window,
    player->shows_reservations ? "true" : "false");
  fputs(",\n\"grid\":", stream);
  fw_ret_t ret = write_grid(stream, tracks, false, error);
  if (ret == FW_RET_OK && fw_grid_has_rules(tracks->grid)) {
    fputs(",\n\"rules\":", stream);
    ret = write_grid(stream, tracks, true, error);
  }
  fputs(",\n\"scenes\":[", stream);
  for (int32_t i = 0; i < player->scene_count; i++) {
    fputs(i > 0 ? ",\n" : "\n", stream);
    write_scene(&player->scenes[i], strcmp(player->kind, "plan") == 0, stream);
  }
  fputs("\n]}\n", stream);
  return ret;
}

fw_ret_t fw__player_write(const fw_player_t * player, FILE * stream, fw_error_t * error)
{
  FW_ASSERT(player->scene_count >= 1 && player->scene_count <= FW_PLAYER_SCENES_MAX);
  fw_ret_t ret = FW_RET_OK;
  for (size_t i = 0; ret == FW_RET_OK && i < sizeof(page_lines) / sizeof(page_lines[0]); i++) {
    if (strcmp(page_lines[i], "@TITLE@\n") == 0) {
      fw__escape_markup(stream, player->title);
    } else if (strcmp(page_lines[i], "@DATA@\n") == 0) {
      ret = write_data(player, stream, error);
    } else {
      fputs(page_lines[i], stream);
    }
  }
  if (ret == FW_RET_OK && ferror(stream)) {
    return fw__error(error, FW_RET_FILE, "cannot write the page: the stream reports an error");
  }
  return ret;
}

// ---- the page of a plan, or of two beside each other ----------------------------------------------------------------

// What the page has of one plan; the scene borrows it.
typedef struct plan_scene_t {
  fw_view_tracks_t tracks;
  fw_plan_verdict_t verdict;
} plan_scene_t;

static fw_ret_t make_scene(
  plan_scene_t * owner, const fw_view_plan_t * source, const fw_view_options_t * options, fw_error_t * error)
{
  const fw_allocator_t allocator = fw_allocator_default();
  fw_ret_t ret = fw__view_verdict(source->problem, source->plan, &owner->verdict, error);
  if (ret == FW_RET_OK) {
    ret = fw__tracks_init(&owner->tracks, source->problem->robot_count, &allocator, error);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (options->seconds_per_tick > 0.0) {
    owner->tracks.seconds_per_unit = options->seconds_per_tick;
  }
  return fw__tracks_add_plan(&owner->tracks, source->problem, source->plan, error);
}

static fw_player_scene_t describe_scene(const plan_scene_t * owner, const fw_view_plan_t * source)
{
  const fw_plan_t * plan = source->plan;
  fw_player_scene_t scene = {.name = source->name, .tracks = &owner->tracks, .verdict = &owner->verdict};
  if (plan->outcome != FW_OUTCOME_SOLVED) {
    fw__player_add_fact(
      &scene, "Plan", "%s, safe until tick %d", fw_outcome_name(plan->outcome), fw__view_last_tick(plan));
  }
  fw__player_add_fact(&scene, "Sum of costs", "%lld", (long long)plan->stats.sum_of_costs);
  fw__player_add_fact(&scene, "Makespan", "%d", plan->stats.makespan);
  return scene;
}

static bool is_same_grid(const fw_grid_t * a, const fw_grid_t * b)
{
  return a->width == b->width && a->height == b->height && memcmp(a->cost, b->cost, (size_t)fw_grid_cell_count(a)) == 0;
}

// Checks that each plan can be drawn, that all have the same map, and that the first tick exists in one of them.
static fw_ret_t check_plans(
  const fw_view_plan_t * plans, int32_t plan_count, const fw_view_options_t * options, fw_error_t * error)
{
  fw_tick_t end = 0;
  if (plan_count < 1 || plan_count > FW_VIEW_PLANS_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "a page can have 1 to %d plans, not %d", FW_VIEW_PLANS_MAX, plan_count);
  }
  for (int32_t i = 0; i < plan_count; i++) {
    const fw_ret_t ret = fw__view_check_plan(plans[i].problem, plans[i].plan, error);
    if (ret != FW_RET_OK) {
      return ret;
    }
    if (!is_same_grid(plans[0].problem->grid, plans[i].problem->grid)) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "two plans on one page must be for the same map; these have different ones");
    }
    end = fw__view_last_tick(plans[i].plan) > end ? fw__view_last_tick(plans[i].plan) : end;
  }
  return fw__view_check_options(options, end, error);
}

fw_ret_t fw_view_html_plans(
  const fw_view_plan_t * plans, int32_t plan_count, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error)
{
  const fw_view_options_t chosen = options != NULL ? *options : (fw_view_options_t){0};
  plan_scene_t owned[FW_VIEW_PLANS_MAX] = {{{0}, {{0}, {0}}}};
  fw_player_t player = {
    .title = fw__view_title(&chosen),
    .kind = "plan",
    .scene_count = plan_count,
    .at = chosen.has_moment ? chosen.at : -1,
    .window = chosen.window,
    .shows_reservations = chosen.shows_reservations,
  };
  fw_ret_t ret = check_plans(plans, plan_count, &chosen, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  for (int32_t i = 0; ret == FW_RET_OK && i < plan_count; i++) {
    ret = make_scene(&owned[i], &plans[i], &chosen, error);
    player.scenes[i] = describe_scene(&owned[i], &plans[i]);
  }
  if (ret == FW_RET_OK) {
    ret = fw__player_write(&player, stream, error);
  }
  for (int32_t i = 0; i < plan_count; i++) {
    fw__tracks_fini(&owned[i].tracks);
  }
  return ret;
}

fw_ret_t fw_view_html(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error)
{
  const fw_view_plan_t only = {.problem = problem, .plan = plan};
  return fw_view_html_plans(&only, 1, options, stream, error);
}
