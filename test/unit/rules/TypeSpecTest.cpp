//===- TypeSpecTest.cpp - Payload grammars and their errors ---------------===//

#include "spmd/rules/TypeSpec.h"

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
  EXPECT_EQ(printTypeSpec(*Again), Once);
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
}

TEST(TypeSpec, ErrorsStandWhereTheyAre) {
  const auto E = [](llvm::StringRef P) {
    return errorOf(parseTypeAnnotation, P);
  };
  EXPECT_EQ(E("tp: Q"), "4: expected R, I, V, P or S(dim), got 'Q'");
  EXPECT_EQ(E("tp: partail"), "4: expected R, I, V, P or S(dim), got "
                              "'partail'; did you mean 'partial'?");
  EXPECT_EQ(E("tp V"), "3: expected ':' after axis 'tp', got 'V'");
  EXPECT_EQ(E("tp: V, tp: R"), "7: axis 'tp' is given twice");
  EXPECT_EQ(E("tp: S(x)"), "6: expected a tensor dim, got 'x'");
  EXPECT_EQ(E("tp: S"),
            "5: expected '(' and a tensor dim after 'S', got the end");
  EXPECT_EQ(E("tp: V dp: R"), "6: expected ',' or the end, got 'dp'");
  EXPECT_EQ(E("[8@tp, 16@tp]"), "10: axis 'tp' shards two dims, 0 and 1");
  EXPECT_EQ(E("[8@tp]{tp: R}"),
            "7: axis 'tp' shards dim 0 and cannot have another type");
  EXPECT_EQ(E("f32[8"), "5: expected ']' after the dims, got the end");
  EXPECT_EQ(E(""), "0: expected a type such as \"tp: R\" or "
                   "\"f32[8,16@tp]\", got the end");
  EXPECT_EQ(E("tp: R ->"), "8: expected a type such as \"tp: R\" or "
                           "\"f32[8,16@tp]\", got the end");
  EXPECT_EQ(E("tp: \xff"), "4: expected R, I, V, P or S(dim), got a byte that "
                           "is no printable character");
}

TEST(TypeSpec, AxesAndMeshes) {
  llvm::Expected<std::vector<std::string>> A = parseAxes("(dp, tp)");
  ASSERT_TRUE(bool(A));
  EXPECT_EQ(*A, (std::vector<std::string>{"dp", "tp"}));
  EXPECT_EQ(errorOf(parseAxes, "(dp,dp)"), "4: axis 'dp' is given twice");
  EXPECT_EQ(errorOf(parseAxes, "dp,tp"), "2: expected ',' or the end, got ','");

  llvm::Expected<MeshSpec> M = parseMesh("dp=8:V, tp=4");
  ASSERT_TRUE(bool(M));
  EXPECT_EQ(M->find("dp")->Size, 8u);
  EXPECT_EQ(M->find("dp")->Default->Type, LocalType::V);
  EXPECT_EQ(M->find("tp")->Size, 4u);
  EXPECT_EQ(errorOf(parseMesh, "dp=0"),
            "3: expected a size of at least 1, got '0'");
  EXPECT_EQ(errorOf(parseMesh, "dp=2, dp=3"), "6: axis 'dp' is given twice");
}

TEST(TypeSpec, AnyBytesAreSurvived) {
  for (unsigned Seed = 0; Seed != 20000; ++Seed) {
    unsigned X = Seed * 2654435761u + 12345u;
    std::string Payload;
    for (unsigned I = 0, N = X % 24; I != N; ++I) {
      X = X * 1664525u + 1013904223u;
      constexpr char Likely[] = "tpdpRIVPS()[]{}@,;:->_ 0819*\"\xff\0abc";
      Payload += Likely[(X >> 16) % (sizeof(Likely) - 1)];
    }
    llvm::consumeError(parseTypeAnnotation(Payload).takeError());
    llvm::consumeError(parseMesh(Payload).takeError());
    llvm::consumeError(parseAxes(Payload).takeError());
  }
  const std::string Long(1 << 20, '(');
  EXPECT_FALSE(llvm::errorToBool(parseTypeSpec("tp: R").takeError()));
  EXPECT_TRUE(llvm::errorToBool(parseTypeSpec(Long).takeError()));
}

} // namespace
