// Soft SIPP: safe-interval path planning in which the reservations of other robots are soft constraints.
//
// Where SIPP sees safe intervals only, this search sees the whole timeline: safe and reserved intervals in turn. To be
// on a place during a reserved interval costs the price of its robot in ticks, once per interval. The path is then a
// request: every robot that it conflicts with has to plan again. Overriding is Silver's idea for priorities in the
// reservation table (2006); prices that rise each time keep robots from overriding each other forever, as in
// negotiated congestion routing of circuits (McMurchie and Ebeling, "PathFinder", 1995).
//
// It is also the search with a horizon, for which pauses on the goal are free. With two criteria, time and cost, a
// segment can have several states: those that are not dominated (a Pareto set).

#include "spacetime/search_state.h"

typedef struct run_t {
  fw_spacetime_search_t * search;
  const fw_spacetime_query_t * query;
  fw_meter_t * meter;
  int32_t goal_node;
  bool has_failed;
} run_t;

// A safe or reserved interval of a timeline; number 2 i for safe interval i and 2 i + 1 for reserved interval i.
typedef struct segment_t {
  fw_tick_t from;
  fw_tick_t to;
  int32_t price;
} segment_t;

static int32_t price_of(const run_t * run, int32_t robot)
{
  const bool has_price = run->query->prices != NULL && fw__reservations_is_robot(run->query->table, robot);
  return has_price ? run->query->prices[robot] : FW_PRICE_NEVER;
}

static segment_t segment_at(const run_t * run, const fw_timeline_t * row, int32_t index)
{
  const int32_t robust = run->query->table->robust_ticks;
  const int32_t i = index / 2;
  if (index % 2 == 0) {
    return (segment_t){fw__timeline_safe_from(row, i, robust), fw__timeline_safe_to(row, i, robust), 0};
  }
  const fw_reserved_interval_t * reserved = &row->intervals[i];
  segment_t segment = {
    .from = reserved->from - robust,
    .to = reserved->to == FW_TICK_MAX ? FW_TICK_MAX : reserved->to + robust,
    .price = price_of(run, reserved->robot),
  };
  // The time that two intervals share, robust ticks included, belongs to the earlier one, unless the later one must be
  // respected.
  for (const fw_reserved_interval_t * next = reserved + 1;
       next < row->intervals + row->count && next->from - robust <= segment.to; ++next) {
    if (price_of(run, next->robot) == FW_PRICE_NEVER) {
      segment.to = next->from - robust - 1;
      break;
    }
  }
  const fw_tick_t ready = run->query->table->ready[reserved->robot];
  const int32_t node = (int32_t)(row - run->query->table->rows);
  const fw_tick_t committed =
    reserved->from <= ready ? fw__reservations_committed_until(run->query->table, reserved->robot, node) : ready;
  if (reserved->to <= committed) {
    segment.price = FW_PRICE_NEVER;  // the robot is committed to all of it
  } else if (reserved->from <= ready) {
    segment.from = committed + robust + 1;
  } else if (i > 0 && segment.price != FW_PRICE_NEVER && row->intervals[i - 1].to + robust >= segment.from) {
    segment.from = row->intervals[i - 1].to + robust + 1;
  }
  return segment;
}

// The distance of `node`, a neighbour of a place whose distance is `near`. The two differ by one at most: where a lower
// bound shows that `node` cannot be nearer it is one more, and the reverse search need not expand everything around to
// find that out.
static int32_t estimate(run_t * run, int32_t node, int32_t near)
{
  const fw_spacetime_query_t * query = run->query;
  if (query->distance == NULL || near < 0 || fw__distance_is_known(query->distance, node)) {
    return fw__spacetime_search_estimate(query, node, run->meter);
  }
  const fw_moves_t * moves = query->moves;
  const int32_t least =
    fw__grid_distance(moves->grid, moves->connectivity, moves->cell_of[node], query->table->robots[query->robot].goal);
  // With four directions the grid is bipartite: the distances of neighbours are never equal.
  const bool is_farther = moves->connectivity == 4 ? least > near - 1 : least > near;
  return is_farther ? near + 1 : fw__spacetime_search_estimate(query, node, run->meter);
}

// Keeps a state unless another one in the same segment, identified by its end, dominates it: as early and as cheap.
// `near` is the distance of the place that it comes from, -1 at the start.
static void offer(run_t * run, fw_spacetime_state_t * state, int32_t near)
{
  fw_spacetime_search_t * search = run->search;
  const int32_t node = state->node;
  FW_ASSERT(state->tick <= state->safe_to && state->tick >= run->query->now);
  const int32_t first = search->stamp_at[node] == search->stamp ? search->first_at[node] : -1;
  for (int32_t i = first; i >= 0; i = search->states[i].next) {
    const fw_spacetime_state_t * other = &search->states[i];
    if (other->safe_to == state->safe_to && other->tick <= state->tick && other->cost <= state->cost) {
      return;
    }
  }
  const int32_t left = estimate(run, node, near);
  if (left == FW_DISTANCE_NONE) {
    return;
  }
  state->next = first;
  const int32_t index = fw__spacetime_search_add(search, state);
  if (index < 0 || !fw__bucket_queue_push(&search->open, (int64_t)state->tick + left + state->cost, index, 0)) {
    run->has_failed = true;
    return;
  }
  search->stamp_at[node] = search->stamp;
  search->first_at[node] = index;
}

// The first segment that ends at `tick` or later.
static int32_t first_segment(const run_t * run, const fw_timeline_t * row, fw_tick_t tick)
{
  const int32_t robust = run->query->table->robust_ticks;
  const int32_t i = fw__timeline_find(row, tick - robust);
  // Safe interval i ends before reserved interval i, which ends at `tick` or later.
  return fw__timeline_safe_to(row, i, robust) >= tick ? 2 * i : 2 * i + 1;
}

// A move that arrives at a tick.
typedef struct arrival_t {
  int32_t from;
  int32_t to;
  fw_tick_t tick;
} arrival_t;

// The price of a swap: of a robot that leaves `to` in this very tick, before segment `segment`, and enters `from`.
static int32_t swap_price(const run_t * run, arrival_t move, int32_t segment)
{
  const int32_t from = move.from;
  const int32_t to = move.to;
  const fw_tick_t arrive = move.tick;
  const fw_reservations_t * table = run->query->table;
  const fw_timeline_t * row = &table->rows[to];
  const int32_t before = segment / 2 - 1;
  if (table->robust_ticks > 0 || before < 0 || row->intervals[before].to != arrive - 1) {
    return 0;  // with robust ticks a swap breaks the rule for cells already
  }
  const int32_t other = row->intervals[before].robot;
  const bool is_swap = fw__reservations_is_robot(table, other) && fw__reservations_owner(table, from, arrive) == other;
  return is_swap ? price_of(run, other) : 0;
}

// The first arrival up to `last` on which no other diagonal crosses this one; `last` + 1 if there is none.
static fw_tick_t wait_for_diagonals(const run_t * run, arrival_t move, fw_tick_t last)
{
  const fw_cell_t * cell_of = run->query->moves->cell_of;
  fw_timed_motion_t step = {
    .robot = run->query->robot, .from = cell_of[move.from], .to = cell_of[move.to], .depart = move.tick - 1};
  while (step.depart < last && fw__reservations_has_crossing(run->query->table, &step)) {
    ++step.depart;
  }
  return step.depart + 1;
}

// The state that is expanded, with what all its moves need.
typedef struct here_t {
  fw_spacetime_state_t state;
  int32_t left;  // its distance
  int32_t index;
  fw_tick_t latest;  // arrival at another place
  // With a horizon a pause on the goal costs nothing: robots stay as long as they can, and come back.
  bool is_pause_free;
} here_t;

// Offers every segment of `to` that can be entered while the present one lasts.
static void expand_move(run_t * run, const here_t * here, int32_t to, bool is_diagonal)
{
  FW_ASSERT(here->state.tick <= here->state.safe_to);
  const fw_timeline_t * row = &run->query->table->rows[to];
  const fw_tick_t soonest = here->state.tick + 1;
  for (int32_t s = first_segment(run, row, soonest); s <= 2 * row->count; ++s) {
    const segment_t segment = segment_at(run, row, s);
    if (segment.from > here->latest) {
      return;
    }
    if (segment.from > segment.to || segment.price == FW_PRICE_NEVER) {
      continue;
    }
    fw_tick_t arrive = segment.from > soonest ? segment.from : soonest;
    const fw_tick_t last = segment.to < here->latest ? segment.to : here->latest;
    // A robot that has to leave the goal may leave at any tick: until then the time costs nothing.
    const bool has_choice = here->is_pause_free && here->state.safe_to < run->query->horizon;
    for (const fw_tick_t end = has_choice ? last : arrive; arrive <= end; ++arrive) {
      if (is_diagonal) {
        arrive = wait_for_diagonals(run, (arrival_t){here->state.node, to, arrive}, last);
      }
      const int32_t price =
        arrive > last ? FW_PRICE_NEVER : swap_price(run, (arrival_t){here->state.node, to, arrive}, s);
      if (price != FW_PRICE_NEVER) {
        const int32_t pause = here->is_pause_free ? arrive - soonest : 0;
        offer(
          run,
          &(fw_spacetime_state_t){
            .node = to,
            .tick = arrive,
            .parent = here->index,
            .cost = here->state.cost + segment.price + price - pause,
            .safe_to = segment.to,
          },
          here->left);
      }
    }
  }
}

// Waits into the next segment of the same place.
static void expand_wait(run_t * run, const here_t * here)
{
  const fw_timeline_t * row = &run->query->table->rows[here->state.node];
  const fw_tick_t end = here->state.safe_to;
  if (end >= run->query->horizon) {
    return;
  }
  for (int32_t s = first_segment(run, row, end + 1); s <= 2 * row->count; ++s) {
    const segment_t next = segment_at(run, row, s);
    if (next.from > next.to || next.to <= end) {
      continue;
    }
    if (next.price != FW_PRICE_NEVER) {
      const int32_t pause = here->is_pause_free ? end + 1 - here->state.tick : 0;
      offer(
        run,
        &(fw_spacetime_state_t){
          .node = here->state.node,
          .tick = end + 1,
          .parent = here->index,
          .cost = here->state.cost + next.price - pause,
          .safe_to = next.to,
        },
        here->left);
    }
    return;
  }
}

// A state whose interval lasts until the horizon can be the end; it costs the ticks until then and the remaining
// distance.
static void offer_end(run_t * run, int32_t index, int64_t key)
{
  const fw_spacetime_state_t * state = &run->search->states[index];
  const fw_tick_t horizon = run->query->horizon;
  if (
    horizon != FW_TICK_MAX && state->safe_to >= horizon && !run->query->must_arrive &&
    !fw__bucket_queue_push(&run->search->open, key + horizon - state->tick, index, FW__SPACETIME_SEARCH_ENDS)) {
    run->has_failed = true;
  }
}

static fw_found_t search_on(run_t * run, fw_path_t * path)
{
  fw_spacetime_search_t * search = run->search;
  const fw_moves_t * moves = run->query->moves;
  int32_t index, tag;
  int64_t key;
  const int64_t limit = run->query->limit > 0 ? run->query->now + run->query->limit : INT64_MAX;
  int64_t effort = run->query->effort > 0 ? run->query->effort : INT64_MAX;
  while (fw__bucket_queue_pop(&search->open, &index, &tag, &key) && key < limit && effort-- > 0) {
    const fw_tick_t horizon = run->query->horizon;
    here_t here = {.state = search->states[index], .index = index};
    here.left = (int32_t)(key - here.state.tick - here.state.cost);
    if (tag == FW__SPACETIME_SEARCH_ENDS || (here.state.node == run->goal_node && here.state.safe_to >= horizon)) {
      return fw__spacetime_search_trace(search, run->query, index, path) ? FW_FOUND_PATH : FW_FOUND_STOPPED;
    }
    here.latest = here.state.safe_to < horizon ? here.state.safe_to + 1 : horizon;
    here.is_pause_free = here.state.node == run->goal_node && horizon != FW_TICK_MAX;
    offer_end(run, index, key);
    expand_wait(run, &here);
    const int32_t * next = fw__moves_successors(moves, here.state.node);
    for (int32_t d = 0; d < moves->degree; ++d) {
      if (next[d] >= 0) {
        expand_move(run, &here, next[d], d >= 4);
      }
    }
    if (fw__meter_add(run->meter, 1) || run->has_failed) {
      return FW_FOUND_STOPPED;
    }
  }
  return FW_FOUND_NONE;
}

fw_found_t fw__soft_sipp_search(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, fw_meter_t * meter, fw_path_t * path)
{
  FW_ASSERT(fw__sipp_supports(query) && query->bias == NULL && query->horizon >= query->now);
  const fw_robot_t * robot = &query->table->robots[query->robot];
  run_t run = {
    .search = search,
    .query = query,
    .meter = meter,
    .goal_node = query->moves->node_of[robot->goal],
  };
  run.has_failed = !fw__spacetime_search_begin(search, query->moves->node_count);
  const int32_t start = query->moves->node_of[query->start];
  const fw_timeline_t * row = &query->table->rows[start];
  const segment_t segment = segment_at(&run, row, first_segment(&run, row, query->now));
  if (!run.has_failed && segment.price != FW_PRICE_NEVER) {
    offer(&run, &(fw_spacetime_state_t){.node = start, .tick = query->now, .parent = -1, .safe_to = segment.to}, -1);
  }
  return fw__spacetime_search_end(meter, run.has_failed ? FW_FOUND_STOPPED : search_on(&run, path));
}
