//===- OrderTest.cpp - The order of functions changes no finding ----------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <set>

using namespace spmd::rules;

namespace {

/// "log 7:3 tp" per finding of the functions \p Texts, in their order.
std::set<std::string> findings(llvm::ArrayRef<std::string> Texts) {
  std::string All;
  for (const std::string &T : Texts)
    All += T;
  llvm::Expected<Module> M = parseModule(All, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  std::set<std::string> Out;
  for (const Violation &V : inferModule(*M, {}).Violations) {
    const Place P = V.In->Places[index(V.At)];
    Out.insert(V.In->DisplayName + " " + std::to_string(P.Line) + ":" +
               std::to_string(P.Column) + " " + V.Axis);
  }
  return Out;
}

/// Whether all orders of the functions \p Texts give the findings \p Expected.
void expectInAnyOrder(std::vector<std::string> Texts,
                      const std::set<std::string> &Expected) {
  llvm::sort(Texts);
  do
    EXPECT_EQ(findings(Texts), Expected) << Texts.front();
  while (std::next_permutation(Texts.begin(), Texts.end()));
}

const std::string Gather = "func @gather(%x, %tp axis \"tp\") {\nb0:\n"
                           "  %2 = all_gather %x on %tp from V to R @2:3\n"
                           "  return %2 @3:3\n  ->\n}\n";

TEST(Order, AConstantDoesNotAnswerForAValue) {
  expectInAnyOrder({Gather,
                    "func @warm(%tp axis \"tp\") {\nb0:\n  %1 = constant\n"
                    "  %2 = call @gather(%1, %tp) @5:3\n  ->\n}\n",
                    "func @log(%loss: \"tp: R\", %tp axis \"tp\") {\nb0:\n"
                    "  %2 = op detach(%loss)\n"
                    "  %3 = call @gather(%2, %tp) @8:3\n  ->\n}\n"},
                   {"gather 2:3 tp"});
}

TEST(Order, WhatCallsEachOtherIsAnalysedByItself) {
  const auto Of = [](const std::string &Name, const std::string &Other,
                     const std::string &Line) {
    return "func @" + Name +
           "(%x, %tp axis \"tp\") {\nb0:\n"
           "  %2 = rank_of %tp\n  %3 = op relu(%2)\n"
           "  %4 = reinterpret %3 on %tp from V to P @" +
           Line + ":3\n  %5 = op relu(%4) @" + Line + ":7\n  call @" + Other +
           "(%5, %tp) @" + Line + ":9\n  ->\n}\n";
  };
  expectInAnyOrder({Of("a", "b", "1"), Of("b", "c", "2"), Of("c", "a", "3")},
                   {"a 1:7 tp", "b 2:7 tp", "c 3:7 tp"});
}

} // namespace
