// FW_ASSERT: an invariant of the code, checked at run time in test and sanitizer builds (CMake option
// FLEETWEAVE_ASSERTS).
//
// For what must be true whatever the caller does; a caller's data is checked once at the boundary and reported through
// fw_error_t instead. A failed assertion prints the condition with its place and aborts. In other builds the condition
// is compiled but never evaluated, so it must have no side effects.
//
// FW_ASSERT_ENABLED guards loops that only an assertion needs: `if (FW_ASSERT_ENABLED) { fw__heap_validate(heap); }`.

#ifndef BASE__ASSERT_H_
#define BASE__ASSERT_H_

#ifdef FLEETWEAVE_ASSERTS
_Noreturn void fw__assert_failed(const char * condition, const char * file, int line);
#define FW_ASSERT_ENABLED 1
#define FW_ASSERT(condition) ((condition) ? (void)0 : fw__assert_failed(#condition, __FILE__, __LINE__))
#else
#define FW_ASSERT_ENABLED 0
#define FW_ASSERT(condition) ((void)(0 && (condition)))
#endif

#endif  // BASE__ASSERT_H_
