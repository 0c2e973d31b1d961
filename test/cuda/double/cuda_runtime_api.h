// A test double of the CUDA runtime: the functions that the launch code calls, on host memory (../double.c). Names are
// its own, so that it can be linked beside the real one.

#ifndef DOUBLE__CUDA_RUNTIME_API_H_
#define DOUBLE__CUDA_RUNTIME_API_H_

#include <stddef.h>

// Numbers as in CUDA 13.
typedef enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorStubLibrary = 34,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorLaunchFailure = 719,
} cudaError_t;

enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr { cudaDevAttrMaxSharedMemoryPerBlock = 8, cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81 };

struct cudaDeviceProp {
  char name[256];
};

typedef struct dim3 {
  unsigned int x, y, z;
} dim3;

typedef struct fw_double_stream_t * cudaStream_t;

#define cudaGetErrorString fw_double_error_string
#define cudaGetDeviceCount fw_double_device_count
#define cudaSetDevice fw_double_set_device
#define cudaGetDeviceProperties fw_double_properties
#define cudaDeviceGetAttribute fw_double_attribute
#define cudaMemGetInfo fw_double_memory
#define cudaMalloc fw_double_malloc
#define cudaMallocHost fw_double_malloc_host
#define cudaFree fw_double_free
#define cudaFreeHost fw_double_free_host
#define cudaMemcpy fw_double_copy
#define cudaMemcpyAsync fw_double_copy_async
#define cudaMemsetAsync fw_double_set_async
#define cudaStreamCreate fw_double_stream_create
#define cudaStreamDestroy fw_double_stream_destroy
#define cudaStreamSynchronize fw_double_stream_synchronize
#define cudaLaunchKernel fw_double_launch

const char * cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetDeviceCount(int * count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp * properties, int device);
cudaError_t cudaDeviceGetAttribute(int * value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaMemGetInfo(size_t * free_bytes, size_t * total_bytes);
cudaError_t cudaMalloc(void ** memory, size_t bytes);
cudaError_t cudaMallocHost(void ** memory, size_t bytes);
cudaError_t cudaFree(void * memory);
cudaError_t cudaFreeHost(void * memory);
cudaError_t cudaMemcpy(void * to, const void * from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void * to, const void * from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void * memory, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamCreate(cudaStream_t * stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaLaunchKernel(
  const void * kernel, dim3 grid, dim3 block, void ** arguments, size_t shared_bytes, cudaStream_t stream);

#endif  // DOUBLE__CUDA_RUNTIME_API_H_
