//===- OpSpecTest.cpp - Payloads of [[spmd::op]] --------------------------===//

#include "spmd/ops/OpSpec.h"
#include "spmd/types/TypeSpec.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

std::string roundTrip(llvm::StringRef Payload) {
  llvm::Expected<OpSpec> S = parseOpSpec(Payload);
  if (!S) {
    std::string Out;
    llvm::handleAllErrors(S.takeError(), [&](const PayloadError &E) {
      Out = std::to_string(E.Offset) + ": " + E.Message;
    });
    return Out;
  }
  const std::string Once = printOpSpec(*S);
  llvm::Expected<OpSpec> Again = parseOpSpec(Once);
  if (!Again)
    return "printed form does not parse: " + Once;
  EXPECT_EQ(*Again, *S);
  return Once;
}

OpClass classOf(llvm::StringRef Payload) {
  return llvm::cantFail(parseOpSpec(Payload)).Class;
}

TEST(OpSpec, ClassesByName) {
  EXPECT_EQ(classOf("linear"), OpClass::Linear);
  EXPECT_EQ(classOf(" multilinear "), OpClass::Multilinear);
  EXPECT_EQ(classOf("nonlinear"), OpClass::Nonlinear);
  EXPECT_EQ(classOf("elementwise"), OpClass::Nonlinear);
  EXPECT_TRUE(llvm::cantFail(parseOpSpec("elementwise")).Elementwise);
  for (const char *Name : {"linear", "multilinear", "nonlinear", "elementwise"})
    EXPECT_EQ(roundTrip(Name), Name);
}

TEST(OpSpec, FactorsAreLinearInEachOperand) {
  EXPECT_EQ(classOf("m k, k n -> m n"), OpClass::Multilinear);
  EXPECT_EQ(classOf("b s (h d) -> b s h d"), OpClass::Linear);
}

TEST(OpSpec, FactorNotationReadsBack) {
  EXPECT_EQ(roundTrip("m k,k n->m n"), "m k, k n -> m n");
  EXPECT_EQ(roundTrip("... m k!, ... k! n -> ... m n"),
            "... m k!, ... k! n -> ... m n");
  EXPECT_EQ(roundTrip("b s (h d) -> b s h d"), "b s (h d) -> b s h d");
  EXPECT_EQ(roundTrip("(h) 1 x^ y~ z# -> h x y z"), "h 1 x^ y~ z# -> h x y z");
  EXPECT_EQ(roundTrip("k, k ->"), "k, k -> ");
  EXPECT_EQ(roundTrip("m -> m, m n^"), "m -> m, m n^");
}

TEST(OpSpec, ErrorsStandWhereTheyAre) {
  const std::string Class =
      "expected elementwise, linear, multilinear, nonlinear or factors such as "
      "\"m k, k n -> m n\", got ";
  const std::string Factor =
      "expected a factor such as 'm', '(h d)', '...', ',' or '->', got ";
  const std::pair<const char *, std::string> Table[] = {
      {"", "0: " + Class + "the end"},
      {"linaer", "0: " + Class + "'linaer'; did you mean 'linear'?"},
      {"m k, k n", "0: " + Class + "'m'"},
      {"linear x", "7: expected the end, got 'x'"},
      {"m k, k n - > m n", "0: " + Class + "'m'"},
      {"m k; k n -> m n", "3: " + Factor + "';'"},
      {"m (k -> m k", "5: " + Factor + "'-'"},
      {"m () -> m", "3: " + Factor + "')'"},
      {"m m -> m", "2: factor 'm' is given twice in one tensor"},
      {"m (h m) -> m", "5: factor 'm' is given twice in one tensor"},
      {"m -> n", "5: factor 'n' is in no operand; a dim that the op adds is "
                 "'n^'"},
      {"m -> ... m", "5: '...' is in no operand"},
      {"... m ... -> m", "6: '...' is given twice in one tensor"},
      {"m... -> m", "1: expected a space after a factor, got '.'"},
      {"2 m -> m", "0: " + Factor + "'2'"},
      {"m -> m -> m", "7: expected the end, got '-'"},
  };
  for (const auto &[Payload, Error] : Table)
    EXPECT_EQ(roundTrip(Payload), Error) << Payload;
}

TEST(OpSpec, AnyBytesAreSurvived) {
  constexpr const char *Pieces[] = {"m",      "k",   " ", ",", "->", "(",
                                    ")",      "...", "1", "!", "^",  "\xff",
                                    "linear", "-",   ".", "\n"};
  for (unsigned Seed = 0; Seed != 40000; ++Seed) {
    unsigned X = Seed * 2654435761u + 12345u;
    std::string Payload;
    for (unsigned I = 0, N = X % 14; I != N; ++I) {
      X = X * 1664525u + 1013904223u;
      Payload += Pieces[(X >> 16) % std::size(Pieces)];
    }
    roundTrip(Payload);
  }
  std::string Many;
  for (unsigned I = 0; Many.size() < (1 << 20); ++I)
    Many += "f" + std::to_string(I) + " ";
  EXPECT_NE(roundTrip(Many + "->").find("more than 1024 factors"),
            std::string::npos);
  std::string Commas(1 << 20, ',');
  EXPECT_NE(roundTrip(Commas + "->").find("more than 64 tensors"),
            std::string::npos);
}

} // namespace
