// A solver of clauses: what is set, and what follows from it by two watched literals per clause.

#include "sat/sat.h"

void fw__sat_set(fw_sat_t * sat, int32_t literal, int32_t reason)
{
  sat->values[literal] = 1;
  sat->values[fw__sat_not(literal)] = -1;
  sat->causes[literal >> 1] = (fw_sat_cause_t){.reason = reason, .level = fw__sat_level(sat)};
  sat->trail.items[sat->trail.count++] = literal;  // has room for all
}

bool fw__sat_begin_level(fw_sat_t * sat) { return fw__sat_list_push(sat->arena, &sat->levels, sat->trail.count); }

void fw__sat_go_back(fw_sat_t * sat, int32_t level)
{
  if (fw__sat_level(sat) <= level) {
    return;
  }
  const int32_t first = sat->levels.items[level];
  for (int32_t i = sat->trail.count - 1; i >= first; --i) {
    const int32_t literal = sat->trail.items[i];
    sat->values[literal] = 0;
    sat->values[fw__sat_not(literal)] = 0;
    sat->variables[literal >> 1].phase = (literal & 1) == 0;
    fw__sat_order_put(sat, literal >> 1);
  }
  ++sat->turns;
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
    fw_sat_watch_t * items = fw__arena_grow(sat->arena, old, (size_t)list->count, sizeof(*items), &list->capacity);
    if (items == NULL) {
      return false;
    }
    list->items = items;
    fw__arena_leave(sat->arena, old, (size_t)capacity, sizeof(*old));
  }
  list->items[list->count++] = watch;
  return true;
}

bool fw__sat_watch(fw_sat_t * sat, int32_t reference)
{
  const int32_t * literals = fw__sat_literals(sat, reference);
  const int32_t one = literals[0];
  const int32_t two = literals[1];
  return push(sat, one, (fw_sat_watch_t){reference, two}) && push(sat, two, (fw_sat_watch_t){reference, one});
}

bool fw__sat_watch_pair(fw_sat_t * sat, int32_t one, int32_t two)
{
  return push(sat, one, (fw_sat_watch_t){FW_SAT_PAIR, two}) && push(sat, two, (fw_sat_watch_t){FW_SAT_PAIR, one});
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

static int32_t fail(fw_sat_t * sat, int32_t one, int32_t two)
{
  sat->failed[0] = one;
  sat->failed[1] = two;
  return FW_SAT_PAIR;
}

// A literal has become false. What fails.
static int32_t look_at(fw_sat_t * sat, int32_t literal)
{
  fw_sat_watches_t * list = &sat->watches[literal];
  int32_t conflict = FW_SAT_NO_REASON;
  int32_t kept = 0;
  int32_t i = 0;
  while (i < list->count && conflict == FW_SAT_NO_REASON) {
    const fw_sat_watch_t watch = list->items[i++];
    list->items[kept++] = watch;
    const int8_t blocked = sat->values[watch.blocker];
    if (blocked > 0) {
      continue;
    }
    if (watch.reference == FW_SAT_PAIR) {
      if (blocked < 0) {
        conflict = fail(sat, literal, watch.blocker);
      } else {
        fw__sat_set(sat, watch.blocker, fw__sat_pair(literal));
      }
      continue;
    }
    int32_t * literals = fw__sat_literals(sat, watch.reference);
    const int32_t other = literals[0] ^ literals[1] ^ literal;
    literals[0] = other;
    literals[1] = literal;
    if (sat->values[other] > 0) {
      list->items[kept - 1].blocker = other;
      continue;
    }
    const int32_t next = find_watch(sat, literals, fw__sat_size(sat, watch.reference));
    if (next >= 0) {
      --kept;
      if (!push(sat, next, (fw_sat_watch_t){watch.reference, other})) {
        conflict = FW_SAT_NO_MEMORY;
      }
    } else if (sat->values[other] < 0) {
      conflict = watch.reference;
    } else {
      fw__sat_set(sat, other, watch.reference);
    }
  }
  while (i < list->count) {
    list->items[kept++] = list->items[i++];
  }
  list->count = kept;
  return conflict;
}

int32_t fw__sat_propagate(fw_sat_t * sat)
{
  int32_t conflict = FW_SAT_NO_REASON;
  while (conflict == FW_SAT_NO_REASON && sat->looked_at < sat->trail.count) {
    conflict = look_at(sat, fw__sat_not(sat->trail.items[sat->looked_at++]));
  }
  return conflict;
}
