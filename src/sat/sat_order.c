// A solver of clauses: which variable to set next, those of late conflicts first. A heap by activity; what a conflict
// adds grows from one to the next, in place of all others fading. Variables that have never been in a conflict (they are
// most of them) are not in the heap: those that have to be set come last, by number.

#include "sat/sat.h"

enum { SHIFT = 40 };
#define STEP_MAX (UINT64_C(1) << 58)

static bool is_before(const fw_sat_t * sat, int32_t a, int32_t b)
{
  const uint64_t one = sat->variables[a].activity;
  const uint64_t two = sat->variables[b].activity;
  return one != two ? one > two : a < b;
}

static void put_at(fw_sat_t * sat, int32_t place, int32_t variable)
{
  sat->heap.items[place] = variable;
  sat->variables[variable].place = place;
}

static void rise(fw_sat_t * sat, int32_t place)
{
  const int32_t variable = sat->heap.items[place];
  while (place > 0 && is_before(sat, variable, sat->heap.items[(place - 1) / 2])) {
    put_at(sat, place, sat->heap.items[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put_at(sat, place, variable);
}

static void sink(fw_sat_t * sat, int32_t place)
{
  const int32_t variable = sat->heap.items[place];
  for (;;) {
    int32_t child = 2 * place + 1;
    if (child >= sat->heap.count) {
      break;
    }
    if (child + 1 < sat->heap.count && is_before(sat, sat->heap.items[child + 1], sat->heap.items[child])) {
      ++child;
    }
    if (!is_before(sat, sat->heap.items[child], variable)) {
      break;
    }
    put_at(sat, place, sat->heap.items[child]);
    place = child;
  }
  put_at(sat, place, variable);
}

void fw__sat_order_put(fw_sat_t * sat, int32_t variable)
{
  const fw_sat_variable_t * v = &sat->variables[variable];
  if (v->activity == 0) {
    sat->cold_from = v->cold >= 0 && v->cold < sat->cold_from ? v->cold : sat->cold_from;
  } else if (v->place < 0) {
    put_at(sat, sat->heap.count++, variable);  // has room for all
    rise(sat, sat->heap.count - 1);
  }
}

bool fw__sat_order_add(fw_sat_t * sat, int32_t variable, bool is_cold)
{
  sat->variables[variable].cold = is_cold ? sat->cold.count : -1;
  return fw__sat_list_reserve(sat->arena, &sat->heap, sat->variable_count - sat->heap.count) &&
         (!is_cold || fw__sat_list_push(sat->arena, &sat->cold, variable));
}

int32_t fw__sat_order_take(fw_sat_t * sat)
{
  while (sat->heap.count > 0) {
    const int32_t variable = sat->heap.items[0];
    const int32_t last = sat->heap.items[--sat->heap.count];
    sat->variables[variable].place = -1;
    if (sat->heap.count > 0) {
      put_at(sat, 0, last);
      sink(sat, 0);
    }
    if (sat->values[2 * variable] == 0) {
      return variable;
    }
  }
  while (sat->cold_from < sat->cold.count && sat->values[2 * sat->cold.items[sat->cold_from]] != 0) {
    ++sat->cold_from;
  }
  return sat->cold_from < sat->cold.count ? sat->cold.items[sat->cold_from] : -1;
}

void fw__sat_order_bump(fw_sat_t * sat, int32_t variable)
{
  sat->variables[variable].activity += sat->activity_step;
  if (sat->variables[variable].place >= 0) {
    rise(sat, sat->variables[variable].place);
  }
}

// Shifting makes some equal, and among equals the smaller variable goes first: the heap is put in order again.
void fw__sat_order_decay(fw_sat_t * sat)
{
  sat->activity_step += sat->activity_step / 16;
  if (sat->activity_step > STEP_MAX) {
    sat->activity_step >>= SHIFT;
    for (int32_t i = 0; i < sat->variable_count; ++i) {
      const uint64_t activity = sat->variables[i].activity;
      sat->variables[i].activity = activity > 0 ? (activity >> SHIFT) + 1 : 0;  // who was in a conflict stays so
    }
    for (int32_t i = sat->heap.count / 2 - 1; i >= 0; --i) {
      sink(sat, i);
    }
  }
}
