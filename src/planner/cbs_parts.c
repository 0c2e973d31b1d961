// The cheapest extra costs that no core forbids: A* over vectors of costs, for each part.

#include "planner/cbs_parts.h"

#include <string.h>

bool fw_cbs_parts_init(fw_cbs_parts_t * parts, const fw_cbs_t * run, const fw_cbs_cores_t * cores)
{
  const size_t all = (size_t)run->count;
  *parts = (fw_cbs_parts_t){.arena = run->arena, .meter = run->scene->meter, .cores = cores, .all = run->count};
  parts->part_of = fw_arena_allocate(run->arena, all, sizeof(*parts->part_of));
  parts->place_of = fw_arena_allocate_zeroed(run->arena, all, sizeof(*parts->place_of));
  parts->extra = fw_arena_allocate_zeroed(run->arena, all, sizeof(*parts->extra));
  parts->marks = fw_arena_allocate(run->arena, all, sizeof(*parts->marks));
  parts->scratch = fw_arena_allocate(run->arena, 2 * all, sizeof(*parts->scratch));
  if (
    parts->part_of == NULL || parts->place_of == NULL || parts->extra == NULL || parts->marks == NULL ||
    parts->scratch == NULL) {
    return false;
  }
  memset(parts->part_of, 0xff, all * sizeof(*parts->part_of));  // -1 in every place
  return true;
}

static fw_found_t out_of_memory(const fw_cbs_parts_t * parts)
{
  fw_meter_stop(parts->meter, FW_STOP_MEMORY);
  return FW_FOUND_STOPPED;
}

// ---- what a vector lacks --------------------------------------------------------------------------------------------

enum { HOPELESS = 1 << 20 };

// What it takes at least to satisfy a core: one of its robots that may cost that much has to come to its limit first.
static int32_t lack_of(const fw_cbs_parts_t * parts, const fw_cbs_core_t * core, const fw_cbs_vector_t * vector)
{
  int32_t missing = core->weight;
  int32_t nearest = HOPELESS;
  for (int32_t i = 0; i < core->count && missing > 0; ++i) {
    const int32_t place = parts->place_of[core->members[i]];
    const int32_t more = vector->extra[place] - core->limits[i];
    missing -= more > 0 ? more : 0;
    const int32_t way = more < 0 ? -more : 0;
    const bool may_rise = vector->caps[place] > core->limits[i] && vector->caps[place] > vector->extra[place];
    nearest = may_rise && way < nearest ? way : nearest;
  }
  return missing > 0 ? missing + nearest : 0;
}

// Cores that share nobody add up, those that take most first. `violated` is the first core that is not met, -1 for none.
static int32_t lack(
  fw_cbs_parts_t * parts, const fw_cbs_part_t * part, const fw_cbs_vector_t * vector, int32_t * violated)
{
  int32_t sum = 0;
  int32_t most = 0;
  *violated = -1;
  for (int32_t c = 0; c < part->core_count; ++c) {
    const int32_t missing = lack_of(parts, &parts->cores->cores[part->cores[c]], vector);
    parts->lacks[c] = missing;
    *violated = missing > 0 && *violated < 0 ? part->cores[c] : *violated;
    most = missing > most ? missing : most;
  }
  if (most == 0 || most >= HOPELESS) {
    return most;
  }
  memset(parts->marks, 0, (size_t)part->count * sizeof(*parts->marks));
  for (; most > 0; --most) {
    for (int32_t c = 0; c < part->core_count; ++c) {
      const fw_cbs_core_t * core = &parts->cores->cores[part->cores[c]];
      bool is_apart = parts->lacks[c] == most;
      for (int32_t i = 0; i < core->count && is_apart; ++i) {
        is_apart = parts->marks[parts->place_of[core->members[i]]] == 0;
      }
      for (int32_t i = 0; i < core->count && is_apart; ++i) {
        parts->marks[parts->place_of[core->members[i]]] = 1;
      }
      sum += is_apart ? most : 0;
    }
  }
  return sum;
}

// ---- vectors --------------------------------------------------------------------------------------------------------

// Of equals the one that lacks least, then the newest.
static bool push(fw_cbs_part_t * part, int32_t index)
{
  const fw_cbs_vector_t * vector = &part->vectors[index];
  return fw_ranked_push(&part->open, ((uint64_t)vector->f << 32) | (uint32_t)(vector->f - vector->sum), index);
}

// Keeps a copy of the vector that is being made, unless it cannot come to anything.
static bool offer(fw_cbs_parts_t * parts, fw_cbs_part_t * part, int32_t f_least)
{
  const size_t count = (size_t)part->count;
  fw_cbs_vector_t vector = {.extra = parts->scratch, .caps = parts->scratch + count};
  int32_t violated;
  for (size_t i = 0; i < count; ++i) {
    vector.sum += vector.extra[i];
  }
  const int32_t missing = lack(parts, part, &vector, &violated);
  if (missing >= HOPELESS) {
    return true;
  }
  vector.f = vector.sum + missing > f_least ? vector.sum + missing : f_least;
  if (part->vector_count == part->vector_capacity) {
    fw_cbs_vector_t * vectors =
      fw_arena_grow(parts->arena, part->vectors, (size_t)part->vector_count, sizeof(*vectors), &part->vector_capacity);
    if (vectors == NULL) {
      return false;
    }
    part->vectors = vectors;
  }
  uint16_t * numbers = fw_arena_allocate(parts->arena, 2 * count, sizeof(*numbers));
  if (numbers == NULL) {
    return false;
  }
  memcpy(numbers, parts->scratch, 2 * count * sizeof(*numbers));
  vector.extra = numbers;
  vector.caps = numbers + count;
  part->vectors[part->vector_count] = vector;
  return push(part, part->vector_count++);
}

// One of the core's robots costs more than its limit, and those before it in the list do not: children have no vector in
// common.
static bool branch(fw_cbs_parts_t * parts, fw_cbs_part_t * part, int32_t index, int32_t core_index)
{
  const fw_cbs_core_t * core = &parts->cores->cores[core_index];
  const fw_cbs_vector_t vector = part->vectors[index];
  const size_t count = (size_t)part->count;
  for (int32_t i = 0; i < core->count; ++i) {
    const int32_t place = parts->place_of[core->members[i]];
    const int32_t more = (vector.extra[place] > core->limits[i] ? vector.extra[place] : core->limits[i]) + 1;
    if (more > vector.caps[place]) {
      continue;
    }
    memcpy(parts->scratch, vector.extra, 2 * count * sizeof(*parts->scratch));
    parts->scratch[place] = (uint16_t)more;
    for (int32_t k = 0; k < i; ++k) {
      const int32_t before = parts->place_of[core->members[k]];
      const int32_t cap = vector.extra[before] > core->limits[k] ? vector.extra[before] : core->limits[k];
      uint16_t * known = &parts->scratch[count + (size_t)before];
      *known = cap < *known ? (uint16_t)cap : *known;
    }
    if (more >= UINT16_MAX || !offer(parts, part, vector.f)) {
      return false;
    }
  }
  return true;
}

static bool reserve_lacks(fw_cbs_parts_t * parts, const fw_cbs_part_t * part)
{
  while (parts->lack_capacity < part->core_count) {
    int32_t * lacks = fw_arena_grow(parts->arena, NULL, 0, sizeof(*lacks), &parts->lack_capacity);
    if (lacks == NULL) {
      parts->lack_capacity = 0;
      return false;
    }
    parts->lacks = lacks;
  }
  return true;
}

// On to the cheapest vector that no core forbids.
static fw_found_t settle(fw_cbs_parts_t * parts, fw_cbs_part_t * part)
{
  fw_ranked_item_t item;
  if (!reserve_lacks(parts, part)) {
    return out_of_memory(parts);
  }
  while (fw_ranked_pop(&part->open, &item)) {
    fw_cbs_vector_t * vector = &part->vectors[item.value];
    int32_t violated;
    const int32_t missing = lack(parts, part, vector, &violated);
    if (fw_meter_add(parts->meter, 1)) {
      return FW_FOUND_STOPPED;
    }
    if (missing >= HOPELESS) {
      continue;
    }
    if (vector->sum + missing > vector->f) {  // more has been learned since
      vector->f = vector->sum + missing;
      if (!push(part, item.value)) {
        return out_of_memory(parts);
      }
    } else if (violated >= 0) {
      if (!branch(parts, part, item.value, violated)) {
        return out_of_memory(parts);
      }
    } else {
      part->current = item.value;
      for (int32_t i = 0; i < part->count; ++i) {
        parts->extra[part->members[i]] = vector->extra[i];
      }
      return FW_FOUND_PATH;
    }
  }
  return out_of_memory(parts);  // there is always one: costs have no end
}

// ---- parts ----------------------------------------------------------------------------------------------------------

static bool add_core(fw_cbs_parts_t * parts, fw_cbs_part_t * part, int32_t core)
{
  if (part->core_count == part->core_capacity) {
    int32_t * cores =
      fw_arena_grow(parts->arena, part->cores, (size_t)part->core_count, sizeof(*cores), &part->core_capacity);
    if (cores == NULL) {
      return false;
    }
    part->cores = cores;
  }
  int32_t at = part->core_count++;
  for (; at > 0 && parts->cores->cores[part->cores[at - 1]].count > parts->cores->cores[core].count; --at) {
    part->cores[at] = part->cores[at - 1];
  }
  part->cores[at] = core;
  return true;
}

static fw_cbs_part_t * add_part(fw_cbs_parts_t * parts)
{
  if (parts->count == parts->capacity) {
    fw_cbs_part_t * grown =
      fw_arena_grow(parts->arena, parts->parts, (size_t)parts->count, sizeof(*grown), &parts->capacity);
    if (grown == NULL) {
      return NULL;
    }
    parts->parts = grown;
  }
  fw_cbs_part_t * part = &parts->parts[parts->count];
  *part = (fw_cbs_part_t){.is_live = true, .current = -1};
  part->members = fw_arena_allocate(parts->arena, (size_t)parts->all, sizeof(*part->members));
  fw_ranked_init(&part->open, parts->arena);
  if (part->members == NULL) {
    return NULL;
  }
  ++parts->count;
  return part;
}

static bool add_member(fw_cbs_parts_t * parts, fw_cbs_part_t * part, int32_t member)
{
  parts->part_of[member] = (int32_t)(part - parts->parts);
  parts->place_of[member] = part->count;
  part->members[part->count++] = member;
  return true;
}

// A core across parts: they become one, which begins anew, with what they cost apart as a bound.
static bool unite(fw_cbs_parts_t * parts, int32_t core_index, int32_t * united)
{
  const fw_cbs_core_t core = parts->cores->cores[core_index];
  fw_cbs_part_t * part = add_part(parts);
  int32_t bound = 0;
  if (part == NULL) {
    return false;
  }
  *united = parts->count - 1;
  for (int32_t i = 0; i < core.count; ++i) {
    const int32_t old_index = parts->part_of[core.members[i]];
    if (old_index == *united) {
      continue;
    }
    if (old_index < 0) {
      (void)add_member(parts, part, core.members[i]);
      continue;
    }
    fw_cbs_part_t * old = &parts->parts[old_index];
    bound += old->current >= 0 ? old->vectors[old->current].f : 0;
    old->is_live = false;
    for (int32_t k = 0; k < old->count; ++k) {
      (void)add_member(parts, part, old->members[k]);
    }
    for (int32_t k = 0; k < old->core_count; ++k) {
      if (!add_core(parts, part, old->cores[k])) {
        return false;
      }
    }
  }
  if (!add_core(parts, part, core_index)) {
    return false;
  }
  const size_t count = (size_t)part->count;
  memset(parts->scratch, 0, count * sizeof(*parts->scratch));
  memset(parts->scratch + count, 0xff, count * sizeof(*parts->scratch));  // no caps
  return reserve_lacks(parts, part) && offer(parts, part, bound);
}

static bool takes_all(const fw_cbs_parts_t * parts, const fw_cbs_core_t * core)
{
  const int32_t part = parts->part_of[core->members[0]];
  for (int32_t i = 1; i < core->count; ++i) {
    if (parts->part_of[core->members[i]] != part) {
      return false;
    }
  }
  return part >= 0;
}

fw_found_t fw_cbs_parts_learn(fw_cbs_parts_t * parts)
{
  for (; parts->learned < parts->cores->count; ++parts->learned) {
    const fw_cbs_core_t * core = &parts->cores->cores[parts->learned];
    int32_t index = parts->part_of[core->members[0]];
    if (!takes_all(parts, core)) {
      if (!unite(parts, parts->learned, &index)) {
        return out_of_memory(parts);
      }
    } else if (!add_core(parts, &parts->parts[index], parts->learned)) {
      return out_of_memory(parts);
    }
    fw_cbs_part_t * part = &parts->parts[index];
    if (part->current >= 0 && !push(part, part->current)) {
      return out_of_memory(parts);
    }
    part->current = -1;
  }
  for (int32_t i = 0; i < parts->count; ++i) {
    fw_cbs_part_t * part = &parts->parts[i];
    if (part->is_live && part->current < 0) {
      const fw_found_t found = settle(parts, part);
      if (found != FW_FOUND_PATH) {
        return found;
      }
    }
  }
  return FW_FOUND_PATH;
}

bool fw_cbs_parts_propose(fw_cbs_parts_t * parts, int32_t index, const uint16_t * extra)
{
  fw_cbs_part_t * part = &parts->parts[index];
  const size_t count = (size_t)part->count;
  memcpy(parts->scratch, extra, count * sizeof(*extra));
  memset(parts->scratch + count, 0xff, count * sizeof(*extra));  // no caps
  return offer(parts, part, 0);
}

int32_t fw_cbs_parts_sum(const fw_cbs_parts_t * parts)
{
  int32_t sum = 0;
  for (int32_t i = 0; i < parts->all; ++i) {
    sum += parts->extra[i];
  }
  return sum;
}

int32_t fw_cbs_parts_sum_of(const fw_cbs_parts_t * parts, int32_t part)
{
  return parts->parts[part].vectors[parts->parts[part].current].sum;
}

int32_t fw_cbs_parts_worst(const fw_cbs_parts_t * parts)
{
  int32_t worst = -1;
  for (int32_t i = 0; i < parts->count; ++i) {
    const fw_cbs_part_t * part = &parts->parts[i];
    if (
      part->is_live && part->current >= 0 &&
      (worst < 0 || fw_cbs_parts_sum_of(parts, i) > fw_cbs_parts_sum_of(parts, worst))) {
      worst = i;
    }
  }
  return worst;
}
