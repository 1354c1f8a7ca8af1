//===- LimitsTest.cpp - Where an analysis is cut off ----------------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

struct Inferred {
  unsigned Findings = 0;
  std::vector<Limit> GivenUp;
};

Inferred infer(const std::string &Text, const InferenceOptions &Options = {}) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M) {
    ADD_FAILURE() << llvm::toString(M.takeError());
    return {};
  }
  const InferenceResult R = inferModule(*M, Options);
  Inferred Out;
  Out.Findings = static_cast<unsigned>(R.Violations.size());
  for (const GiveUp &G : R.GivenUp)
    Out.GivenUp.push_back(G.Which);
  return Out;
}

/// `w`, which is R, is written through \p N views of views of it.
std::string throughViews(unsigned N) {
  std::string Out = "func @f(%w: \"dp: R\", %g: \"dp: V\") {\nb0:\n";
  std::string Of = "%w";
  for (unsigned I = 0; I != N; ++I) {
    const std::string View = "%" + std::to_string(10 + I);
    Out += "  " + View + " = op view(" + Of + ")\n";
    Of = View;
  }
  return Out + "  %5 = op add(" + Of + ", %g) into " + Of + " @7:3\n  ->\n}\n";
}

using Cut = std::vector<Limit>;

TEST(Limits, AWriteIsSeenThroughAnyNumberOfViews) {
  for (unsigned N : {0, 1, 4, 5, 6, 7, 8, 100}) {
    const Inferred Out = infer(throughViews(N));
    EXPECT_EQ(Out.Findings, 1u) << N;
    EXPECT_EQ(Out.GivenUp, Cut()) << N;
  }
}

TEST(Limits, ViewsThatAreTooManyAreSaid) {
  InferenceOptions Options;
  Options.Caps.WrittenTogether = 20;
  EXPECT_EQ(infer(throughViews(19), Options).GivenUp, Cut());
  const Inferred Out = infer(throughViews(30), Options);
  EXPECT_EQ(Out.Findings, 0u);
  EXPECT_EQ(Out.GivenUp, Cut{Limit::WrittenTogether});
}

/// @f0 calls @f1, which calls @f2, and so on; the last one sees a mistake.
std::string nestedCalls(unsigned N) {
  std::string Out = "func @f0(%x: \"dp: P\") {\nb0:\n"
                    "  %1 = call @f1(%x) @1:1\n  ->\n}\n";
  for (unsigned I = 1; I != N; ++I)
    Out += "func @f" + std::to_string(I) + "(%x) {\nb0:\n  %1 = call @f" +
           std::to_string(I + 1) + "(%x) @1:1\n  ->\n}\n";
  return Out + "func @f" + std::to_string(N) +
         "(%x) {\nb0:\n  %1 = op relu(%x) @2:1\n  ->\n}\n";
}

TEST(Limits, CallsThatAreNestedTooDeeplyAreSaid) {
  EXPECT_EQ(infer(nestedCalls(8)).Findings, 1u);
  EXPECT_EQ(infer(nestedCalls(8)).GivenUp, Cut());
  EXPECT_EQ(infer(nestedCalls(9)).Findings, 0u);
  EXPECT_EQ(infer(nestedCalls(9)).GivenUp, Cut{Limit::CallDepth});
}

TEST(Limits, AFunctionThatTakesTooLongIsGivenUp) {
  const std::string Loop = "func @f(%x: \"dp: P\", %c) {\nb0:\n  -> b1\nb1:\n"
                           "  %2 = op relu(%x) @2:1\n  -> b1 b2 if %c\n"
                           "b2:\n  ->\n}\n";
  EXPECT_EQ(infer(Loop).GivenUp, Cut());
  InferenceOptions Options;
  Options.Caps.Visits = 1;
  EXPECT_EQ(infer(Loop, Options).GivenUp, Cut{Limit::Visits});
  EXPECT_EQ(infer(Loop, Options).Findings, 0u);
  Options = {};
  Options.Caps.Facts = 0;
  EXPECT_EQ(infer(Loop, Options).GivenUp, Cut{Limit::Facts});
  Options = {};
  Options.Caps.Values = 0;
  EXPECT_EQ(infer(Loop, Options).GivenUp, Cut{Limit::Values});
}

TEST(Limits, ContextsThatAreTooManyAreSaid) {
  InferenceOptions Options;
  Options.Caps.Contexts = 1;
  EXPECT_EQ(infer(nestedCalls(1), Options).GivenUp, Cut{Limit::Contexts});
}

} // namespace
