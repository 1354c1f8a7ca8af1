//===- DispatchTest.cpp - Virtual calls as a choice of methods ------------===//

#include "spmd/ir/Dispatch.h"
#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gmock/gmock.h"

using namespace spmd::rules;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

/// A layer with weights takes a step, one without does nothing.
const char *const Program = R"(
func @dense_step as "Dense::step"() {
  slot %this this
  slot %w field %this "struct Dense::w" tensor: "dp: R" !2:1
  slot %dw field %this "struct Dense::dw" tensor !2:1
b0:
  %1 = op add(self=%w !2:2, other=%dw !2:3) into %w @2:4
  ->
}
func @layer_step as "Layer::step"() {
  slot %this this
  slot %rate field %this "struct Layer::rate" tensor !3:1
b0:
  %1 = op neg(%rate !3:2) into %rate @3:3
  ->
}
func @step as "Layer::step"() {
  slot %this this
  slot %w field %this "struct Dense::w" tensor: "dp: R" !0:0
  slot %dw field %this "struct Dense::dw" tensor !0:0
  slot %rate field %this "struct Layer::rate" tensor !0:0
b0:
  return _
}
func @main(%x: "dp: V" !4:1) {
  slot %l local !4:1
  slot %w field %l "struct Dense::w" tensor: "dp: R" !4:1
  slot %dw field %l "struct Dense::dw" tensor !4:1
b0:
  %l = undefined @4:1
  %1 = constant @4:1
  %w = bind %1 !4:1 @4:1
  %2 = op clone(%x !4:2) into %dw @4:3
  call @step() on %l @4:4
  ->
}
)";

class Dispatch : public testing::Test {
protected:
  void SetUp() override {
    llvm::Expected<Module> Read = parseModule(Program, OpCatalogue::builtin());
    ASSERT_TRUE(static_cast<bool>(Read)) << llvm::toString(Read.takeError());
    M = std::move(*Read);
    for (const auto &F : M.Functions)
      if (F->Symbol == "step")
        callOneOf(*F, {"dense_step", "layer_step"});
    Classes.ByMethod["dense_step"] = "struct Dense";
    Classes.ByMethod["layer_step"] = "struct Layer";
    Classes.Bases["struct Layer"] = {};
    Classes.Bases["struct Dense"] = {"struct Layer"};
    Classes.Bases["struct Relu"] = {"struct Layer"};
  }
  std::vector<std::string> infer() {
    std::vector<std::string> Out;
    for (const Violation &V : inferModule(M, {}).Violations)
      Out.push_back(V.Op + " in " + V.In->DisplayName);
    return Out;
  }
  std::string step() const { return printFunction("step"); }
  std::string printFunction(llvm::StringRef Symbol) const {
    const std::string Text = printModule(M);
    const std::size_t At = Text.find("func @" + Symbol.str() + " ");
    return Text.substr(At, Text.find("\n}", At) - At);
  }

  Module M;
  ClassFamilies Classes;
};

TEST_F(Dispatch, OneOfSeveralIsAChoice) {
  EXPECT_THAT(step(), HasSubstr("choice"));
  EXPECT_THAT(step(), HasSubstr("call @dense_step() on %this"));
  EXPECT_THAT(step(), HasSubstr("call @layer_step() on %this"));
}

TEST_F(Dispatch, OneAloneIsNone) {
  for (const auto &F : M.Functions)
    if (F->Symbol == "step")
      callOneOf(*F, {"dense_step"});
  EXPECT_THAT(step(), Not(HasSubstr("choice")));
}

TEST_F(Dispatch, AnObjectHasWhatItsClassHas) {
  keepClassesApart(M, Classes);
  // Those of bases, all have.
  EXPECT_THAT(step(), HasSubstr("into %w"));
  EXPECT_THAT(step(), HasSubstr("into %dw"));
  EXPECT_THAT(step(), Not(HasSubstr("into %rate")));
  EXPECT_THAT(infer(), ElementsAre("w in Dense::step"));
}

TEST_F(Dispatch, AnInheritedMethodIsOfTheNearestClass) {
  Classes.Bases["struct Wide"] = {"struct Dense", "struct Layer"};
  M.Functions[2]->Slots[1].Member = "struct Wide::w";
  keepClassesApart(M, Classes);
  EXPECT_THAT(step(), HasSubstr("into %w"));
}

TEST_F(Dispatch, AFieldOfAnotherFamilyStaysAsItIs) {
  M.Functions[2]->Slots[1].Member = "struct Optimizer::w";
  keepClassesApart(M, Classes);
  EXPECT_THAT(step(), Not(HasSubstr("into %w")));
  EXPECT_THAT(step(), HasSubstr("into %dw"));
}

TEST_F(Dispatch, WhoseClassNobodyKnowsStaysAsItIs) {
  Classes.ByMethod.erase("layer_step");
  keepClassesApart(M, Classes);
  EXPECT_THAT(step(), Not(HasSubstr("into")));
}

} // namespace
