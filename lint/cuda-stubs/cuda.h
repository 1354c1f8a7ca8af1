// Stand-in for the driver interface: types, and what trainers call of it.
#pragma once

#include "cuda_runtime_api.h"

#define CUDA_VERSION CUDART_VERSION
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef enum cudaError_enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_UNKNOWN = 999
} CUresult;

#ifdef __cplusplus
extern "C" {
#endif
CUresult cuInit(unsigned int flags);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuGetErrorString(CUresult error, const char **text);
CUresult cuStreamSynchronize(CUstream stream);
#ifdef __cplusplus
}
#endif
