//===- KernelsTest.cpp - CUDA -------------------------------------------===//

#include "Snippet.h"

#include <gtest/gtest.h>

using namespace spmd::lint;

TEST(LowerKernels, AKernelWritesElements) {
  EXPECT_EQ(loweredCuda(R"(
__global__ void scale([[spmd::type("tp: V")]] float *x, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] *= by;
}
)"),
            R"(
func @scale(%x: "tp: V", %by) kernel {
  slot %blockIdx global
  slot %blockIdx.x.3 field %blockIdx x
  slot %blockDim global
  slot %blockDim.x.5 field %blockDim x
  slot %threadIdx global
  slot %threadIdx.x.7 field %threadIdx x
  slot %i local
  %9 = op own.copy(self=%blockIdx.x.3 scalar)
  %10 = op own.copy(self=%blockDim.x.5 scalar)
  %11 = op own.mul(self=%9 scalar, other=%10 scalar)
  %12 = op own.copy(self=%threadIdx.x.7 scalar)
  %13 = op own.add(self=%11 scalar, other=%12 scalar)
  %i = bind %13
  %14 = op own.copy(self=%i scalar)
  %15 = element %x at %14
  %16 = op own.copy(self=%by scalar)
  %17 = op own.copy(self=%15 scalar)
  %18 = op own.mul(self=%17 scalar, other=%16 scalar)
  require variable element in %15 %18 "tp: V" of "x"
  %19 = op own.copy(self=%18 scalar) into %15
}
)");
}

TEST(LowerKernels, AGuardIsNoBranchOfRanks) {
  EXPECT_EQ(loweredCuda(R"(
__global__ void add([[spmd::type("tp: V")]] float *x, const float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    x[i] += y[i];
}
)"),
            R"(
func @add(%x: "tp: V", %y, %n) kernel {
  slot %threadIdx global
  slot %threadIdx.x.4 field %threadIdx x
  slot %i local
b1:
  %6 = op own.copy(self=%threadIdx.x.4 scalar)
  %i = bind %6
  %7 = op own.copy(self=%i scalar)
  %8 = op own.copy(self=%n scalar)
  %9 = op compare(self=%7 scalar, other=%8 scalar)
  -> b2 b3 if %9 when flag "i < n" != 0
b2:
  %10 = op own.copy(self=%i scalar)
  %11 = element %x at %10
  %12 = op own.copy(self=%i scalar)
  %13 = element %y at %12
  %14 = op own.copy(self=%13 scalar)
  %15 = op own.copy(self=%11 scalar)
  %16 = op own.add(self=%15 scalar, other=%14 scalar)
  require variable element in %11 %16 "tp: V" of "x"
  %17 = op own.copy(self=%16 scalar) into %11
  -> b3
b3:
  ->
}
)");
}

TEST(LowerKernels, ALaunchIsACall) {
  EXPECT_EQ(loweredCuda(R"(
__global__ void clear([[spmd::type("tp: V")]] float *x) { x[threadIdx.x] = 0; }
void run([[spmd::type("tp: V")]] float *x) { clear<<<1, 32>>>(x); }
)"),
            R"(
func @clear(%x: "tp: V") kernel {
  slot %threadIdx global
  slot %threadIdx.x.2 field %threadIdx x
  %3 = zero
  %4 = op own.copy(self=%threadIdx.x.2 scalar)
  %5 = element %x at %4
  require variable element in %5 %3 "tp: V" of "x"
  %6 = op own.copy(self=%3 scalar) into %5
}
func @run(%x: "tp: V") {
  slot %threadIdx global
  slot %threadIdx.x.2 field %threadIdx x
  %3 = constant
  %4 = constant
  %5 = constant
  %6 = unknown
  %7 = constant
  %8 = constant
  %9 = constant
  %10 = unknown
  %11 = zero
  %12 = unknown
  call @clear(%x)
}
)");
}

TEST(LowerKernels, AnAtomicAddWritesWhatItPointsTo) {
  EXPECT_EQ(loweredCuda(R"(
__global__ void total([[spmd::type("tp: V")]] const float *x, float *out) {
  atomicAdd(out, x[threadIdx.x]);
}
)"),
            R"(
func @total(%x: "tp: V", %out) kernel {
  slot %threadIdx global
  slot %threadIdx.x.3 field %threadIdx x
  %4 = op own.copy(self=%threadIdx.x.3 scalar)
  %5 = element %x at %4
  %6 = op own.copy(self=%5 scalar)
  %7 = op own.copy(self=%out scalar)
  %8 = op own.add(self=%7 scalar, other=%6 scalar)
  %9 = op own.copy(self=%8 scalar) into %out
}
)");
}

TEST(LowerKernels, MemcpyCopiesABuffer) {
  EXPECT_EQ(loweredCuda(R"(
void copy([[spmd::type("tp: V")]] const float *from, float *to, size_t n) {
  cudaMemcpy(to, from, n, cudaMemcpyDeviceToDevice);
}
)"),
            R"(
func @copy(%from: "tp: V", %to, %n) {
  %3 = op own.copy(self=%n scalar)
  %4 = constant
  %5 = op own.copy(self=%from) [count=?] into %to
  %6 = constant
}
)");
}

TEST(LowerKernels, ReducedPrecisionStoresAsNumbersDo) {
  EXPECT_EQ(loweredCuda(R"(
#include <cuda_bf16.h>
__global__ void add([[spmd::type("tp: V")]] __nv_bfloat16 *x,
                    __nv_bfloat16 y, int i) {
  x[i] += y;
}
)"),
            R"(
func @add(%x: "tp: V", %y, %i) kernel {
  %3 = op own.copy(self=%i scalar)
  %4 = element %x at %3
  %5 = op own.copy(self=%4 scalar)
  %6 = op own.add(self=%5 scalar, other=%y scalar)
  require variable element in %4 %6 "tp: V" of "x"
  %7 = op own.copy(self=%6 scalar) into %4
}
)");
}
