//===- StateAtPointTest.cpp - What holds at named points of a body --------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

#include <map>

using namespace spmd::rules;

namespace {

/// The states of a module at its points: `States(Text).at("end").of("%y")`.
class States {
public:
  explicit States(llvm::StringRef Text) {
    llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
    if (!M) {
      ADD_FAILURE() << llvm::toString(M.takeError());
      return;
    }
    const InferenceResult Result = inferModule(*M, {}, [&](const TypedSlot &T) {
      if (const auto *P = T.Of ? std::get_if<PointFact>(T.Of) : nullptr)
        Points[P->Name]["%" + T.In->slot(T.Slot).Name] = types(T);
    });
    Findings = Result.Violations.size();
  }

  struct Point {
    std::map<std::string, std::string> Types;
    std::string of(const std::string &Name) const {
      const auto At = Types.find(Name);
      return At == Types.end() ? "not looked at" : At->second;
    }
  };
  Point at(const std::string &Name) const {
    const auto Found = Points.find(Name);
    return {Found == Points.end() ? std::map<std::string, std::string>()
                                  : Found->second};
  }

  std::size_t Findings = 0;

private:
  static std::string types(const TypedSlot &T) {
    std::string Out;
    for (const auto &[Axis, Type] : T.Types)
      Out += (Out.empty() ? "" : ", ") + Axis + ": " + printAxisType(Type);
    return Out + (T.Spec.empty() ? "" : " " + T.Spec);
  }
  std::map<std::string, std::map<std::string, std::string>> Points;
};

TEST(StateAtPoint, EachWayAndWhereTheyMeet) {
  const States S(R"ir(
func @f(%x: "tp: P", %flag, %tp axis "tp") {
  slot %y local
b0:
  %y = bind %x
  -> b1 b2 if %flag
b1:
  %5 = all_reduce %x on %tp from P to R
  %y = bind %5
  point inside(%y)
  -> b2
b2:
  point after_if(%y, %x)
  ->
})ir");
  EXPECT_EQ(S.at("inside").of("%y"), "tp: R");
  EXPECT_EQ(S.at("after_if").of("%y"), "tp: R|P");
  EXPECT_EQ(S.at("after_if").of("%x"), "tp: P");
}

TEST(StateAtPoint, ASumIsWholeBehindItsReduction) {
  const States S(R"ir(
func @f(%g: "tp: P -> tp: R", %tp axis "tp") {
b0:
  point before(%g)
  all_reduce %g on %tp from P to R into %g
  point after(%g)
  ->
})ir");
  EXPECT_EQ(S.at("before").of("%g"), "tp: P");
  EXPECT_EQ(S.at("after").of("%g"), "tp: R");
  EXPECT_EQ(S.Findings, 0u);
}

TEST(StateAtPoint, APartIsWhatItsWholeIs) {
  const States S(R"ir(
func @f(%all: "tp: P", %tp axis "tp") {
  slot %part local
b0:
  %3 = view %all at _
  %part = bind %3
  point cut(%part)
  all_reduce %all on %tp from P to R into %all
  point summed(%part)
  ->
})ir");
  EXPECT_EQ(S.at("cut").of("%part"), "tp: P");
  EXPECT_EQ(S.at("summed").of("%part"), "tp: R");
}

TEST(StateAtPoint, WhatALoopMakesOfAReplica) {
  const States S(R"ir(
func @f(%x: "tp: V", %n) {
  slot %y local
b0:
  %3 = zero
  %y = bind %3
  point before(%y)
  -> b1
b1:
  -> b2 b3 if %n
b2:
  op add(self=%y, other=%x) into %y
  point inside(%y)
  -> b1
b3:
  point behind(%y)
  ->
})ir");
  EXPECT_EQ(S.at("before").of("%y"), "tp: R|I|P");
  EXPECT_EQ(S.at("inside").of("%y"), "tp: V");
  EXPECT_EQ(S.at("behind").of("%y"), "tp: V");
}

TEST(StateAtPoint, RegionsAreApartAndOtherPartsMayOverlap) {
  const auto Parts = [](llvm::StringRef Kind) {
    return States((R"ir(
func @f(%x: "tp: V", %i: "tp: R", %u, %tp axis "tp") {
  slot %all local
  slot %a local
  slot %b local
b0:
  %all = unknown
  %a = )ir" + Kind +
                   R"ir( %all at %i
  %b = )ir" + Kind +
                   R"ir( %all at %i
  op relu(%x) into %a
  op relu(%u) into %b
  point end(%a, %b)
  ->
})ir")
                      .str());
  };
  EXPECT_EQ(Parts("region").at("end").of("%a"), "tp: V");
  EXPECT_EQ(Parts("region").at("end").of("%b"), "tp: R|I|V");
  EXPECT_EQ(Parts("view").at("end").of("%a"), "tp: R|I|V");
}

TEST(StateAtPoint, WhatDiffersMakesTheWholeDifferWhereverItLies) {
  const States S(R"ir(
func @f(%x: "tp: V", %r: "tp: R", %i, %tp axis "tp") {
  slot %all local
  slot %a local
  slot %b local
b0:
  %all = op relu(%r)
  %a = view %all at %i
  op relu(%x) into %a
  point differs(%all)
  op relu(%r) into %a
  point perhaps(%all)
  ->
})ir");
  EXPECT_EQ(S.at("differs").of("%all"), "tp: V");
  EXPECT_EQ(S.at("perhaps").of("%all"), "tp: R|V");
}

TEST(StateAtPoint, ARegionThatDiffersMakesTheWholeDiffer) {
  const States S(R"ir(
func @f(%x: "tp: V", %r: "tp: R") {
  slot %all local
  slot %a local
  slot %b local
  slot %any local
b0:
  %all = op relu(%r)
  %a = region %all at _
  %b = region %all at _
  op relu(%x) into %a
  op relu(%x) into %b
  op relu(%r) into %a
  point one(%all, %a, %b)
  %any = region %all at _
  point any(%any)
  op relu(%r) into %b
  point none(%all)
  ->
})ir");
  EXPECT_EQ(S.at("one").of("%all"), "tp: V");
  EXPECT_EQ(S.at("one").of("%a"), "tp: R");
  EXPECT_EQ(S.at("one").of("%b"), "tp: V");
  EXPECT_EQ(S.at("any").of("%any"), "tp: R|V");
  EXPECT_EQ(S.at("none").of("%all"), "tp: R|V");
}

TEST(StateAtPoint, RegionsAreApartInCalleesAsInCallers) {
  const States S(R"ir(
func @write(%o, %x) {
  slot %o.all field %o all tensor
  slot %o.a field %o a tensor
  slot %o.b field %o b tensor
b0:
  %o.a = region %o.all at _
  %o.b = region %o.all at _
  -> b1
b1:
  op relu(%x) into %o.a
  point inside(%o.all, %o.b)
  ->
}
func @f(%o, %x: "tp: V", %r: "tp: R") {
  slot %o.all field %o all tensor
  slot %o.a field %o a tensor
  slot %o.b field %o b tensor
b0:
  %o.all = op relu(%r)
  %o.a = region %o.all at _
  %o.b = region %o.all at _
  op relu(%x) into %o.b
  call @write(%o, %r)
  point kept(%o.all, %o.a, %o.b)
  op relu(%r) into %o.b
  call @write(%o, %x)
  point differs(%o.all, %o.a, %o.b)
  ->
})ir");
  EXPECT_EQ(S.at("kept").of("%o.all"), "tp: V");
  EXPECT_EQ(S.at("kept").of("%o.a"), "tp: R");
  EXPECT_EQ(S.at("kept").of("%o.b"), "tp: V");
  EXPECT_EQ(S.at("differs").of("%o.all"), "tp: V");
  EXPECT_EQ(S.at("differs").of("%o.a"), "tp: V");
  EXPECT_EQ(S.at("differs").of("%o.b"), "tp: R");
}

TEST(StateAtPoint, WhoClearsTheWholeClearsEachRegion) {
  const States S(R"ir(
func @f(%x: "tp: V", %r: "tp: R") {
  slot %all local
  slot %a local
  slot %b local
b0:
  %all = op relu(%r)
  %a = region %all at _
  %b = region %all at _
  op relu(%x) into %a
  %1 = zero
  op mul(%1, %1) into %all
  point cleared(%a, %b)
  op relu(%x) into %b
  point written(%a, %b)
  ->
})ir");
  EXPECT_EQ(S.at("cleared").of("%a"), "tp: R|I|P");
  EXPECT_EQ(S.at("cleared").of("%b"), "tp: R|I|P");
  EXPECT_EQ(S.at("written").of("%a"), "tp: R|I|P");
  EXPECT_EQ(S.at("written").of("%b"), "tp: V");
}

TEST(StateAtPoint, AListOfRegionsLeavesOthersAsTheyWere) {
  const States S(R"ir(
func @f(%x: "tp: V", %r: "tp: R") {
  slot %all local
  slot %a local
  slot %b local
  slot %list local
b0:
  %all = op relu(%r)
  %a = region %all at _
  %b = region %all at _
  op relu(%x) into %b
  %list = undefined
  %list = join %a
  op relu(%r) into %list
  point others(%all, %b)
  op relu(%x) into %all
  point whole(%list)
  ->
})ir");
  EXPECT_EQ(S.at("others").of("%all"), "tp: V");
  EXPECT_EQ(S.at("others").of("%b"), "tp: V");
  EXPECT_EQ(S.at("whole").of("%list"), "tp: R|V");
}

TEST(StateAtPoint, ANullPointerLeavesWhatTheOtherWayDid) {
  const auto At = [](llvm::StringRef Fact) {
    return States((R"ir(
func @f(%x: "tp: V", %u, %flag, %tp axis "tp") {
b0:
  -> b1 b2 if %flag
b1:
  op relu(%x) into %u
  -> b3
b2:
)ir" + Fact + R"ir(
  -> b3
b3:
  point end(%u)
  ->
})ir")
                      .str())
        .at("end")
        .of("%u");
  };
  EXPECT_EQ(At("  null %u"), "tp: V");
  EXPECT_EQ(At(""), "tp: ?");
}

TEST(StateAtPoint, LooksAtNothingElseAndChangesNothing) {
  constexpr llvm::StringLiteral With = R"ir(
func @f(%x: "tp: P", %tp axis "tp") -> "tp: R" {
b0:
  %2 = op relu(%x)
  point here(%2, %x)
  %3 = all_reduce %2 on %tp from P to R
  point there()
  return %3
  ->
})ir";
  const States S(With);
  EXPECT_EQ(S.Findings, 1u);
  EXPECT_EQ(S.at("here").of("%x"), "tp: P");
  EXPECT_EQ(S.at("there").of("%x"), "not looked at");
  std::string Without = With.str();
  Without.erase(Without.find("  point here("), sizeof("  point here(%2, %x)"));
  EXPECT_EQ(States(Without).Findings, 1u);
}

} // namespace
