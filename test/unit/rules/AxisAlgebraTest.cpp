//===- AxisAlgebraTest.cpp - Axes as layouts of ranks ---------------------===//

#include "spmd/types/AxisAlgebra.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <random>

using namespace spmd::rules;

namespace {

RankMesh
mesh(llvm::StringRef Text,
     std::initializer_list<std::pair<const char *, std::vector<std::string>>>
         Groups = {}) {
  RankMesh Out = llvm::cantFail(RankMesh::of(llvm::cantFail(parseMesh(Text))));
  for (const auto &[Name, Of] : Groups)
    llvm::cantFail(Out.flatten(Name, Of));
  return Out;
}

RankLayout layout(const RankMesh &M, std::vector<std::string> Names) {
  return llvm::cantFail(M.layoutOf(Names));
}

std::string remapped(llvm::StringRef Spec, const RankMesh &From,
                     const RankMesh &To) {
  auto Out = remap(llvm::cantFail(parseTypeSpec(Spec)), From, To);
  return Out ? printTypeSpec(*Out)
             : "error: " + llvm::toString(Out.takeError());
}

TEST(RankLayout, FlattenedAxesAreOneDigitWhenTheyAreAdjacent) {
  const RankMesh M = mesh("dp=2, cp=3, tp=4");
  EXPECT_EQ(layout(M, {"dp", "cp", "tp"}), RankLayout({24, 1}));
  EXPECT_EQ(layout(M, {"cp", "tp"}), RankLayout({12, 1}));
  EXPECT_EQ(layout(M, {"dp", "tp"}).digits().size(), 2u);
  EXPECT_NE(layout(M, {"tp", "cp"}), layout(M, {"cp", "tp"}));
  EXPECT_EQ(layout(M, {"tp", "cp"}).inOrder(), layout(M, {"cp", "tp"}));
  EXPECT_EQ(layout(M, {"tp", "cp"}).indexOf(7), 3 * 3 + 1);
}

TEST(RankLayout, SizeOneDropsOut) {
  const RankMesh M = mesh("dp=2, pp=1, tp=4");
  EXPECT_EQ(layout(M, {"pp"}), RankLayout());
  EXPECT_EQ(layout(M, {"dp", "pp", "tp"}), RankLayout({8, 1}));
  EXPECT_TRUE(orthogonal(layout(M, {"pp"}), layout(M, {"pp"})));
}

TEST(RankLayout, PartsAreOfOneAxisOrOfSeveral) {
  const RankMesh M = mesh("dp=4, cp=3, tp=4");
  const RankLayout X = layout(M, {"dp"});
  EXPECT_EQ(X.part(1, 2), RankLayout({2, 24}));
  EXPECT_EQ(X.part(2, 2), RankLayout({2, 12}));
  EXPECT_EQ(X.part(1, 3), std::nullopt);
  EXPECT_EQ(X.part(2, 4), std::nullopt);
  const RankLayout Strided = layout(M, {"dp", "tp"});
  EXPECT_EQ(Strided.part(1, 4), X);
  EXPECT_EQ(Strided.part(4, 4), layout(M, {"tp"}));
  EXPECT_EQ(Strided.part(2, 4), RankLayout({2, 12}) * RankLayout({2, 2}));
  EXPECT_EQ(*Strided.part(1, 2) * *Strided.part(2, 8), Strided);
}

TEST(RankLayout, OrthogonalAxesShareNoRadix) {
  const RankMesh M = mesh("dp=2, cp=2, tp=2", {{"dp_cp", {"dp", "cp"}}});
  EXPECT_TRUE(orthogonal(layout(M, {"dp_cp"}), layout(M, {"tp"})));
  EXPECT_FALSE(orthogonal(layout(M, {"dp_cp"}), layout(M, {"cp"})));
  EXPECT_TRUE(orthogonal(layout(M, {"dp", "tp"}), layout(M, {"cp"})));
  // rank % 2 and rank / 3: no mesh has both.
  EXPECT_FALSE(orthogonal(RankLayout({2, 1}), RankLayout({2, 3})));
}

TEST(RankMesh, SaysWhatIsWrong) {
  auto NoSize = RankMesh::of(llvm::cantFail(parseMesh("dp, tp=2")));
  EXPECT_EQ(llvm::toString(NoSize.takeError()),
            "the mesh gives no size for 'dp'");
  RankMesh M = mesh("dp=2, tp=2", {{"all", {"dp", "tp"}}});
  EXPECT_EQ(llvm::toString(M.layoutOf({"all", "tp"}).takeError()),
            "'tp' overlaps the others of (all,tp)");
  EXPECT_EQ(llvm::toString(M.layoutOf({"ep"}).takeError()),
            "the mesh has no axis 'ep'");
  EXPECT_EQ(llvm::toString(M.flatten("tp", {"dp"})),
            "the mesh has an axis 'tp' already");
}

TEST(RankMesh, PrintsParts) {
  const RankMesh M = mesh("ep=8, tp=3");
  EXPECT_EQ(M.print(layout(M, {"tp", "ep"})), "(tp,ep)");
  EXPECT_EQ(M.print(RankLayout({2, 6})), "ep:(2)2");
  EXPECT_EQ(M.print(RankLayout({6, 1})), "(ep:(4)2,tp)");
  EXPECT_EQ(M.print(RankLayout({2, 1})), "");
}

TEST(CommonRefinement, CutsWhereEitherMeshDoes) {
  const auto Cut = commonRefinement(mesh("dp=4, tp=6"), mesh("a=2, b=12"));
  ASSERT_TRUE(Cut);
  EXPECT_EQ(llvm::ArrayRef(*Cut),
            llvm::ArrayRef<RankDigit>({{2, 12}, {2, 6}, {6, 1}}));
  EXPECT_FALSE(commonRefinement(mesh("a=2, b=3"), mesh("a=3, b=2")));
  EXPECT_FALSE(commonRefinement(mesh("a=2"), mesh("a=3")));
  EXPECT_EQ(commonRefinement(mesh("a=1"), mesh("b=1"))->size(), 0u);
}

TEST(Remap, BetweenAMeshAndItsRefoldedForm) {
  const RankMesh Two = mesh("dp=4, tp=2"), One = mesh("ep=8");
  EXPECT_EQ(remapped("bf16[B@(dp,tp), H]", Two, One), "bf16[B@ep, H]");
  EXPECT_EQ(remapped("bf16[B, H]{ep: P}", One, Two),
            "bf16[B, H]{dp: P, tp: P}");
  EXPECT_EQ(remapped("[B@ep]", One, Two), "[B@(dp,tp)]");
  EXPECT_EQ(remapped("[B]{tp: R, dp: R}", Two, One), "[B]{ep: R}");
  EXPECT_EQ(remapped("tp: V, dp: V", Two, One), "ep: V");
  EXPECT_EQ(remapped("tp: S(0)", Two, mesh("a=4, b=2")), "b: S(0)");
  EXPECT_EQ(remapped("[16@(dp,tp)]", Two, One), "[16@ep]");
  EXPECT_EQ(remapped("[5@(dp,tp)]", Two, One),
            "error: 5 does not divide evenly on (dp,tp), and is cut otherwise "
            "on ep");
}

TEST(Remap, WithFlattenedGroups) {
  const RankMesh Parts = mesh("dp=2, cp=2, tp=2");
  const RankMesh Named = mesh("dp=2, cp=2, tp=2", {{"dp_cp", {"dp", "cp"}},
                                                   {"cp_dp", {"cp", "dp"}},
                                                   {"dp_tp", {"dp", "tp"}}});
  EXPECT_EQ(remapped("[B@(dp,cp), H@tp]", Parts, Named), "[B@dp_cp, H@tp]");
  EXPECT_EQ(remapped("[B@(cp,dp), H@tp]", Parts, Named), "[B@cp_dp, H@tp]");
  EXPECT_EQ(remapped("[B@(dp,tp), H@cp]", Parts, Named), "[B@dp_tp, H@cp]");
  EXPECT_EQ(remapped("[B@dp_tp, H@cp]", Named, Parts), "[B@(dp,tp), H@cp]");
  EXPECT_EQ(remapped("[B@dp_tp, H@cp]", Named, mesh("x=8")),
            "error: dp_tp is (x:(1)2,x:(4)2) of the other mesh, no whole axis");
  EXPECT_EQ(remapped("[B@dp_cp, H@cp]", Named, Parts),
            "error: 'cp' overlaps the others of (dp_cp,cp)");
}

TEST(Remap, SaysWhyThereIsNone) {
  const RankMesh Two = mesh("dp=4, tp=2"), One = mesh("ep=8");
  EXPECT_EQ(remapped("[B@dp]", Two, One),
            "error: dp is ep:(1)4 of the other mesh, no whole axis");
  EXPECT_EQ(remapped("[B@(tp,dp)]", Two, One),
            "error: (tp,dp) is (ep:(4)2,ep:(1)4) of the other mesh, no whole "
            "axis");
  EXPECT_EQ(remapped("[B]{dp: P, tp: R}", Two, One),
            "error: dp is ep:(1)4 of the other mesh, no whole axis");
  EXPECT_EQ(remapped("tp: S(0), dp: S(0)", Two, One),
            "error: tp is ep:(4)2 of the other mesh, no whole axis");
  EXPECT_EQ(remapped("ep: S(0)", One, Two),
            "error: ep is (dp,tp) of the other mesh: a local type does not say "
            "which shards first");
  EXPECT_EQ(remapped("[B@a]", mesh("a=2, b=3"), mesh("c=3, d=2")),
            "error: a is no axis of the other mesh, nor a part of one");
  EXPECT_EQ(remapped("[B@a]", mesh("a=2"), mesh("a=4")),
            "error: the meshes have 2 and 4 ranks");
}

//===----------------------------------------------------------------------===//
// Random meshes: blocks are computed from the names, without the algebra.
//===----------------------------------------------------------------------===//

using Generator = std::mt19937;
using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// By rank and dim: which piece of how many.
Pieces piecesOf(const TypeSpec &T, const MeshSpec &M) {
  Pieces Out;
  std::int64_t Ranks = 1;
  for (const MeshAxis &A : M.Axes)
    Ranks *= A.Size;
  for (std::int64_t R = 0; R != Ranks; ++R)
    for (const DimSpec &D : T.Global->Dims) {
      std::pair<std::int64_t, std::int64_t> Piece = {0, 1};
      for (const std::string &Name : D.Axes) {
        std::int64_t Left = R, At = 0, Size = 1;
        for (const MeshAxis &A : llvm::reverse(M.Axes)) {
          if (A.Name == Name) {
            At = Left % A.Size;
            Size = A.Size;
          }
          Left /= A.Size;
        }
        Piece = {Piece.first * Size + At, Piece.second * Size};
      }
      Out.push_back(Piece);
    }
  return Out;
}

MeshSpec randomMesh(unsigned Ranks, char Name, Generator &Random) {
  MeshSpec Out;
  while (Ranks != 1) {
    unsigned Size = 2 + Random() % (Ranks - 1);
    while (Ranks % Size != 0)
      Size = 2 + Random() % (Ranks - 1);
    Out.Axes.push_back({std::string(1, Name++), Size, std::nullopt, {}, 0});
    if (Random() % 8 == 0)
      Out.Axes.push_back({std::string(1, Name++), 1, std::nullopt, {}, 0});
    Ranks /= Size;
  }
  return Out;
}

/// All ways to put the axes of \p M on two dims or on none.
std::vector<TypeSpec> allSpecs(const MeshSpec &M) {
  TypeSpec Whole;
  Whole.Global = GlobalSpec{"", {{"B", {}}, {"H", {}}}};
  std::vector<TypeSpec> Out = {Whole};
  for (const MeshAxis &A : M.Axes) {
    const std::vector<TypeSpec> Before = Out;
    for (const TypeSpec &T : Before)
      for (std::size_t D = 0; D != 2; ++D)
        for (std::size_t At = 0; At <= T.Global->Dims[D].Axes.size(); ++At) {
          Out.push_back(T);
          auto &Axes = Out.back().Global->Dims[D].Axes;
          Axes.insert(Axes.begin() + static_cast<std::ptrdiff_t>(At), A.Name);
          Out.back().Axes.push_back(
              {A.Name, {LocalType::V, static_cast<int>(D)}, 0});
        }
  }
  return Out;
}

TEST(Remap, RanksKeepTheirBlocksOrNoSpecWouldKeepThem) {
  Generator Random(7);
  unsigned Found = 0, Refused = 0;
  for (const unsigned Ranks : {4, 6, 8, 12, 16, 24})
    for (unsigned Round = 0; Round != 12; ++Round) {
      const MeshSpec A = randomMesh(Ranks, 'a', Random),
                     B = randomMesh(Ranks, 'm', Random);
      const RankMesh From = llvm::cantFail(RankMesh::of(A)),
                     To = llvm::cantFail(RankMesh::of(B));
      std::vector<Pieces> Possible;
      for (const TypeSpec &T : allSpecs(B))
        Possible.push_back(piecesOf(T, B));
      const std::vector<TypeSpec> Specs = allSpecs(A);
      for (unsigned Try = 0; Try != 20; ++Try) {
        const TypeSpec &T = Specs[Random() % Specs.size()];
        llvm::Expected<TypeSpec> There = remap(T, From, To);
        const std::string What =
            printTypeSpec(T) + " on " + printMesh(A) + " and " + printMesh(B);
        if (There) {
          ++Found;
          EXPECT_EQ(piecesOf(*There, B), piecesOf(T, A)) << What;
          llvm::Expected<TypeSpec> Back = remap(*There, To, From);
          ASSERT_TRUE(bool(Back)) << What;
          EXPECT_EQ(piecesOf(*Back, A), piecesOf(T, A)) << What;
        } else {
          ++Refused;
          EXPECT_FALSE(llvm::is_contained(Possible, piecesOf(T, A)))
              << What << ": " << llvm::toString(There.takeError());
          llvm::consumeError(There.takeError());
        }
      }
    }
  EXPECT_GT(Found, 300u);
  EXPECT_GT(Refused, 300u);
}

TEST(CommonRefinement, EveryAxisOfBothIsMadeOfIt) {
  Generator Random(11);
  for (const unsigned Ranks : {8, 12, 36, 64})
    for (unsigned Round = 0; Round != 30; ++Round) {
      const RankMesh A = llvm::cantFail(
                         RankMesh::of(randomMesh(Ranks, 'a', Random))),
                     B = llvm::cantFail(
                         RankMesh::of(randomMesh(Ranks, 'm', Random)));
      const auto Cut = commonRefinement(A, B);
      if (!Cut)
        continue;
      RankLayout Whole;
      for (RankDigit D : *Cut)
        Whole = Whole * D;
      EXPECT_EQ(Whole, RankLayout({Ranks, 1}));
      for (const RankMesh *M : {&A, &B})
        for (const RankMesh::Axis &X : M->axes()) {
          RankLayout Made;
          for (RankDigit D : *Cut)
            if (!orthogonal(X.Layout, D))
              Made = Made * D;
          EXPECT_EQ(Made, X.Layout);
        }
    }
}

TEST(FlattenedAxes, SpecsOnThemAreThoseOnTheirParts) {
  const MeshSpec M = llvm::cantFail(
      parseMesh("dp=2, tp=4, cp, all=(dp_tp,cp), dp_tp=(dp,tp)"));
  EXPECT_EQ(printMesh(M), "dp=2, tp=4, cp, all=(dp_tp,cp), dp_tp=(dp,tp)");
  EXPECT_EQ(partsOf(M, "all"), (std::vector<std::string>{"dp", "tp", "cp"}));
  EXPECT_EQ(partsOf(M, "elsewhere"), std::vector<std::string>{"elsewhere"});
  const auto Parts = [&](llvm::StringRef Text) {
    return withParts(llvm::cantFail(parseTypeSpec(Text)), M);
  };
  EXPECT_EQ(Parts("[8@dp_tp]"), Parts("[8@(dp,tp)]"));
  EXPECT_EQ(printTypeSpec(Parts("[8@all, 4]")), "[8@(dp,tp,cp), 4]");
  EXPECT_EQ(printTypeSpec(Parts("dp_tp: P, cp: R")), "dp: P, tp: P, cp: R");
}

TEST(FlattenedAxes, OverlapWithTheirParts) {
  const MeshSpec M =
      llvm::cantFail(parseMesh("dp=2, one=1, tp=4, a=(dp,one), b=(one,tp)"));
  EXPECT_EQ(overlapping({"a", "b", "one"}, M), std::nullopt);
  EXPECT_EQ(overlapping({"b", "a", "dp"}, M),
            (std::pair<std::size_t, std::size_t>(1, 2)));
}

TEST(FlattenedAxes, AreOfAxesThatThereAre) {
  const auto Error = [](llvm::StringRef Text) {
    llvm::Expected<MeshSpec> M = parseMesh(Text);
    std::string Out;
    if (!M)
      llvm::handleAllErrors(M.takeError(), [&](const PayloadError &E) {
        Out = std::to_string(E.Offset) + ": " + E.Message;
      });
    return Out;
  };
  EXPECT_EQ(Error("dp=2, x=(dp,tp)"), "6: the mesh has no axis 'tp'");
  EXPECT_EQ(Error("dp=2, x=(dp,x)"), "6: the mesh has no axis 'x'");
  EXPECT_EQ(Error("dp=2, x=(dp,dp)"), "6: 'dp' overlaps the others of (dp,dp)");
  std::string Doubled = "x0=1";
  for (int I = 1; I != 8; ++I) {
    const std::string Before = "x" + std::to_string(I - 1);
    Doubled += ", x" + std::to_string(I) + "=(" + Before + "," + Before + ")";
  }
  EXPECT_EQ(Error(Doubled), "78: 'x7' is flattened of too many axes");
  EXPECT_EQ(Error("dp=2, x=("), "9: expected an axis name, got the end");
  EXPECT_EQ(Error("dp=x"),
            "3: expected the axis's size, 1 to 16777216, or the axes that it "
            "is flattened of, as in (dp,tp), got 'x'");
}

} // namespace
