//===- TypeSpecTest.cpp - Payload grammars and their errors ---------------===//

#include "spmd/types/TypeSpec.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

std::string roundTrip(llvm::StringRef Payload) {
  llvm::Expected<TypeSpec> T = parseTypeSpec(Payload);
  if (!T)
    return "error: " + llvm::toString(T.takeError());
  const std::string Once = printTypeSpec(*T);
  llvm::Expected<TypeSpec> Again = parseTypeSpec(Once);
  if (!Again)
    return "printed form does not parse: " + Once;
  EXPECT_EQ(*Again, *T);
  return Once;
}

template <typename Parse>
std::string errorOf(Parse P, llvm::StringRef Payload) {
  auto Parsed = P(Payload);
  if (Parsed)
    return "no error";
  std::string Out;
  llvm::handleAllErrors(Parsed.takeError(), [&](const PayloadError &E) {
    Out = std::to_string(E.Offset) + ": " + E.Message;
  });
  return Out;
}

TEST(TypeSpec, LocalTypes) {
  EXPECT_EQ(roundTrip("tp: V, dp: R"), "tp: V, dp: R");
  EXPECT_EQ(roundTrip("tp:S( -1 );dp:partial"), "tp: S(-1), dp: P");
  EXPECT_EQ(roundTrip("a: Reduced, b: Replicate, c: Partial, d: Shard(0)"),
            "a: R, b: I, c: P, d: S(0)");
  EXPECT_EQ(roundTrip("a: replicate, b: invariant, c: varying, d: shard(2)"),
            "a: R, b: I, c: V, d: S(2)");
}

TEST(TypeSpec, GlobalTypesEraseToLocalOnes) {
  EXPECT_EQ(roundTrip("bf16[B@dp, S, H@(cp,tp)]{ep: R}"),
            "bf16[B@dp, S, H@(cp,tp)]{ep: R}");
  EXPECT_EQ(roundTrip("f32[ 8 , 3*H@tp , _ ]"), "f32[8, 3*H@tp, _]");
  EXPECT_EQ(roundTrip("[]"), "[]");
  llvm::Expected<TypeSpec> T = parseTypeSpec("[8@dp,16@tp]{ep: P}");
  ASSERT_TRUE(bool(T));
  EXPECT_EQ(T->find("tp")->Value, (Atom{LocalType::V, 1}));
  EXPECT_EQ(T->find("ep")->Value.Type, LocalType::P);
}

TEST(TypeSpec, EntryAndExit) {
  llvm::Expected<TypeAnnotation> A = parseTypeAnnotation("dp: P -> dp: I");
  ASSERT_TRUE(bool(A));
  EXPECT_EQ(printTypeSpec(A->Entry), "dp: P");
  EXPECT_EQ(printTypeSpec(*A->Exit), "dp: I");
  EXPECT_FALSE(A->isOutput());
  A = parseTypeAnnotation("->dp: V");
  ASSERT_TRUE(static_cast<bool>(A)) << llvm::toString(A.takeError());
  EXPECT_TRUE(A->isOutput());
  EXPECT_EQ(printTypeAnnotation(*A), "-> dp: V");
}

constexpr const char *WantAtom = "expected R, I, V, P or S(dim), got ";
constexpr const char *WantType =
    "expected a type such as \"tp: R\" or \"f32[8,16@tp]\", got ";

TEST(TypeSpec, ErrorsStandWhereTheyAre) {
  const std::string Atom = WantAtom, Type = WantType;
  const std::pair<const char *, std::string> Table[] = {
      // Atoms.
      {"tp: Q", "4: " + Atom + "'Q'"},
      {"tp: r", "4: " + Atom + "'r'; did you mean 'R'?"},
      {"tp: partail", "4: " + Atom + "'partail'; did you mean 'partial'?"},
      {"tp: REPLICATE",
       "4: " + Atom + "'REPLICATE'; did you mean 'replicate'?"},
      {"tp: PartialSum", "4: " + Atom + "'PartialSum'"},
      {"tp:", "3: " + Atom + "the end"},
      {"tp: ,", "4: " + Atom + "','"},
      {"tp: 7", "4: " + Atom + "'7'"},
      {"tp: \xff", "4: " + Atom + "a byte that is no printable character"},
      {"tp: S", "5: expected '(' and a tensor dim after 'S', got the end"},
      {"tp: shard 0",
       "10: expected '(' and a tensor dim after 'shard', got '0'"},
      {"tp: S(", "6: expected a tensor dim, -64 to 63, got the end"},
      {"tp: S(x)", "6: expected a tensor dim, -64 to 63, got 'x'"},
      {"tp: S(-)", "6: expected a tensor dim, -64 to 63, got '-'"},
      {"tp: S(64)", "6: expected a tensor dim, -64 to 63, got '64'"},
      {"tp: S(99999999999999999999)",
       "6: expected a tensor dim, -64 to 63, got '99999999999999999999'"},
      {"tp: S(0", "7: expected ')', got the end"},
      // Axes.
      {": V", "0: expected an axis name, got ':'"},
      {"tp: V,", "6: expected an axis name, got the end"},
      {"tp: V, , dp: R", "7: expected an axis name, got ','"},
      {"tp: V, 8: R", "7: expected an axis name, got '8'"},
      {"tp V", "3: expected ':' after axis 'tp', got 'V'"},
      {"tp", "2: expected ':' after axis 'tp', got the end"},
      {"tp = V", "3: expected ':' after axis 'tp', got '='"},
      {"tp: V, tp: R", "7: axis 'tp' is given twice"},
      {"tp: V; dp: R; tp: V", "14: axis 'tp' is given twice"},
      {"tp: V dp: R", "6: expected '->', ',' or the end, got 'dp'"},
      {"tp: V}", "5: expected '->', ',' or the end, got '}'"},
      // Global types.
      {"f32[8", "5: expected ']' after the dims, got the end"},
      {"f32[8,]", "6: expected a dim (a size, a name or '_'), got ']'"},
      {"[-1]", "1: expected a dim (a size, a name or '_'), got '-1'"},
      {"[8*]", "3: expected a dim (a size, a name or '_'), got ']'"},
      {"[8@]", "3: expected an axis name, got ']'"},
      {"[8@(tp,]", "7: expected an axis name, got ']'"},
      {"[8@(tp]", "6: expected ')', got ']'"},
      {"[8@(tp,tp)]", "7: axis 'tp' is given twice"},
      {"[8@tp, 16@tp]", "10: axis 'tp' shards two dims, 0 and 1"},
      {"[8@tp, 16@(dp, tp)]", "15: axis 'tp' shards two dims, 0 and 1"},
      {"[4, 8@tp]{tp: R}", "10: axis 'tp' shards dim 1 but is declared R"},
      {"[4, 8@tp]{tp: S(0)}",
       "10: axis 'tp' shards dim 1 but is declared S(0)"},
      {"[8]{ep: S(1)}", "4: axis 'ep' shards dim 1 of a tensor that has 1 dim"},
      {"[8]{ep: R", "9: expected '}', got the end"},
      {"[8]{ep: R, ep: R}", "11: axis 'ep' is given twice"},
      {"[8]]", "3: expected '->' or the end, got ']'"},
      // Entry and exit.
      {"", "0: " + Type + "the end"},
      {"  ", "2: " + Type + "the end"},
      {"tp: R ->", "8: " + Type + "the end"},
      {"->", "2: " + Type + "the end"},
      {"-> -> tp: R", "3: " + Type + "'-'"},
      {"tp: P -> tp: I -> tp: R", "15: expected ',' or the end, got '-'"},
  };
  for (const auto &[Payload, Error] : Table)
    EXPECT_EQ(errorOf(parseTypeAnnotation, Payload), Error) << Payload;
  EXPECT_EQ(errorOf(parseTypeSpec, "tp: P -> tp: I"),
            "6: expected ',' or the end, got '-'");
  EXPECT_EQ(errorOf(parseTypeAnnotation, llvm::StringRef("tp: V\0", 6)),
            "5: expected '->', ',' or the end, got a byte that is no printable "
            "character");
}

TEST(TypeSpec, AxesAndMeshes) {
  llvm::SmallVector<std::size_t, 2> Offsets;
  llvm::Expected<std::vector<std::string>> A = parseAxes("(tp2, tp)", &Offsets);
  ASSERT_TRUE(bool(A));
  EXPECT_EQ(*A, (std::vector<std::string>{"tp2", "tp"}));
  EXPECT_EQ(Offsets, (llvm::SmallVector<std::size_t, 2>{1, 6}));
  EXPECT_EQ(printAxes(*A), "(tp2,tp)");
  const auto Axes = [](llvm::StringRef P) { return parseAxes(P); };
  EXPECT_EQ(errorOf(Axes, "(dp,dp)"), "4: axis 'dp' is given twice");
  EXPECT_EQ(errorOf(Axes, "dp,tp"), "2: several axes are written in "
                                    "parentheses, as in \"(dp,tp)\"");
  EXPECT_EQ(errorOf(Axes, "()"), "1: expected an axis name, got ')'");
  EXPECT_EQ(errorOf(Axes, "(dp"), "3: expected ')', got the end");
  EXPECT_EQ(errorOf(Axes, ""), "0: expected an axis name, got the end");

  llvm::Expected<MeshSpec> M = parseMesh("dp=8:V, tp=4, ep:S(-1), pp");
  ASSERT_TRUE(bool(M));
  EXPECT_EQ(M->find("dp")->Size, 8u);
  EXPECT_EQ(M->find("dp")->Default->Type, LocalType::V);
  EXPECT_EQ(M->find("tp")->Size, 4u);
  EXPECT_EQ(printMesh(*M), "dp=8:V, tp=4, ep:S(-1), pp");
  EXPECT_EQ(*parseMesh(printMesh(*M)), *M);
  EXPECT_EQ(errorOf(parseMesh, "dp=0"),
            "3: expected the axis's size, 1 to 16777216, or the axes that it "
            "is flattened of, as in (dp,tp), got '0'");
  EXPECT_EQ(errorOf(parseMesh, "dp=x"),
            "3: expected the axis's size, 1 to 16777216, or the axes that it "
            "is flattened of, as in (dp,tp), got 'x'");
  EXPECT_EQ(errorOf(parseMesh, "dp=2, dp=3"), "6: axis 'dp' is given twice");
  EXPECT_EQ(errorOf(parseMesh, "dp=2 tp=3"),
            "5: expected ',' or the end, got 'tp'");
  EXPECT_EQ(errorOf(parseMesh, "dp=2:Q"),
            std::string("5: ") + WantAtom + "'Q'");
}

/// Every parser on \p Payload; what is accepted must read back the same.
void survive(llvm::StringRef Payload) {
  if (auto T = parseTypeAnnotation(Payload)) {
    auto Again = parseTypeAnnotation(printTypeAnnotation(*T));
    ASSERT_TRUE(bool(Again)) << Payload.str();
    EXPECT_EQ(*Again, *T) << Payload.str();
  } else {
    llvm::consumeError(T.takeError());
  }
  if (auto M = parseMesh(Payload)) {
    auto Again = parseMesh(printMesh(*M));
    ASSERT_TRUE(bool(Again)) << Payload.str();
    EXPECT_EQ(*Again, *M) << Payload.str();
  } else {
    llvm::consumeError(M.takeError());
  }
  if (auto A = parseAxes(Payload))
    EXPECT_EQ(*parseAxes(printAxes(*A)), *A);
  else
    llvm::consumeError(A.takeError());
}

TEST(TypeSpec, AnyBytesAreSurvived) {
  constexpr const char *Pieces[] = {
      "tp",    "dp",   ":",  ": R", ": V",     "P",   "S(",      "-1", ")",
      "[",     "]",    "(",  "{",   "}",       "@",   ",",       ";",  "->",
      "_",     "8",    "*",  "=4",  "bf16[",   "@tp", "\xff",    " ",  "\n",
      "tp: I", "S(0)", "\"", ".",   "Reduced", "-",   "\xc3\xa9"};
  for (unsigned Seed = 0; Seed != 60000; ++Seed) {
    unsigned X = Seed * 2654435761u + 12345u;
    std::string Payload;
    for (unsigned I = 0, N = X % 14; I != N; ++I) {
      X = X * 1664525u + 1013904223u;
      if (const unsigned P = (X >> 16) % (std::size(Pieces) + 1);
          P != std::size(Pieces))
        Payload += Pieces[P];
      else
        Payload += '\0';
    }
    survive(Payload);
  }
}

TEST(TypeSpec, SizeIsNoTrouble) {
  constexpr std::size_t Megabyte = 1 << 20;
  for (const char C : {'(', '[', 'a', ',', '-', '9', ' ', '\xff', '\0'})
    survive(std::string(Megabyte, C));
  std::string Axes, Dims = "[", Sizes;
  for (unsigned I = 0; Axes.size() < Megabyte; ++I) {
    Axes += "a" + std::to_string(I) + ": R, ";
    Dims += "8@a" + std::to_string(I) + ",";
    Sizes += "a" + std::to_string(I) + "=2, ";
  }
  EXPECT_NE(errorOf(parseTypeSpec, Axes).find("more than 64 axes"),
            std::string::npos);
  EXPECT_NE(errorOf(parseTypeSpec, Dims).find("more than 64 axes"),
            std::string::npos);
  EXPECT_NE(errorOf(parseMesh, Sizes).find("more than 64 axes"),
            std::string::npos);
  EXPECT_EQ(errorOf(parseTypeSpec, "tp: " + std::string(Megabyte, 'x')),
            std::string("4: ") + WantAtom + "'" + std::string(40, 'x') +
                "...'");
}

} // namespace
