// The GPU status of this build. built_in.c implements it with CUDA, stub.c without.
#ifndef FLEETWEAVE_CUDA_H_
#define FLEETWEAVE_CUDA_H_

#ifdef __cplusplus
extern "C" {
#endif

// One line for users: whether GPU kernels were built, and the number of devices or why there is none.
// The text is constant for the life of the process and must not be freed. Not thread-safe on its first call.
const char * fw__cuda_status(void);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE_CUDA_H_
