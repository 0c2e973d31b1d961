// A* on a node bank: all nodes come from one block of memory that exists before the search begins, are found by a hash
// of their place, and are ordered by a binary heap that holds each open node once (Rabin, "A* Speed Optimizations",
// 2000). Memory depends on how far the search gets, not on the size of the map. When the bank is used up, the search
// ends (FW_STOP_MEMORY), or the bank is doubled.

#include <string.h>

#include "search/router.h"

typedef struct node_t {
  int32_t place;
  int32_t g;
  int32_t f;
  int32_t parent;     // a node, -1 at the start
  int32_t next;       // with the same hash, -1 for none
  int32_t heap_slot;  // index in the heap; -1: closed
} node_t;

typedef struct bank_t {
  node_t * nodes;
  int32_t * heads;  // by hash: first node of its list, -1 for none; the capacity rounded up to a power of two
  int32_t * heap;   // open nodes; a child never comes before its parent (see is_before)
  int32_t capacity;
  int32_t head_count;
  int32_t node_count;
  int32_t heap_count;
} bank_t;

enum { PARAMETER_NODES, PARAMETER_GROWS };

static bool reserve(bank_t * bank, fw_arena_t * arena, int32_t capacity)
{
  int32_t head_count = 1;
  while (head_count < capacity) {
    head_count *= 2;
  }
  node_t * nodes = fw__arena_allocate(arena, (size_t)capacity, sizeof(*nodes));
  int32_t * heap = fw__arena_allocate(arena, (size_t)capacity, sizeof(*heap));
  int32_t * heads = fw__arena_allocate(arena, (size_t)head_count, sizeof(*heads));
  if (nodes == NULL || heap == NULL || heads == NULL) {
    return false;
  }
  if (bank->node_count > 0) {
    memcpy(nodes, bank->nodes, (size_t)bank->node_count * sizeof(*nodes));
    memcpy(heap, bank->heap, (size_t)bank->heap_count * sizeof(*heap));
  }
  FW_ASSERT(bank->node_count <= capacity && bank->heap_count <= bank->node_count);
  bank->nodes = nodes;
  bank->heap = heap;
  bank->heads = heads;
  bank->capacity = capacity;
  bank->head_count = head_count;
  return true;
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  bank_t * bank = fw__arena_allocate_zeroed(context->built, 1, sizeof(*bank));
  if (bank == NULL || !reserve(bank, context->built, (int32_t)context->parameters[PARAMETER_NODES])) {
    return fw__error_memory(error);
  }
  context->state = bank;
  return FW_RET_OK;
}

// ---- hash -----------------------------------------------------------------------------------------------------------

static int32_t * head_of(const bank_t * bank, int32_t place)
{
  return &bank->heads[((uint32_t)place * UINT32_C(2654435769)) >> 4 & ((uint32_t)bank->head_count - 1)];
}

static void forget_heads(bank_t * bank) { memset(bank->heads, 0xff, (size_t)bank->head_count * sizeof(*bank->heads)); }

static int32_t find_node(const bank_t * bank, int32_t place)
{
  int32_t node = *head_of(bank, place);
  while (node >= 0 && bank->nodes[node].place != place) {
    node = bank->nodes[node].next;
  }
  return node;
}

static void link_node(bank_t * bank, int32_t node)
{
  int32_t * head = head_of(bank, bank->nodes[node].place);
  bank->nodes[node].next = *head;
  *head = node;
}

static bool grow(bank_t * bank, fw_arena_t * arena)
{
  if (bank->capacity > INT32_MAX / 4 || !reserve(bank, arena, 2 * bank->capacity)) {
    return false;
  }
  forget_heads(bank);
  for (int32_t i = 0; i < bank->node_count; ++i) {
    link_node(bank, i);
  }
  return true;
}

// ---- heap -----------------------------------------------------------------------------------------------------------

// Smaller f first; ties go to the larger g.
static bool is_before(const node_t * a, const node_t * b) { return a->f != b->f ? a->f < b->f : a->g > b->g; }

// Puts an open node at a slot or above, wherever its key belongs.
static void rise(bank_t * bank, int32_t slot, int32_t node)
{
  FW_ASSERT(slot >= 0 && slot < bank->heap_count && bank->heap_count <= bank->node_count);
  while (slot > 0) {
    const int32_t parent = bank->heap[(slot - 1) / 2];
    if (!is_before(&bank->nodes[node], &bank->nodes[parent])) {
      break;
    }
    bank->heap[slot] = parent;
    bank->nodes[parent].heap_slot = slot;
    slot = (slot - 1) / 2;
  }
  bank->heap[slot] = node;
  bank->nodes[node].heap_slot = slot;
}

static int32_t pop(bank_t * bank)
{
  FW_ASSERT(bank->heap_count > 0);
  const int32_t top = bank->heap[0];
  const int32_t last = bank->heap[--bank->heap_count];
  int32_t slot = 0;
  for (int32_t child = 1; child < bank->heap_count; child = 2 * slot + 1) {
    const bool has_other = child + 1 < bank->heap_count;
    if (has_other && is_before(&bank->nodes[bank->heap[child + 1]], &bank->nodes[bank->heap[child]])) {
      ++child;
    }
    if (!is_before(&bank->nodes[bank->heap[child]], &bank->nodes[last])) {
      break;
    }
    bank->heap[slot] = bank->heap[child];
    bank->nodes[bank->heap[slot]].heap_slot = slot;
    slot = child;
  }
  if (bank->heap_count > 0) {
    bank->heap[slot] = last;
    bank->nodes[last].heap_slot = slot;
  }
  bank->nodes[top].heap_slot = -1;
  return top;
}

// ---- the search -----------------------------------------------------------------------------------------------------

// A place reached from a node.
typedef struct arrival_t {
  int32_t place;
  int32_t g;
  int32_t parent;
} arrival_t;

// Keeps the arrival if it is the first or the cheapest at its place. False if the bank has no node left for it.
static inline bool offer(bank_t * bank, fw_router_context_t * context, arrival_t arrival)
{
  const int32_t place = arrival.place;
  const int32_t g = arrival.g;
  int32_t node = find_node(bank, place);
  if (node >= 0 && bank->nodes[node].g <= g) {
    return true;
  }
  if (node < 0) {
    const bool may_grow = context->parameters[PARAMETER_GROWS] != 0;
    if (bank->node_count == bank->capacity && (!may_grow || !grow(bank, context->built))) {
      return false;
    }
    node = bank->node_count++;
    bank->nodes[node] = (node_t){.place = place, .heap_slot = -1};
    link_node(bank, node);
  }
  node_t * known = &bank->nodes[node];
  known->g = g;
  known->f = g + fw__floor_estimate_between(context->floor, place, context->goal);
  known->parent = arrival.parent;
  rise(bank, known->heap_slot >= 0 ? known->heap_slot : bank->heap_count++, node);
  return true;
}

static void trace(const bank_t * bank, fw_trail_t * trail, int32_t node)
{
  for (; node >= 0; node = bank->nodes[node].parent) {
    fw__trail_add(trail, bank->nodes[node].place);
  }
  fw__trail_reverse(trail, 0);
}

static void find(fw_router_context_t * context)
{
  bank_t * bank = context->state;
  const fw_floor_t * floor = context->floor;
  bank->node_count = bank->heap_count = 0;
  forget_heads(bank);
  bool has_room = offer(bank, context, (arrival_t){.place = context->start, .parent = -1});
  while (has_room && bank->heap_count > 0) {
    const int32_t node = pop(bank);
    const int32_t place = bank->nodes[node].place;
    const int32_t g = bank->nodes[node].g;
    if (place == context->goal) {
      trace(bank, context->trail, node);
      break;
    }
    if (fw__router_count(context, place)) {
      break;
    }
    for (int32_t moves = floor->moves[place]; moves != 0 && has_room; moves &= moves - 1) {
      const int32_t d = __builtin_ctz((unsigned)moves);
      const int32_t to = fw__floor_next(floor, place, d);
      const arrival_t arrival = {.place = to, .g = g + fw__floor_step_cost(floor, to, d), .parent = node};
      has_room = offer(bank, context, arrival);
    }
  }
  if (!has_room) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
  }
  context->memory_bytes =
    (size_t)bank->capacity * (sizeof(node_t) + sizeof(*bank->heap)) + (size_t)bank->head_count * sizeof(*bank->heads);
}

static const fw_parameter_def_t parameters[] = {
  {.name = "nodes",
   .type = FW_PARAMETER_INTEGER,
   .initial = 16384,
   .min = 2,
   .max = 1 << 28,
   .help = "number of nodes in the bank, allocated when the map is built"},
  {.name = "grows",
   .type = FW_PARAMETER_BOOLEAN,
   .initial = 1,
   .max = 1,
   .help = "double a bank that is used up; otherwise the search ends without a result (stop: memory)"},
};

const fw_router_def_t fw__router_bank = {
  .name = "bank",
  .summary = "A* with preallocated nodes (node bank), a hash table and a binary heap",
  .paper = "Rabin, A* Speed Optimizations, 2000",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .is_optimal = true,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = build,
  .update = fw__router_update_nothing,
  .find = find,
};
