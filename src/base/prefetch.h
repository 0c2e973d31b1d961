// A hint to the processor that a cache line will be read soon. It changes no result.

#ifndef BASE__PREFETCH_H_
#define BASE__PREFETCH_H_

#if defined(__GNUC__)
#define FW_PREFETCH(address) __builtin_prefetch(address)
#else
#define FW_PREFETCH(address) ((void)(address))
#endif

#endif  // BASE__PREFETCH_H_
