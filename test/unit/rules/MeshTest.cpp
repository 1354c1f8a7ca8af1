//===- MeshTest.cpp - Values that cross from one mesh to another ----------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"
#include "spmd/types/AxisAlgebra.h"

#include "gtest/gtest.h"

#include <random>

using namespace spmd::rules;

namespace {

using Lines = std::vector<std::string>;

std::string describe(const Violation &V) {
  const Place P = V.In->Places[index(V.At)];
  std::string Out = std::to_string(P.Line) + ":" + std::to_string(P.Column);
  const auto &Clash = *V.as<ContractClash>();
  if (const auto *No = V.unsureOf<NoCommonForm>())
    return Out + " " + Clash.There + "? " + No->Why;
  if (Clash.Spec)
    return Out + " " + Clash.Spec->Required + " for " + Clash.There;
  return Out + " " + V.Axis + " " + printAxisType(Clash.Required) + " for " +
         Clash.There;
}

/// The findings; when there are none, the types of what @f calls.
Lines infer(llvm::StringRef Text, bool Strict = false) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  InferenceOptions Options;
  Options.Strict = Strict;
  Lines Out, Types;
  const auto OnType = [&](const TypedSlot &T) {
    if (T.As != TypedSlot::Role::Made || T.In->Symbol != "f" ||
        index(T.Slot) < T.In->NumParameters)
      return;
    std::string Line = T.Spec;
    for (const auto &[Axis, Type] : T.Types)
      if (!Type.Set.isAll())
        Line += (Line.empty() ? "" : " ") + Axis + ":" + printAxisType(Type);
    Types.push_back(Line);
  };
  for (const Violation &V : inferModule(*M, Options, OnType).Violations)
    Out.push_back(describe(V));
  return Out.empty() ? Types : Out;
}

/// @f on dp=4, tp=4 passes \p Has to a function of \p Mesh that wants \p Wants.
Lines pass(llvm::StringRef Has, llvm::StringRef Mesh, llvm::StringRef Wants,
           bool Strict = false, llvm::StringRef Mode = "global") {
  return infer(("func @g(%y: \"" + Wants + "\") mesh \"" + Mesh +
                "\" {}\nfunc @f(%x: \"" + Has + "\") " + Mode +
                " mesh \"dp=4, tp=4\" {\nb0:\n  call @g(%x) @2:3\n  ->\n}\n")
                   .str(),
               Strict);
}

constexpr const char *Experts = "edp=2, ep=8";

TEST(Meshes, ASpecIsPassedInItsFormOnTheOtherMesh) {
  EXPECT_EQ(pass("[64@(dp,tp), 8]", "world=16", "[64@world, 8]"), Lines());
  EXPECT_EQ(pass("[64@(tp,dp), 8]", "world=16", "[64@world, 8]"),
            Lines{"2:3 [64@(dp,tp), 8] for [64@world, 8]"});
  EXPECT_EQ(pass("[64, 8@(dp,tp)]", "world=16", "[64@world, 8]"),
            Lines{"2:3 [64@(dp,tp), 8] for [64@world, 8]"});
  EXPECT_EQ(pass("[64@(dp,tp), 8]", Experts, "[64@(edp,ep), 8]"), Lines());
  EXPECT_EQ(pass("[64@(tp,dp), 8]", Experts, "[64@(edp,ep), 8]"),
            Lines{"2:3 [64@(dp,tp), 8] for [64@(edp,ep), 8]"});
}

TEST(Meshes, WhatHasNoEqualFormIsUnknown) {
  EXPECT_EQ(pass("[64@(dp,tp), 8]", Experts, "[64@ep, 8]{edp: R}"), Lines());
  EXPECT_EQ(pass("[64@(dp,tp), 8]", Experts, "[64@ep, 8]{edp: R}", true),
            Lines{"2:3 [64@ep, 8]? ep is (dp:(2)2,tp) of the other mesh, no "
                  "whole axis"});
  EXPECT_EQ(pass("dp: R, tp: V", Experts, "edp: R", true, ""),
            Lines{"2:3 ? edp is dp:(1)2 of the other mesh, no whole axis"});
}

TEST(Meshes, AnAxisWithinOneHasTheTypeOfThat) {
  EXPECT_EQ(pass("dp: R, tp: R", Experts, "ep: R", false, ""), Lines());
  EXPECT_EQ(pass("dp: R, tp: V", Experts, "ep: R", false, ""),
            Lines{"2:3 tp R for ep: R"});
  EXPECT_EQ(pass("dp: V, tp: R", Experts, "edp: R, ep: R", false, ""),
            Lines{"2:3 dp R for edp: R, ep: R"});
  EXPECT_EQ(pass("dp: V, tp: R", Experts, "edp: V, ep: R", false, ""), Lines());
}

TEST(Meshes, NamesTellWhereRanksCannotBeCompared) {
  EXPECT_EQ(pass("[64@dp, 8]{tp: R}", "dp=4", "[64@dp, 8]"), Lines());
  EXPECT_EQ(pass("[64, 8@dp]{tp: R}", "dp=4", "[64@dp, 8]"),
            Lines{"2:3 [64@dp, 8] for "});
  EXPECT_EQ(pass("[64@(dp,tp), 8]", "ep=8", "[64@ep, 8]"), Lines());
  EXPECT_EQ(pass("[64@(dp,tp), 8]", "ep=8", "[64@ep, 8]", true),
            Lines{"2:3 [64@ep, 8]? the meshes have 8 and 16 ranks"});
  EXPECT_EQ(pass("[64@(dp,tp), 8]", "ep", "[64@ep, 8]"), Lines());
}

TEST(Meshes, OneNameOnTwoMeshesIsTwoAxes) {
  EXPECT_EQ(pass("[64@(dp,tp), 8]", "dp=2, ep=8", "[64@(dp,ep), 8]"), Lines());
  EXPECT_EQ(pass("dp: V, tp: V", "tp=2, x=8", "tp: R", false, ""), Lines());
}

/// What \p Fact makes of %x, which is \p Has on dp=4, tp=4, and then.
Lines after(llvm::StringRef Callee, llvm::StringRef Has,
            llvm::StringRef Facts) {
  return infer((Callee + "func @f(%x: \"" + Has +
                "\") mesh \"dp=4, tp=4\" {\nb0:\n" + Facts + "  ->\n}\n")
                   .str());
}

TEST(Meshes, ResultsComeBackInTheirFormHere) {
  const char *Result = "func @g(%y) -> \"world: P\" mesh \"world=16\" {}\n";
  EXPECT_EQ(after(Result, "dp: V", "  %1 = call @g(%x) @2:3\n"),
            Lines{"dp:P tp:P"});
  const char *Exit = "func @g(%y: \"world: P -> world: R\") mesh \"world=16\" "
                     "{}\n";
  EXPECT_EQ(after(Exit, "dp: P, tp: P",
                  "  call @g(%x) @2:3\n  %1 = op add(%x, %x) @3:3\n"),
            Lines{"dp:R tp:R"});
  const char *Part = "func @g(%y: \"edp: P -> edp: R\") mesh \"edp=2, ep=8\" "
                     "{}\n";
  EXPECT_EQ(after(Part, "dp: P, tp: R",
                  "  call @g(%x) @2:3\n  %1 = op add(%x, %x) @3:3\n"),
            Lines{"tp:R"});
}

TEST(Meshes, BodiesAreAnalysedOnTheirOwnMesh) {
  const char *Body =
      "func @g(%y) mesh \"world=16\" {\n  slot %w global axis \"world\"\nb0:\n"
      "  %2 = all_reduce %y on %w from P to R @9:3\n  return %2\n  ->\n}\n";
  EXPECT_EQ(after(Body, "dp: P, tp: P", "  %1 = call @g(%x) @2:3\n"),
            Lines{"dp:R tp:R"});
  EXPECT_EQ(after(Body, "dp: P, tp: R", "  %1 = call @g(%x) @2:3\n"),
            Lines{"dp:R tp:R"});
  // What is looked at there is what it was, what is written is not.
  const char *Into =
      "func @g(%y) mesh \"world=16\" {\n  slot %w global axis \"world\"\nb0:\n"
      "  %2 = op relu(%y) into %y @9:3\n  ->\n}\n";
  EXPECT_EQ(
      after(Into, "dp: V", "  call @g(%x) @2:3\n  %1 = op add(%x, %x) @3:3\n"),
      Lines{"dp:R|I|V tp:R|I|V"});
  // Code that names no axis is what its caller makes of it.
  const char *Plain = "func @g(%y) mesh \"world=16\" {\nb0:\n"
                      "  %1 = op relu(%y) @9:3\n  return %1\n  ->\n}\n";
  EXPECT_EQ(after(Plain, "dp: V, tp: R", "  %1 = call @g(%x) @2:3\n"),
            Lines{"dp:V tp:R"});
}

TEST(Meshes, GroupsAreThoseOfTheSameRanks) {
  const char *Group = "  slot %w global axis \"world\" mesh \"world=16\"\n";
  EXPECT_EQ(
      infer((llvm::Twine("func @f(%x: \"dp: P, tp: P\") mesh \"dp=4, "
                         "tp=4\" {\n") +
             Group +
             "b0:\n  %2 = all_reduce %x on %w from P to R @2:3\n  ->\n}\n")
                .str()),
      Lines{"dp:R tp:R"});
}

TEST(Meshes, FieldsAreOnTheMeshOfTheirClass) {
  const auto Store = [](llvm::StringRef Has) {
    return infer(("func @f(%x: \"" + Has +
                  "\") global mesh \"dp=4, tp=4\" {\n  slot %this this\n"
                  "  slot %w field %this w: \"[64@world, 8]\" mesh "
                  "\"world=16\"\nb0:\n  require field %x \"[64@world, 8]\" of "
                  "\"w\" mesh \"world=16\" @2:3\n  %3 = op relu(%w) @3:3\n  "
                  "->\n}\n")
                     .str());
  };
  EXPECT_EQ(Store("[64@(dp,tp), 8]"), Lines{"[64@(dp,tp), 8] dp:S(0) tp:S(0)"});
  EXPECT_EQ(Store("[64@(tp,dp), 8]"),
            Lines{"2:3 [64@(dp,tp), 8] for [64@world, 8]"});
}

TEST(Meshes, RedistributeTakesAndGivesWhatItSays) {
  const auto Of = [](llvm::StringRef Dp, llvm::StringRef Tp) {
    return infer(("func @f(%x: \"dp: " + Dp + ", tp: " + Tp +
                  "\") -> \"dp: R, tp: R\" mesh \"dp=2, tp=4\" {\nb0:\n  %1 = "
                  "redistribute %x on _ from \"[64@tp]\" to \"[64]{tp: R}\" "
                  "@2:3\n  return %1 @3:3\n  ->\n}\n")
                     .str());
  };
  EXPECT_EQ(Of("R", "S(0)"), Lines{"dp:R tp:R"});
  EXPECT_EQ(Of("R", "R"), Lines{"2:3 tp S(0) for "});
  // An axis that neither names stays what it is.
  EXPECT_EQ(Of("V", "S(0)"), Lines{"3:3 dp R for "});
}

/// Each mesh over 24 ranks.
MeshSpec randomMesh(std::mt19937 &Random, const std::string &Prefix) {
  MeshSpec Out;
  for (unsigned Left = 24; Left != 1;) {
    unsigned Size = 0;
    do
      Size = 2 + Random() % (Left - 1);
    while (Left % Size != 0);
    Out.Axes.push_back(
        {Prefix + std::to_string(Out.Axes.size()), Size, std::nullopt});
    Left /= Size;
  }
  return Out;
}

/// The types along an axis are those of all axes of the other mesh on which
/// ranks that differ on it alone differ; several types together are none.
TEST(Meshes, EveryRankSeesTheSameTypes) {
  std::mt19937 Random(7);
  unsigned Typed = 0;
  for (unsigned Round = 0; Round != 300; ++Round) {
    const MeshSpec There = randomMesh(Random, "a"),
                   Here = randomMesh(Random, "b");
    TypeSpec Said;
    for (const MeshAxis &A : There.Axes)
      Said.Axes.push_back({A.Name, {AllLocalTypes[Random() % 4], {}}, 0});
    const RankMesh Theirs = llvm::cantFail(RankMesh::of(There));
    const RankMesh Mine = llvm::cantFail(RankMesh::of(Here));
    std::string Expected;
    for (const RankMesh::Axis &B : Mine.axes()) {
      TypeSet Seen = TypeSet::none();
      for (std::int64_t R = 0; R != Mine.ranks(); ++R)
        for (std::int64_t Q = 0; Q != R; ++Q) {
          bool Neighbours = true;
          for (const RankMesh::Axis &X : Mine.axes())
            Neighbours &=
                &X == &B || X.Layout.indexOf(R) == X.Layout.indexOf(Q);
          for (const RankMesh::Axis &A : Theirs.axes())
            if (Neighbours && A.Layout.indexOf(R) != A.Layout.indexOf(Q))
              Seen = Seen | Said.find(A.Name)->Value.Type;
        }
      if (Seen.size() == 1) {
        Expected += (Expected.empty() ? "" : " ") + B.Name + ":" +
                    printAxisType({Seen, {}});
        ++Typed;
      }
    }
    const Lines Found =
        infer("func @g() -> \"" + printTypeSpec(Said) + "\" mesh \"" +
              printMesh(There) + "\" {}\nfunc @f() mesh \"" + printMesh(Here) +
              "\" {\nb0:\n  %0 = call @g() @2:3\n  ->\n}\n");
    if (commonRefinement(Theirs, Mine)) {
      EXPECT_EQ(Found, Lines{Expected})
          << printTypeSpec(Said) << " of " << printMesh(There);
      continue;
    }
    // Nothing more is said where radices do not fit.
    std::string Rest = " " + Expected + " ", Each;
    std::stringstream Parts(Found.empty() ? "" : Found.front());
    while (Parts >> Each)
      EXPECT_NE(Rest.find(" " + Each + " "), std::string::npos) << Each;
  }
  EXPECT_GT(Typed, 100u);
}

} // namespace
