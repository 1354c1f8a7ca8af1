// Stand-in for NVTX ranges.
#pragma once

struct CUstream_st;
struct CUevent_st;

#ifdef __cplusplus
extern "C" {
#endif
int nvtxRangePushA(const char *message);
int nvtxRangePop(void);
void nvtxMarkA(const char *message);
void nvtxNameCudaStreamA(struct CUstream_st *stream, const char *name);
void nvtxNameCudaEventA(struct CUevent_st *event, const char *name);
#ifdef __cplusplus
}
#endif
#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent nvtxNameCudaEventA
