// A* on a node bank: all nodes from one block of memory that is there before the search begins, found by a hash of their
// place and ordered by a heap that holds each node once (Rabin, "A* Speed Optimizations", 2000). The map may be as large
// as it likes; what counts is how far the search gets. When the bank is used up the search ends, or a second bank of the
// same size is added.

#include <string.h>

#include "base/error.h"
#include "search/router.h"

typedef struct node_t {
  int32_t place;
  int32_t g;
  int32_t f;
  int32_t parent;     // a node, -1 at the start
  int32_t next;       // with the same hash, -1 for none
  int32_t heap_slot;  // -1: not open
} node_t;

typedef struct bank_t {
  node_t * nodes;
  int32_t * heads;  // by hash, -1 for none; as many as there is room for nodes, rounded up to a power of two
  int32_t * heap;   // nodes
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

static fw_ret_t update(fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  (void)context;
  (void)cells;
  (void)count;
  (void)error;
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

// Smaller f first, of equal f the larger g.
static bool is_before(const node_t * a, const node_t * b) { return a->f != b->f ? a->f < b->f : a->g > b->g; }

static void rise(bank_t * bank, int32_t slot, int32_t node)
{
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

// Offers a place at cost g. False if there is no node left for it.
static bool offer(bank_t * bank, fw_router_context_t * context, int32_t place, int32_t g, int32_t parent)
{
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
  known->parent = parent;
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
  bool has_room = offer(bank, context, context->start, 0, -1);
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
      has_room = offer(bank, context, to, g + fw__floor_step_cost(floor, to, d), node);
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
   .help = "the size of the bank; taken when the map is given"},
  {.name = "grows",
   .type = FW_PARAMETER_BOOLEAN,
   .initial = 1,
   .max = 1,
   .help = "whether a bank that is used up is doubled; else the search ends without an answer (stop: memory)"},
};

const fw_router_def_t fw_router_bank = {
  .name = "bank",
  .summary = "A* on a bank of nodes taken beforehand, with a hash table and a heap",
  .paper = "Rabin, A* Speed Optimizations, 2000",
  .parameters = parameters,
  .parameter_count = 2,
  .is_optimal = true,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = build,
  .update = update,
  .find = find,
};
