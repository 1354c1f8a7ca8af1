// Stand-in for NVTX ranges.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
int nvtxRangePushA(const char *message);
int nvtxRangePop(void);
void nvtxMarkA(const char *message);
void nvtxNameCudaStreamA(void *stream, const char *name);
#ifdef __cplusplus
}
#endif
#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
#define nvtxNameCudaStream nvtxNameCudaStreamA
