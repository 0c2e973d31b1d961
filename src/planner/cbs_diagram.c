// Decision diagrams: made once for a set of constraints and a cost, kept in a table of bounded size.

#include "planner/cbs_diagram.h"

#include <string.h>

enum { SLOTS = 256 };

typedef struct fw_cbs_diagrams_t {
  fw_cbs_diagram_t slots[SLOTS];
  int32_t * places;  // by node, one more for having settled: the last entry there
  int64_t made;      // entries, in all
} fw_cbs_diagrams_t;

bool fw_cbs_diagrams_init(fw_cbs_t * run)
{
  fw_cbs_diagrams_t * diagrams = fw_arena_allocate_zeroed(run->arena, 1, sizeof(*diagrams));
  if (diagrams == NULL) {
    return false;
  }
  diagrams->places =
    fw_arena_allocate_zeroed(run->arena, (size_t)run->scene->moves->node_count + 1, sizeof(*diagrams->places));
  run->diagrams = diagrams;
  fw_cbs_diagrams_forget(run, true);
  return diagrams->places != NULL;
}

int64_t fw_cbs_diagrams_made(const fw_cbs_t * run) { return run->diagrams->made; }

void fw_cbs_diagrams_forget(fw_cbs_t * run, bool all)
{
  for (int32_t i = 0; i < SLOTS; ++i) {
    fw_cbs_diagram_t * diagram = &run->diagrams->slots[i];
    diagram->owner = all || diagram->owner > 0 ? -1 : diagram->owner;
  }
}

// ---- room -----------------------------------------------------------------------------------------------------------

static bool reserve_layers(fw_cbs_t * run, fw_cbs_diagram_t * diagram, fw_tick_t ticks)
{
  while (diagram->layer_capacity < ticks + 2) {
    int32_t * layers = fw_arena_grow(run->arena, NULL, 0, sizeof(*layers), &diagram->layer_capacity);
    if (layers == NULL) {
      diagram->layer_capacity = 0;
      return false;
    }
    diagram->layers = layers;
  }
  return true;
}

static fw_cbs_entry_t * add_entry(fw_cbs_t * run, fw_cbs_diagram_t * diagram)
{
  if (diagram->entry_count == diagram->entry_capacity) {
    fw_cbs_entry_t * entries = fw_arena_grow(
      run->arena, diagram->entries, (size_t)diagram->entry_count, sizeof(*entries), &diagram->entry_capacity);
    if (entries == NULL) {
      return NULL;
    }
    diagram->entries = entries;
  }
  return &diagram->entries[diagram->entry_count++];
}

static bool add_edge(fw_cbs_t * run, fw_cbs_diagram_t * diagram, fw_cbs_edge_t edge)
{
  if (diagram->edge_count == diagram->edge_capacity) {
    fw_cbs_edge_t * edges =
      fw_arena_grow(run->arena, diagram->edges, (size_t)diagram->edge_count, sizeof(*edges), &diagram->edge_capacity);
    if (edges == NULL) {
      return false;
    }
    diagram->edges = edges;
  }
  diagram->edges[diagram->edge_count++] = edge;
  return true;
}

// ---- moves ----------------------------------------------------------------------------------------------------------

typedef struct step_t {
  int32_t node;
  int32_t direction;
  int32_t before;
  bool has_settled;
} step_t;

typedef struct steps_t {
  step_t steps[FW_DIRECTIONS + 2];
  int32_t count;
} steps_t;

// Where an entry leads within the limit.
static void list_steps(
  const fw_cbs_t * run, const fw_cbs_diagram_t * diagram, const fw_cbs_entry_t * entry, fw_tick_t tick, steps_t * steps)
{
  const fw_scene_t * scene = run->scene;
  const fw_cbs_rules_t * rules = &run->rules[0];
  const int32_t most = rules->most < diagram->cost ? rules->most : diagram->cost;
  steps->count = 0;
  if (scene->rule == FW_COST_LAST_ARRIVAL && entry->node == scene->goals[rules->robot] && tick >= rules->end_from) {
    steps->steps[steps->count++] = (step_t){entry->node, -1, entry->before, true};
  }
  if (entry->has_settled) {
    return;
  }
  const int32_t * next = fw_moves_of(scene->moves, entry->node);
  for (int32_t direction = -1; direction < scene->moves->degree; ++direction) {
    const int32_t to = direction < 0 ? entry->node : next[direction];
    if (to < 0) {
      continue;
    }
    const int32_t before = entry->before + fw_scene_cost(scene, rules->robot, entry->node, to);
    const int32_t ahead = fw_scene_distance(scene, rules->robot, to);
    if (ahead <= most - before && fw_cbs_allows(run, 0, &(fw_hop_t){entry->node, to, direction, tick})) {
      steps->steps[steps->count++] = (step_t){to, direction, before, false};
    }
  }
}

// The entry that a step leads to in the layer that begins at `begin`, -1 if there is none yet.
static int32_t find(
  const fw_cbs_t * run, const fw_cbs_diagram_t * diagram, int32_t begin, int32_t end, const step_t * step)
{
  const int32_t place = step->has_settled ? run->scene->moves->node_count : step->node;
  const int32_t last = run->diagrams->places[place];
  if (
    last < begin || last >= end || diagram->entries[last].node != step->node ||
    diagram->entries[last].has_settled != step->has_settled) {
    return -1;
  }
  int32_t at = last;
  while (at >= 0 && diagram->entries[at].before != step->before) {
    at = diagram->entries[at].same;
  }
  return at;
}

static bool add_step(fw_cbs_t * run, fw_cbs_diagram_t * diagram, int32_t begin, const step_t * step)
{
  if (find(run, diagram, begin, diagram->entry_count, step) >= 0) {
    return true;
  }
  const int32_t place = step->has_settled ? run->scene->moves->node_count : step->node;
  const int32_t last = run->diagrams->places[place];
  const bool is_there = last >= begin && last < diagram->entry_count && diagram->entries[last].node == step->node &&
                        diagram->entries[last].has_settled == step->has_settled;
  fw_cbs_entry_t * entry = add_entry(run, diagram);
  if (entry == NULL) {
    return false;
  }
  *entry = (fw_cbs_entry_t){
    .node = step->node,
    .has_settled = step->has_settled,
    .before = step->before,
    .after = INT32_MAX,
    .same = is_there ? last : -1,
  };
  run->diagrams->places[place] = diagram->entry_count - 1;
  return true;
}

// ---- making ---------------------------------------------------------------------------------------------------------

static bool go_forward(fw_cbs_t * run, fw_cbs_diagram_t * diagram)
{
  const step_t start = {.node = run->scene->starts[run->rules[0].robot], .direction = -1};
  diagram->entry_count = diagram->edge_count = 0;
  diagram->layers[0] = 0;
  if (!add_step(run, diagram, 0, &start)) {
    return false;
  }
  for (fw_tick_t tick = 0; tick < diagram->ticks; ++tick) {
    const int32_t end = diagram->layers[tick + 1] = diagram->entry_count;
    for (int32_t i = diagram->layers[tick]; i < end; ++i) {
      const fw_cbs_entry_t entry = diagram->entries[i];
      steps_t steps;
      list_steps(run, diagram, &entry, tick, &steps);
      for (int32_t k = 0; k < steps.count; ++k) {
        if (!add_step(run, diagram, end, &steps.steps[k])) {
          return false;
        }
      }
    }
  }
  diagram->layers[diagram->ticks + 1] = diagram->entry_count;
  return true;
}

// Edges of an entry to those of the next layer that lead on, and its cheapest way.
static bool look_on(fw_cbs_t * run, fw_cbs_diagram_t * diagram, fw_tick_t tick, int32_t index)
{
  const int32_t begin = diagram->layers[tick + 1];
  const int32_t end = diagram->layers[tick + 2];
  const fw_cbs_entry_t entry = diagram->entries[index];
  int32_t after = INT32_MAX;
  int32_t count = 0;
  steps_t steps;
  diagram->entries[index].edge = diagram->edge_count;
  list_steps(run, diagram, &entry, tick, &steps);
  for (int32_t k = 0; k < steps.count; ++k) {
    const int32_t to = find(run, diagram, begin, end, &steps.steps[k]);
    if (to < 0 || diagram->entries[to].after == INT32_MAX) {
      continue;
    }
    const int32_t on = diagram->entries[to].after + steps.steps[k].before - entry.before;
    after = on < after ? on : after;
    if (!add_edge(run, diagram, (fw_cbs_edge_t){to, steps.steps[k].direction})) {
      return false;
    }
    ++count;
  }
  diagram->entries[index].edge_count = count;
  diagram->entries[index].after = after;
  return true;
}

static bool go_back(fw_cbs_t * run, fw_cbs_diagram_t * diagram)
{
  const fw_cbs_rules_t * rules = &run->rules[0];
  for (fw_tick_t tick = diagram->ticks; tick >= 0; --tick) {
    for (int32_t i = diagram->layers[tick]; i < diagram->layers[tick + 1]; ++i) {
      fw_cbs_entry_t * entry = &diagram->entries[i];
      if (tick == diagram->ticks) {
        const int32_t ahead = fw_scene_distance(run->scene, rules->robot, entry->node);
        entry->after = ahead == 0 || !diagram->stays ? ahead : INT32_MAX;
      } else if (!look_on(run, diagram, tick, i)) {
        return false;
      }
      entry = &diagram->entries[i];
      if (entry->after > diagram->cost - entry->before) {
        entry->after = INT32_MAX;
      }
      const int32_t total = entry->after == INT32_MAX ? INT32_MAX : entry->before + entry->after;
      entry->total = total > rules->least ? total : rules->least;
    }
    for (int32_t i = diagram->layers[tick]; i < diagram->layers[tick + 1]; ++i) {  // for the layer before to find
      const fw_cbs_entry_t * entry = &diagram->entries[i];
      run->diagrams->places[entry->has_settled ? run->scene->moves->node_count : entry->node] = i;
    }
  }
  return true;
}

// A robot that can afford it leaves its goal again: two ticks, at any time. The others stay there.
static void set_ticks(const fw_cbs_t * run, const fw_cbs_diagram_ask_t * ask, fw_cbs_diagram_t * diagram)
{
  const fw_cbs_rules_t * rules = &run->rules[0];
  const int32_t shortest = fw_scene_distance(run->scene, rules->robot, run->scene->starts[rules->robot]);
  diagram->stays = run->scene->rule == FW_COST_LAST_ARRIVAL || ask->cost - shortest < 2;
  diagram->ticks = ask->cost;
  if (!diagram->stays) {
    diagram->ticks = rules->still_from > diagram->ticks ? rules->still_from : diagram->ticks;
    diagram->ticks = ask->ticks > diagram->ticks ? ask->ticks : diagram->ticks;
  }
}

fw_cbs_diagram_t * fw_cbs_diagram(fw_cbs_t * run, const fw_cbs_diagram_ask_t * ask)
{
  const int32_t owner = run->members[ask->member].owner;
  const uint32_t hash = ((uint32_t)owner * 2654435761u) ^ ((uint32_t)ask->member * 40503u);
  fw_cbs_diagram_t * diagram = &run->diagrams->slots[(hash >> 7) % SLOTS];
  if (diagram == ask->kept) {
    diagram = &run->diagrams->slots[((hash >> 7) + 1) % SLOTS];
  }
  if (
    diagram->owner == owner && diagram->member == ask->member &&
    diagram->counts == run->members[ask->member].path_cost && diagram->cost >= ask->cost &&
    (diagram->stays || diagram->ticks >= ask->ticks)) {
    return diagram;
  }
  diagram->owner = -1;
  if (!fw_cbs_rules_read(run, 0, ask->index, ask->member, (fw_cbs_more_t){NULL, 0})) {
    return NULL;
  }
  diagram->counts = run->members[ask->member].path_cost;
  diagram->cost = ask->cost;
  set_ticks(run, ask, diagram);
  if (!reserve_layers(run, diagram, diagram->ticks) || !go_forward(run, diagram) || !go_back(run, diagram)) {
    return NULL;
  }
  (void)fw_meter_add(run->scene->meter, diagram->entry_count / 4);
  run->diagrams->made += diagram->entry_count;
  diagram->owner = owner;
  diagram->member = ask->member;
  return diagram;
}
