// A solver of clauses: what is set, and what follows from it by two watched literals per clause.

#include "base/sat.h"

void fw_sat_set(fw_sat_t * sat, int32_t literal, int32_t reason)
{
  fw_sat_variable_t * variable = &sat->variables[literal >> 1];
  sat->values[literal] = 1;
  sat->values[fw_sat_not(literal)] = -1;
  variable->reason = reason;
  variable->level = fw_sat_level(sat);
  variable->phase = (literal & 1) == 0;
  sat->trail.items[sat->trail.count++] = literal;  // has room for all
}

bool fw_sat_begin_level(fw_sat_t * sat) { return fw_sat_list_push(sat->arena, &sat->levels, sat->trail.count); }

void fw_sat_go_back(fw_sat_t * sat, int32_t level)
{
  if (fw_sat_level(sat) <= level) {
    return;
  }
  const int32_t first = sat->levels.items[level];
  for (int32_t i = sat->trail.count - 1; i >= first; --i) {
    const int32_t literal = sat->trail.items[i];
    sat->values[literal] = 0;
    sat->values[fw_sat_not(literal)] = 0;
    fw_sat_order_put(sat, literal >> 1);
  }
  sat->trail.count = first;
  sat->levels.count = level;
  sat->looked_at = first < sat->looked_at ? first : sat->looked_at;
}

static bool push(fw_sat_t * sat, int32_t literal, fw_sat_watch_t watch)
{
  fw_sat_watches_t * list = &sat->watches[literal];
  if (list->count == list->capacity) {
    fw_sat_watch_t * old = list->items;
    const int32_t capacity = list->capacity;
    fw_sat_watch_t * items = fw_arena_grow(sat->arena, old, (size_t)list->count, sizeof(*items), &list->capacity);
    if (items == NULL) {
      return false;
    }
    list->items = items;
    fw_arena_leave(sat->arena, old, (size_t)capacity, sizeof(*old));
  }
  list->items[list->count++] = watch;
  return true;
}

bool fw_sat_watch(fw_sat_t * sat, int32_t reference)
{
  const int32_t * literals = fw_sat_literals(sat, reference);
  const int32_t named = fw_sat_size(sat, reference) == 2 ? ~reference : reference;
  const int32_t one = literals[0];
  const int32_t two = literals[1];
  return push(sat, one, (fw_sat_watch_t){named, two}) && push(sat, two, (fw_sat_watch_t){named, one});
}

// Another literal of the clause takes the watch; -1 if all others are false.
static inline int32_t find_watch(const fw_sat_t * sat, int32_t * literals, int32_t size)
{
  for (int32_t i = 2; i < size; ++i) {
    if (sat->values[literals[i]] >= 0) {
      const int32_t found = literals[i];
      literals[i] = literals[1];
      literals[1] = found;
      return found;
    }
  }
  return -1;
}

// A literal has become false. -1, or the clause that fails, or -2.
static int32_t look_at(fw_sat_t * sat, int32_t literal)
{
  fw_sat_watches_t * list = &sat->watches[literal];
  int32_t conflict = -1;
  int32_t kept = 0;
  int32_t i = 0;
  while (i < list->count && conflict == -1) {
    const fw_sat_watch_t watch = list->items[i++];
    list->items[kept++] = watch;
    const int8_t blocked = sat->values[watch.blocker];
    if (blocked > 0) {
      continue;
    }
    if (watch.reference < 0) {
      if (blocked < 0) {
        conflict = ~watch.reference;
      } else {
        fw_sat_set(sat, watch.blocker, ~watch.reference);
      }
      continue;
    }
    int32_t * literals = fw_sat_literals(sat, watch.reference);
    const int32_t other = literals[0] ^ literals[1] ^ literal;
    literals[0] = other;
    literals[1] = literal;
    if (sat->values[other] > 0) {
      list->items[kept - 1].blocker = other;
      continue;
    }
    const int32_t next = find_watch(sat, literals, fw_sat_size(sat, watch.reference));
    if (next >= 0) {
      --kept;
      if (!push(sat, next, (fw_sat_watch_t){watch.reference, other})) {
        conflict = -2;
      }
    } else if (sat->values[other] < 0) {
      conflict = watch.reference;
    } else {
      fw_sat_set(sat, other, watch.reference);
    }
  }
  while (i < list->count) {
    list->items[kept++] = list->items[i++];
  }
  list->count = kept;
  return conflict;
}

int32_t fw_sat_propagate(fw_sat_t * sat)
{
  int32_t conflict = -1;
  while (conflict == -1 && sat->looked_at < sat->trail.count) {
    conflict = look_at(sat, fw_sat_not(sat->trail.items[sat->looked_at++]));
  }
  return conflict;
}
