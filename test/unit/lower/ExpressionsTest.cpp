//===- ExpressionsTest.cpp - Ops, views and calls -----------------------===//

#include "Snippet.h"

#include <gtest/gtest.h>

using namespace spmd::lint;

TEST(LowerExpressions, AnOperatorIsAnOp) {
  EXPECT_EQ(lowered(R"(
[[spmd::type("tp: V")]] at::Tensor add([[spmd::type("tp: V")]] at::Tensor x,
                                       at::Tensor y) {
  return x + y;
}
)"),
            R"(
func @add(%x: "tp: V", %y) -> "tp: V" {
  %2 = op add(self=%x, other=%y)
  return %2
}
)");
}

TEST(LowerExpressions, AMethodHasItsReceiverFirst) {
  EXPECT_EQ(lowered(R"(
at::Tensor product([[spmd::type("tp: V")]] at::Tensor x, at::Tensor w) {
  return x.matmul(w).relu();
}
)"),
            R"(
func @product(%x: "tp: V", %w) {
  %2 = op matmul(self=%x, other=%w)
  %3 = op relu(self=%2)
  return %3
}
)");
}

TEST(LowerExpressions, ALiteralIsAConstant) {
  EXPECT_EQ(lowered(R"(
at::Tensor twice([[spmd::type("tp: P")]] at::Tensor x) { return x * 2; }
)"),
            R"(
func @twice(%x: "tp: P") {
  %1 = constant
  %2 = op mul(self=%x, other=%1 scalar)
  return %2
}
)");
}

TEST(LowerExpressions, ZeroIsSpecial) {
  EXPECT_EQ(lowered(R"(
at::Tensor shift([[spmd::type("tp: P")]] at::Tensor x) { return x + 0; }
)"),
            R"(
func @shift(%x: "tp: P") {
  %1 = zero
  %2 = op add(self=%x, other=%1 scalar)
  return %2
}
)");
}

TEST(LowerExpressions, AVariableOfTensorsIsAnotherNameOfTheSame) {
  EXPECT_EQ(lowered(R"(
at::Tensor alias([[spmd::type("tp: V")]] at::Tensor x) {
  at::Tensor y = x;
  return y;
}
)"),
            R"(
func @alias(%x: "tp: V") {
  slot %y local
  %y = bind %x
  return %y
}
)");
}

TEST(LowerExpressions, AssignmentOfAHandleBinds) {
  EXPECT_EQ(lowered(R"(
at::Tensor rebind([[spmd::type("tp: V")]] at::Tensor x, at::Tensor y) {
  x = y;
  return x;
}
)"),
            R"(
func @rebind(%x: "tp: V", %y) {
  %x = bind %y
  return %x
}
)");
}

TEST(LowerExpressions, AConditionalHasTheValueOfEitherBranch) {
  EXPECT_EQ(lowered(R"(
at::Tensor pick([[spmd::type("tp: V")]] at::Tensor x, at::Tensor y, bool c) {
  return c ? x : y;
}
)"),
            R"(
func @pick(%x: "tp: V", %y, %c) {
b1:
  %3 = op own.copy(self=%c scalar)
  -> b2 b3 if %3 when flag %c "c" != 0
b2:
  %4 = bind %x
  -> b4
b3:
  %4 = bind %y
  -> b4
b4:
  return %4
}
)");
}

TEST(LowerExpressions, AViewIsOfTheSameStorage) {
  EXPECT_EQ(lowered(R"(
at::Tensor rows([[spmd::type("tp: V")]] at::Tensor x) {
  at::Tensor v = x.view({2, 3});
  return v;
}
)"),
            R"(
func @rows(%x: "tp: V") {
  slot %v local
  %2 = constant
  %3 = constant
  %4 = undefined
  %5 = op own.copy(self=%2 scalar) into part %4
  %6 = op own.copy(self=%3 scalar) into part %4
  %7 = op view(self=%x) [size={2, 3}]
  %v = bind %7
  return %v
}
)");
}

TEST(LowerExpressions, DimsAreArguments) {
  EXPECT_EQ(lowered(R"(
at::Tensor sum([[spmd::type("tp: V")]] at::Tensor x) {
  return at::sum(x, {1}, /*keepdim=*/true);
}
)"),
            R"(
func @sum(%x: "tp: V") {
  %1 = constant
  %2 = undefined
  %2 = bind %1
  %3 = unknown
  %4 = constant
  %5 = constant
  %6 = op sum(self=%x) [dim={1}, keepdim=true]
  return %6
}
)");
}

TEST(LowerExpressions, AnUnknownFunctionGivesAnything) {
  EXPECT_EQ(lowered(R"(
at::Tensor mystery(const at::Tensor &);
at::Tensor use([[spmd::type("tp: V")]] at::Tensor x) { return mystery(x); }
)"),
            R"(
func @use(%x: "tp: V") {
  %1 = unknown
  return %1
}
)");
}

TEST(LowerExpressions, AnAnnotatedFunctionIsItsContract) {
  EXPECT_EQ(lowered(R"(
[[spmd::type("tp: R")]] at::Tensor
gathered([[spmd::type("tp: V")]] const at::Tensor &);
at::Tensor use(at::Tensor x) { return gathered(x); }
)"),
            R"(
func @use(%x) {
  %1 = call @gathered(%x)
  return %1
}
func @gathered(%0: "tp: V") -> "tp: R" {
}
)");
}

TEST(LowerExpressions, ARuleOfTheUsers) {
  EXPECT_EQ(lowered(R"(
[[spmd::op("elementwise")]] at::Tensor squash(const at::Tensor &);
at::Tensor use([[spmd::type("tp: V")]] at::Tensor x) { return squash(x); }
)"),
            R"(
func @use(%x: "tp: V") {
  %1 = op squash(self=%x)
  return %1
}
)");
}
