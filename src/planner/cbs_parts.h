// The cheapest extra costs that no core forbids, found apart for each part of the group that cores connect.
//
// Robots that no core connects have nothing to do with each other, as far as is known: their costs are chosen apart, and
// the many equal choices of one part are not multiplied with those of another. A core across parts makes them one.

#ifndef PLANNER__CBS_PARTS_H_
#define PLANNER__CBS_PARTS_H_

#include "planner/cbs_cores.h"

// Extra costs of the robots of a part.
typedef struct fw_cbs_vector_t {
  uint16_t * extra;  // in the order of the part's members
  uint16_t * caps;   // no more than that in whatever comes of it
  int32_t sum;
  int32_t f;  // no less for whatever comes of it
} fw_cbs_vector_t;

typedef struct fw_cbs_part_t {
  bool is_live;  // else it has become part of another
  int32_t * members;
  int32_t count;
  int32_t * cores;  // those of its members, small ones first
  int32_t core_count;
  int32_t core_capacity;
  fw_cbs_vector_t * vectors;
  int32_t vector_count;
  int32_t vector_capacity;
  fw_ranked_t open;
  int32_t current;  // the vector that is in force
} fw_cbs_part_t;

typedef struct fw_cbs_parts_t {
  fw_arena_t * arena;
  fw_meter_t * meter;
  const fw_cbs_cores_t * cores;
  int32_t learned;     // cores that have found their part
  int32_t all;         // members of the group
  int32_t * part_of;   // by member, -1 for none: it costs nothing extra
  int32_t * place_of;  // by member: its place in its part
  uint16_t * extra;    // by member: what is in force
  uint8_t * marks;     // by place
  uint16_t * scratch;  // a vector in the making, with its caps
  int32_t * lacks;     // by core of a part
  int32_t lack_capacity;
  fw_cbs_part_t * parts;
  int32_t count;
  int32_t capacity;
} fw_cbs_parts_t;

bool fw_cbs_parts_init(fw_cbs_parts_t * parts, const fw_cbs_t * run, const fw_cbs_cores_t * cores);
// Takes in what has been learned since the last time; `extra` is the cheapest that respects it. FW_FOUND_PATH, or
// FW_FOUND_STOPPED: the meter says why.
fw_found_t fw_cbs_parts_learn(fw_cbs_parts_t * parts);
// Extra costs of a part that are worth a try as soon as nothing is cheaper. False when there is no memory.
bool fw_cbs_parts_propose(fw_cbs_parts_t * parts, int32_t part, const uint16_t * extra);
// The sum of `extra`, which is a lower bound.
int32_t fw_cbs_parts_sum(const fw_cbs_parts_t * parts);
int32_t fw_cbs_parts_sum_of(const fw_cbs_parts_t * parts, int32_t part);
// The part that costs most extra, -1 if there is none.
int32_t fw_cbs_parts_worst(const fw_cbs_parts_t * parts);

#endif  // PLANNER__CBS_PARTS_H_
