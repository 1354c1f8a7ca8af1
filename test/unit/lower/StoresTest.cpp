//===- StoresTest.cpp - What is written, and where ----------------------===//

#include "Snippet.h"

#include <gtest/gtest.h>

using namespace spmd::lint;

TEST(LowerStores, CompoundAssignmentWritesInPlace) {
  EXPECT_EQ(lowered(R"(
void add([[spmd::type("tp: V")]] at::Tensor x, at::Tensor y) { x += y; }
)"),
            R"(
func @add(%x: "tp: V", %y) {
  op add(self=%x, other=%y) into %x
}
)");
}

TEST(LowerStores, AMethodWithAnUnderscoreWritesItsReceiver) {
  EXPECT_EQ(lowered(R"(
void scale([[spmd::type("tp: P")]] at::Tensor x, at::Tensor y) { x.mul_(y); }
)"),
            R"(
func @scale(%x: "tp: P", %y) {
  op mul(self=%x, other=%y) into %x
}
)");
}

TEST(LowerStores, AnElementIsPartOfItsBuffer) {
  EXPECT_EQ(lowered(R"(
void put([[spmd::type("tp: V")]] float *x, float v, int i) { x[i] = v; }
)"),
            R"(
func @put(%x: "tp: V", %v, %i) {
  %3 = op own.copy(self=%v scalar)
  %4 = op own.copy(self=%i scalar)
  %5 = element %x at %4
  require variable element in %5 %3 "tp: V" of "x"
  %6 = op own.copy(self=%3 scalar) into %5
}
)");
}

TEST(LowerStores, AnElementIsReadAndWritten) {
  EXPECT_EQ(lowered(R"(
void add([[spmd::type("tp: V")]] float *x, const float *y, int i) {
  x[i] += y[i] * 2;
}
)"),
            R"(
func @add(%x: "tp: V", %y, %i) {
  %3 = op own.copy(self=%i scalar)
  %4 = element %x at %3
  %5 = op own.copy(self=%i scalar)
  %6 = element %y at %5
  %7 = op own.copy(self=%6 scalar)
  %8 = constant
  %9 = op own.mul(self=%7 scalar, other=%8 scalar)
  %10 = op own.copy(self=%4 scalar)
  %11 = op own.add(self=%10 scalar, other=%9 scalar)
  require variable element in %4 %11 "tp: V" of "x"
  %12 = op own.copy(self=%11 scalar) into %4
}
)");
}

TEST(LowerStores, AScalarIsCopied) {
  EXPECT_EQ(lowered(R"(
float next([[spmd::type("tp: V")]] float x) {
  float y = x;
  y += 1;
  return y;
}
)"),
            R"(
func @next(%x: "tp: V") {
  slot %y local
  %2 = op own.copy(self=%x scalar)
  %y = bind %2
  %3 = constant
  %4 = op own.copy(self=%y scalar)
  %5 = op own.add(self=%4 scalar, other=%3 scalar)
  %6 = op own.copy(self=%5 scalar) into %y
  %7 = op own.copy(self=%y scalar)
  return %7
}
)");
}

TEST(LowerStores, AFieldIsASlotOfItsObject) {
  EXPECT_EQ(lowered(R"cpp(
struct Layer {
  [[spmd::type("tp: S(0)")]] at::Tensor w;
  void set(at::Tensor x) { w = x; }
};
)cpp"),
            R"ir(
func @Layer::set(%x) {
  slot %this this
  slot %w field %this w tensor: "tp: S(0)"
  require field %x "tp: S(0)" of "w"
  %w = bind %x
}
)ir");
}

TEST(LowerStores, AFieldOfAnotherObject) {
  EXPECT_EQ(lowered(R"(
struct Pair {
  at::Tensor a, b;
};
at::Tensor second([[spmd::type("tp: V")]] at::Tensor x) {
  Pair p{x, x};
  p.b = p.a + x;
  return p.b;
}
)"),
            R"(
func @second(%x: "tp: V") {
  slot %1 field %2 a tensor
  slot %3 field %2 b tensor
  slot %p local owned
  slot %p.b.5 field %p b tensor
  slot %p.a.6 field %p a tensor
  object %1 %p.a.6
  object %2 %p
  object %3 %p.b.5
  %2 = undefined
  %1 = bind %x
  %3 = bind %x
  %p = bind %2
  %7 = op add(self=%p.a.6, other=%x)
  %p.b.5 = bind %7
  return %p.b.5
}
)");
}

TEST(LowerStores, CopyWritesAnotherStorage) {
  EXPECT_EQ(lowered(R"(
void fill([[spmd::type("tp: R")]] at::Tensor into, at::Tensor from) {
  into.copy_(from);
}
)"),
            R"(
func @fill(%into: "tp: R", %from) {
  %2 = zero
  op copy_(self=%into, src=%from) [non_blocking=false] into %into
}
)");
}

TEST(LowerStores, UnknownCodeMayWriteAReference) {
  EXPECT_EQ(lowered(R"(
void change(at::Tensor &x);
at::Tensor use([[spmd::type("tp: V")]] at::Tensor x) {
  change(x);
  return x;
}
)"),
            R"(
func @use(%x: "tp: V") {
  %1 = gradient %x
  %2 = view %x at _
  havoc %1 gradients
  havoc %2 gradients
  havoc %x rebinds
  return %x
}
)");
}
