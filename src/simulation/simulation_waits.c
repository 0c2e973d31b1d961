// Who waited for whom in a simulated fleet, and how long.

#include "simulation/simulation.h"

static bool end_wait(fw__simulated_fleet_t * fleet, int32_t robot)
{
  fw__mover_t * mover = &fleet->movers[robot];
  if (mover->waits_for < 0 || fleet->now <= mover->waits_since) {
    return true;
  }
  if (fleet->wait_count == fleet->wait_capacity) {
    fw_simulated_wait_t * larger =
      fw__arena_grow(&fleet->arena, fleet->waits, (size_t)fleet->wait_count, sizeof(*larger), &fleet->wait_capacity);
    if (larger == NULL) {
      return false;
    }
    fleet->waits = larger;
  }
  fleet->waits[fleet->wait_count++] =
    (fw_simulated_wait_t){.robot = robot, .other = mover->waits_for, .seconds = fleet->now - mover->waits_since};
  mover->waits_since = fleet->now;
  return true;
}

bool fw__waits_note(fw__simulated_fleet_t * fleet, int32_t robot)
{
  const fw__slot_t * slot = &fleet->execution->slots[robot];
  fw__mover_t * mover = &fleet->movers[robot];
  int32_t other = -1;
  if (
    !fleet->options.is_timed && slot->reached == slot->released &&
    slot->reached < fw__execution_end(fleet->execution, robot)) {
    other = fw__release_hold(fleet->execution, robot, slot->released + 1).other;
  }
  if (other == mover->waits_for) {
    return true;
  }
  const bool is_noted = end_wait(fleet, robot);
  mover->waits_for = other;
  mover->waits_since = fleet->now;
  return is_noted;
}

static bool is_before(const fw_simulated_wait_t * a, const fw_simulated_wait_t * b, bool by_length)
{
  if (by_length && a->seconds != b->seconds) {
    return a->seconds > b->seconds;
  }
  return a->robot != b->robot ? a->robot < b->robot : a->other < b->other;
}

// Heap sort: no memory, and the same row on every machine.
static void sort(fw_simulated_wait_t * items, int32_t count, bool by_length)
{
  for (int32_t pass = count / 2 - 1, size = count; size > 1 || pass >= 0;) {
    int32_t at = pass;
    if (pass >= 0) {
      --pass;
    } else {
      --size;
      const fw_simulated_wait_t last = items[size];
      items[size] = items[0];
      items[0] = last;
      at = 0;
    }
    const fw_simulated_wait_t item = items[at];
    for (int32_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
      child += child + 1 < size && is_before(&items[child], &items[child + 1], by_length) ? 1 : 0;
      if (!is_before(&item, &items[child], by_length)) {
        break;
      }
      items[at] = items[child];
      at = child;
    }
    items[at] = item;
  }
}

void fw__waits_close(fw__simulated_fleet_t * fleet)
{
  for (int32_t robot = 0; robot < fleet->mover_count; ++robot) {
    (void)end_wait(fleet, robot);  // without memory a wait that goes on is left out
  }
  sort(fleet->waits, fleet->wait_count, false);
  int32_t count = 0;
  for (int32_t i = 0; i < fleet->wait_count; ++i) {
    const fw_simulated_wait_t wait = fleet->waits[i];
    if (count > 0 && fleet->waits[count - 1].robot == wait.robot && fleet->waits[count - 1].other == wait.other) {
      fleet->waits[count - 1].seconds += wait.seconds;
    } else {
      fleet->waits[count++] = wait;
    }
  }
  fleet->wait_count = count;
  sort(fleet->waits, fleet->wait_count, true);
}
