//===- ContractTest.cpp - What is declared that a value disagrees with ----===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

constexpr const char *Names[] = {
    "value",          "source",        "variable",          "field",
    "argument",       "return",        "parameter on exit", "variable on exit",
    "output on exit", "field on exit", "member on exit"};

/// "argument w at 2:9" per violation.
std::vector<std::string> infer(const std::string &Text) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  std::vector<std::string> Out;
  for (const Violation &V : inferModule(*M, {}).Violations) {
    const auto *Clash = V.as<ContractClash>();
    EXPECT_TRUE(Clash);
    const Place P = V.In->Places[index(V.At)];
    Out.push_back(std::string(Names[static_cast<int>(Clash->On)]) + " " + V.Op +
                  " at " + std::to_string(P.Line) + ":" +
                  std::to_string(P.Column));
  }
  return Out;
}

using Findings = std::vector<std::string>;

/// A method with the parameter w and the field w, both R on dp.
Findings method(const std::string &Body) {
  return infer("func @f(%w: \"dp: R\" !1:9, %g: \"dp: V\" !1:19) "
               "-> \"dp: R\" !1:29 {\n"
               "  slot %this this\n"
               "  slot %w.3 field %this w: \"dp: R\" !2:9\n"
               "b0:\n" +
               Body + "  ->\n}\n");
}

TEST(Contract, SaysWhatIsDeclared) {
  EXPECT_EQ(method("  require assert_type %g \"dp: R\" of \"w\" @3:3\n"),
            Findings{"value w at 3:3"});
  EXPECT_EQ(method("  require variable %g \"dp: R\" of \"w\" @3:3\n"),
            Findings{"variable w at 3:3"});
  EXPECT_EQ(method("  require field %g \"dp: R\" of \"w\" @3:3\n"),
            Findings{"field w at 3:3"});
  EXPECT_EQ(method("  return %g @3:3\n"), Findings{"return f at 3:3"});
  EXPECT_EQ(method("  %4 = redistribute %g on _ from \"dp: R\" to \"dp: V\" "
                   "@3:3\n"),
            Findings{"source redistribute at 3:3"});
  EXPECT_EQ(infer("func @g(%w: \"dp: R\" !1:9) {\nb0:\n  ->\n}\n"
                  "func @f(%g: \"dp: V\") {\nb0:\n"
                  "  call @g(%g !3:9) @3:3\n  ->\n}\n"),
            Findings{"argument w at 3:3"});
}

TEST(Contract, OnExitAParameterIsNoFieldOfItsName) {
  EXPECT_EQ(method("  %4 = op neg(%g) into %w @3:3\n"),
            Findings{"parameter on exit w at 3:3"});
  EXPECT_EQ(method("  %4 = op neg(%g) into %w.3 @3:3\n"),
            Findings{"field on exit w at 3:3"});
}

TEST(Contract, AnOutermostLocalIsKeptToTheEnd) {
  const auto Local = [](const std::string &Slot) {
    return infer("func @f(%g: \"dp: V\" !1:9) {\n"
                 "  slot %w local " +
                 Slot +
                 ": \"dp: R\" !2:9\n"
                 "b0:\n"
                 "  %w = declared \"dp: R\" @2:3\n"
                 "  %3 = op neg(%g) into %w @3:3\n"
                 "  ->\n}\n");
  };
  EXPECT_EQ(Local("outermost"), Findings{"variable on exit w at 3:3"});
  EXPECT_EQ(Local(""), Findings{});
}

TEST(Contract, AQuotientOfADeclaredRankVariesOnSomeAxis) {
  const auto Divided = [](const std::string &Kind) {
    return infer(
        "func @f(%r" + Kind +
        ": \"dp: V, tp: V\", %n: \"dp: R, tp: R\") "
        "-> \"dp: V, tp: R\" {\n"
        "b0:\n  %2 = op div(%r, %n) @1:1\n  return %2 @2:1\n  ->\n}\n");
  };
  EXPECT_EQ(Divided(" integer"), Findings());
  EXPECT_EQ(Divided(""), Findings{"return f at 2:1"});
}

} // namespace
