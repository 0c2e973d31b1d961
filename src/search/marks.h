// The closed list of a search over places: for each place its cost so far (g) and a note, such as the direction of the
// last move. Each query counts up an epoch, so that nothing has to be cleared.

#ifndef SEARCH__MARKS_H_
#define SEARCH__MARKS_H_

#include <string.h>

#include "base/arena.h"
#include "base/assert.h"

typedef struct fw_mark_t {
  int32_t g;
  uint32_t tag;  // epoch * FW_MARK_NOTES + note
} fw_mark_t;

enum { FW_MARK_NOTES = 16 };  // notes are 0 to 15

typedef struct fw_marks_t {
  fw_mark_t * marks;
  int32_t count;
  uint32_t epoch;
} fw_marks_t;

// False when there is no memory.
static inline bool fw__marks_init(fw_marks_t * marks, fw_arena_t * arena, int32_t count)
{
  *marks = (fw_marks_t){.count = count};
  marks->marks = fw__arena_allocate_zeroed(arena, (size_t)count, sizeof(*marks->marks));
  return marks->marks != NULL;
}

// Begins a query: no place has been reached.
static inline void fw__marks_begin(fw_marks_t * marks)
{
  if (++marks->epoch == UINT32_MAX / FW_MARK_NOTES) {
    memset(marks->marks, 0, (size_t)marks->count * sizeof(*marks->marks));
    marks->epoch = 1;
  }
}

// Whether the place has been reached in this query; only then are its g and note valid.
static inline bool fw__marks_has(const fw_marks_t * marks, int32_t place)
{
  return marks->marks[place].tag / FW_MARK_NOTES == marks->epoch;
}
static inline int32_t fw__marks_note(const fw_marks_t * marks, int32_t place)
{
  return (int32_t)(marks->marks[place].tag % FW_MARK_NOTES);
}
static inline void fw__marks_set(fw_marks_t * marks, int32_t place, int32_t g, int32_t note)
{
  FW_ASSERT(place >= 0 && place < marks->count && note >= 0 && note < FW_MARK_NOTES);
  marks->marks[place] = (fw_mark_t){.g = g, .tag = marks->epoch * FW_MARK_NOTES + (uint32_t)note};
}

#endif  // SEARCH__MARKS_H_
