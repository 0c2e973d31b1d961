// malloc, calloc and realloc for the controller and the default allocator, which can be made to fail.
//
// A simulation that fails the n-th allocation must do so from a seed, in every program that replays it. Replacing the
// C library's functions works in one test program at most; an allocator that is passed to every part of the controller
// would be a parameter of most of its functions. So the failures are a variable of the thread: the only one that
// changes in the library, and zero unless somebody simulates.

#ifndef BASE__HEAP_H_
#define BASE__HEAP_H_

#include <stddef.h>
#include <stdint.h>

// As the functions of the C library. Blocks go back by free.
void * fw__malloc(size_t size);
void * fw__calloc(size_t count, size_t size);
void * fw__realloc(void * block, size_t size);

// Which allocations of this thread fail from now on: those with the numbers `first` to `first + count - 1`, counted
// from 1. Also counts all of them.
typedef struct fw_heap_faults_t {
  int64_t first;  // 0: none
  int64_t count;
  int64_t calls;     // allocations since fw__heap_begin_faults
  int64_t failures;  // of these, those that failed
} fw_heap_faults_t;

void fw__heap_begin_faults(int64_t first, int64_t count);
// From now on none fails. Returns what has happened since the beginning.
fw_heap_faults_t fw__heap_end_faults(void);

#endif  // BASE__HEAP_H_
