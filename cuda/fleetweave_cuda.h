// The GPU side of the library: what is there to compute on.
#ifndef FLEETWEAVE_CUDA_H_
#define FLEETWEAVE_CUDA_H_

#ifdef __cplusplus
extern "C" {
#endif

// One line for people: whether GPU kernels were built, and what they would run on.
// The text is constant for the life of the process and must not be freed. Not thread-safe on its first call.
const char * fw__cuda_status(void);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE_CUDA_H_
