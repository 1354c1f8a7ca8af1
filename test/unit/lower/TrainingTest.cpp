//===- TrainingTest.cpp - Modules, gradients and lists ------------------===//

#include "Snippet.h"

#include <gtest/gtest.h>

using namespace spmd::lint;

TEST(LowerTraining, ALayerMultipliesByItsWeight) {
  EXPECT_EQ(lowered(R"cpp(
struct Net {
  [[spmd::type("weight: tp: S(0); bias: tp: S(0)")]] torch::nn::Linear fc{4, 4};
  at::Tensor forward([[spmd::type("tp: R")]] at::Tensor x) { return fc(x); }
};
)cpp"),
            R"ir(
func @Net::forward(%x: "tp: R") {
  slot %this this
  slot %fc field %this fc: "weight: tp: S(0); bias: tp: S(0)"
  slot %fc.weight.3 field %fc weight tensor: inherited "tp: S(0)"
  slot %fc.bias.4 field %fc bias tensor: inherited "tp: S(0)"
  %5 = op linear(input=%x, weight=%fc.weight.3, bias=%fc.bias.4) [options=?]
  return %5
}
)ir");
}

TEST(LowerTraining, AnActivationModuleIsItsFunction) {
  EXPECT_EQ(lowered(R"(
struct Net {
  torch::nn::ReLU act;
  at::Tensor forward([[spmd::type("tp: R")]] at::Tensor x) { return act(x); }
};
)"),
            R"(
func @Net::forward(%x: "tp: R") {
  slot %this this
  slot %act field %this act
  %3 = op relu(self=%x) [options=?]
  return %3
}
)");
}

TEST(LowerTraining, AnOptimizerStepReadsGradients) {
  EXPECT_EQ(lowered(R"(
void step([[spmd::type("dp: R")]] torch::nn::Linear fc) {
  torch::optim::SGD sgd(fc->parameters(), 0.1);
  sgd.step();
}
)"),
            R"ir(
func @step(%fc: "dp: R") {
  slot %"fc.parameters().1" field %fc "parameters()" tensor: inherited "dp: R"
  slot %2 field %3 "parameters()" tensor
  slot %sgd local
  slot %"sgd.parameters().5" field %sgd "parameters()" tensor
  object %2 %"sgd.parameters().5"
  object %3 %sgd
  %6 = constant
  %7 = constant
  %8 = unknown
  %3 = undefined
  %2 = bind %"fc.parameters().1"
  %sgd = bind %3
  %9 = gradient %"sgd.parameters().5"
  %10 = op step(self=%"sgd.parameters().5", other=%9) into %"sgd.parameters().5"
  %11 = unknown
}
)ir");
}

TEST(LowerTraining, BackwardStartsAtTheLoss) {
  EXPECT_EQ(lowered(R"(
void train([[spmd::type("dp: P")]] at::Tensor loss) { loss.backward(); }
)"),
            R"(
func @train(%loss: "dp: P") {
  %1 = constant
  %2 = zero
  backward %loss
}
)");
}

TEST(LowerTraining, BackwardWithAGradientIsOfNoLoss) {
  EXPECT_EQ(lowered(R"(
void train([[spmd::type("dp: P")]] at::Tensor x, at::Tensor g) {
  x.backward(g);
}
)"),
            R"(
func @train(%x: "dp: P", %g) {
  %2 = constant
  %3 = zero
  backward _
}
)");
}

TEST(LowerTraining, AGradientIsADerivative) {
  EXPECT_EQ(lowered(R"(
at::Tensor of([[spmd::type("dp: R")]] at::Tensor w) { return w.grad(); }
)"),
            R"(
func @of(%w: "dp: R") {
  %1 = gradient %w
  return %1
}
)");
}

TEST(LowerTraining, AListIsOneSummary) {
  EXPECT_EQ(lowered(R"(
std::vector<at::Tensor> both([[spmd::type("tp: V")]] at::Tensor x,
                             at::Tensor y) {
  std::vector<at::Tensor> out;
  out.push_back(x);
  out.push_back(y);
  return out;
}
)"),
            R"(
func @both(%x: "tp: V", %y) {
  slot %out local
  %3 = undefined
  %out = undefined
  %out = join %x
  %out = join %y
  return %out
}
)");
}

TEST(LowerTraining, AListGoesToAnOpThatTakesLists) {
  EXPECT_EQ(lowered(R"(
at::Tensor joined([[spmd::type("tp: V")]] at::Tensor x, at::Tensor y) {
  return at::cat({x, y}, 1);
}
)"),
            R"(
func @joined(%x: "tp: V", %y) {
  %2 = undefined
  %2 = join %x
  %2 = join %y
  %3 = constant
  %4 = op cat(tensors=%x, tensors=%y) [dim=1]
  return %4
}
)");
}

TEST(LowerTraining, ElementsByNumberAreVariables) {
  EXPECT_EQ(lowered(R"(
at::Tensor second([[spmd::type("tp: V")]] at::Tensor x, at::Tensor y) {
  at::Tensor both[2] = {x, y};
  return both[1];
}
)"),
            R"(
func @second(%x: "tp: V", %y) {
  slot %both local
  slot %"both[0].3" field %both "[0]"
  slot %"both[1].4" field %both "[1]"
  %5 = undefined
  %5 = join %x
  %5 = join %y
  %"both[0].3" = bind %x
  %"both[1].4" = bind %y
  %6 = constant
  return %"both[1].4"
}
)");
}

TEST(LowerTraining, NoGradChangesNothing) {
  EXPECT_EQ(lowered(R"(
at::Tensor quiet([[spmd::type("tp: V")]] at::Tensor x) {
  torch::NoGradGuard guard;
  return x.detach();
}
)"),
            R"(
func @quiet(%x: "tp: V") {
  slot %guard local owned
  %2 = unknown
  %guard = bind %2
  %3 = op detach(self=%x)
  return %3
}
)");
}
