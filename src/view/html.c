// A plan as a page, or two beside each other.

#include <string.h>

#include "base/error.h"
#include "fleetweave/view.h"
#include "view/plan_tracks.h"
#include "view/player.h"
#include "view/shown.h"

// All that the page has of one plan.
typedef struct act_t {
  fw__tracks_t tracks;
  fw__flaw_t flaw;
} act_t;

static fw_ret_t make_act(
  act_t * act, const fw_view_plan_t * shown, const fw_view_options_t * options, fw_error_t * error)
{
  const fw_allocator_t allocator = fw_allocator_default();
  fw_ret_t ret = fw__shown_find_flaw(shown->problem, shown->plan, &act->flaw, error);
  if (ret == FW_RET_OK) {
    ret = fw__tracks_init(&act->tracks, shown->problem->robot_count, &allocator, error);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (options->seconds_per_tick > 0.0) {
    act->tracks.seconds_per_unit = options->seconds_per_tick;
  }
  return fw__tracks_take_plan(&act->tracks, shown->problem, shown->plan, error);
}

static fw__scene_t introduce(const act_t * act, const fw_view_plan_t * shown)
{
  const fw_plan_t * plan = shown->plan;
  fw__scene_t scene = {.name = shown->name, .tracks = &act->tracks, .flaw = &act->flaw};
  if (plan->outcome != FW_OUTCOME_SOLVED) {
    fw__scene_add_fact(&scene, "Plan", "%s, safe until tick %d", fw_outcome_name(plan->outcome), fw__shown_end(plan));
  }
  fw__scene_add_fact(&scene, "Sum of costs", "%lld", (long long)plan->stats.sum_of_costs);
  fw__scene_add_fact(&scene, "Makespan", "%d", plan->stats.makespan);
  return scene;
}

static bool is_same_grid(const fw_grid_t * a, const fw_grid_t * b)
{
  return a->width == b->width && a->height == b->height && memcmp(a->cost, b->cost, (size_t)fw_grid_cell_count(a)) == 0;
}

// Each plan can be drawn, all are on one map, and the moment is there in one of them.
static fw_ret_t check_plans(
  const fw_view_plan_t * plans, int32_t plan_count, const fw_view_options_t * options, fw_error_t * error)
{
  fw_tick_t end = 0;
  if (plan_count < 1 || plan_count > FW_VIEW_PLANS_MAX) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a page has 1 to %d plans, not %d", FW_VIEW_PLANS_MAX, plan_count);
  }
  for (int32_t i = 0; i < plan_count; i++) {
    const fw_ret_t ret = fw__shown_check(plans[i].problem, plans[i].plan, error);
    if (ret != FW_RET_OK) {
      return ret;
    }
    if (!is_same_grid(plans[0].problem->grid, plans[i].problem->grid)) {
      return fw__error(error, FW_RET_INVALID_ARGUMENT, "plans beside each other must be for the same map");
    }
    end = fw__shown_end(plans[i].plan) > end ? fw__shown_end(plans[i].plan) : end;
  }
  return fw__shown_check_options(options, end, error);
}

fw_ret_t fw_view_html_plans(
  const fw_view_plan_t * plans, int32_t plan_count, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error)
{
  const fw_view_options_t chosen = options != NULL ? *options : (fw_view_options_t){0};
  act_t acts[FW_VIEW_PLANS_MAX] = {{{0}, {{0}, {0}}}};
  fw__player_t player = {
    .title = fw__shown_title(&chosen),
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
    ret = make_act(&acts[i], &plans[i], &chosen, error);
    player.scenes[i] = introduce(&acts[i], &plans[i]);
  }
  if (ret == FW_RET_OK) {
    ret = fw__player_write(&player, stream, error);
  }
  for (int32_t i = 0; i < plan_count; i++) {
    fw__tracks_fini(&acts[i].tracks);
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
