//===- GradientLivenessTest.cpp - Values that a gradient flows back to ----===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// Of a function of %i, %r, %v and %p, each of its type: the findings, and the
/// types of what is named.
std::vector<std::string> infer(llvm::StringRef Facts, bool Strict = false) {
  const std::string Text =
      ("func @f(%i: \"tp: I\", %r: \"tp: R\", %v: \"tp: V\", %p: \"tp: P\", "
       "%x, %tp axis \"tp\") {\n  slot %name local\nb0:\n" +
       Facts + "  ->\n}\n")
          .str();
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return {"parse error: " + llvm::toString(M.takeError())};
  InferenceOptions Options;
  Options.Strict = Strict;
  std::vector<std::string> Out, Types;
  const auto OnType = [&](const TypedSlot &T) {
    if (T.As == TypedSlot::Role::Made && T.Slot >= SlotId(T.In->NumParameters))
      for (const auto &[Axis, Type] : T.Types)
        Types.push_back(T.In->slot(T.Slot).Name + printAxisType(Type));
  };
  for (const Violation &V : inferModule(*M, Options, OnType).Violations) {
    std::string Line = V.Op;
    for (const ViolationOperand &O : V.Operands)
      Line += " " + printAxisType(O.Type);
    Out.push_back(Line);
  }
  return Out.empty() ? Types : Out;
}

using Lines = std::vector<std::string>;

TEST(GradientLiveness, AnIndexMayBeInvariant) {
  // As vocabulary-parallel losses make the index of a target.
  EXPECT_EQ(infer("  %7 = op sub(%i, %v)\n"
                  "  %8 = op clamp(%7)\n"
                  "  %9 = op gather(%v, %8)\n  return %9\n"),
            (Lines{"V", "V", "V"}));
  EXPECT_EQ(infer("  %7 = op sub(%i, %r)\n"
                  "  %8 = op eq(%7)\n  return %8\n"),
            (Lines{"R|I", "R|I"}));
  EXPECT_EQ(infer("  %7 = op sub(%i, %v)\n"
                  "  %8 = op detach(%7)\n  return %8\n"),
            (Lines{"V", "V"}));
}

TEST(GradientLiveness, TheFirstNameOfAStorageIsLikeTheOthers) {
  // What is written in place has all names, not what one of them named before.
  EXPECT_EQ(infer("  %7 = constant\n  %8 = op mul(%r, %r)\n"
                  "  %9 = op neg(%i)\n  %name = bind %7\n"
                  "  %name = bind %8\n  %name = bind %9\n"
                  "  op neg(%8) into %8\n  %10 = op eq(%name)\n"
                  "  return %7\n"),
            (Lines{"R", "R|I", "nameR|I", "nameR", "nameR|I", "R", "R|I"}));
}

TEST(GradientLiveness, AnIndexMayBeChangedInPlace) {
  EXPECT_EQ(infer("  %7 = op sub(%i, %v)\n"
                  "  %name = bind %7\n"
                  "  op sub(%name, %v) into %name\n"
                  "  %8 = op gather(%v, %name)\n  return %8\n"),
            (Lines{"V", "nameV", "nameV", "V"}));
  // Whatever name the storage has, one use of it is enough.
  EXPECT_EQ(infer("  %name = op clone(%i)\n"
                  "  %7 = op view(%name)\n"
                  "  op sub(%name, %v) into %name\n"
                  "  %8 = op relu(%7)\n  return %8\n"),
            Lines{"sub I V"});
  EXPECT_EQ(infer("  %name = bind %i\n"
                  "  op sub(%name, %v) into %name\n"
                  "  %8 = op eq(%name)\n  return %8\n"),
            Lines{"sub I V"});
}

TEST(GradientLiveness, WhatIsDifferentiatedMayNot) {
  EXPECT_EQ(infer("  %7 = op sub(%i, %v)\n  return %7\n"), Lines{"sub I V"});
  // One use is enough, through whichever name.
  EXPECT_EQ(infer("  %7 = op sub(%i, %v)\n"
                  "  %name = bind %7\n"
                  "  %8 = op gather(%v, %7)\n"
                  "  %9 = op relu(%name)\n  return %9\n"),
            Lines{"sub I V"});
  EXPECT_EQ(infer("  %7 = op sub(%i, %v)\n"
                  "  %8 = all_reduce %7 on %tp from V to R\n"
                  "  %9 = op eq(%8)\n  return %9\n"),
            Lines{"sub I V"});
  // Others see what is written.
  EXPECT_EQ(infer("  %7 = op sub(%i, %v) into %v\n"
                  "  %8 = op eq(%7)\n"),
            Lines{"sub I V"});
  // What nothing uses may be meant for something.
  EXPECT_EQ(infer("  %7 = op sub(%i, %v)\n"), Lines{"sub I V"});
  EXPECT_EQ(infer("  %7 = op sub(%i, %v)\n  %8 = op relu(%7)\n"),
            Lines{"sub I V"});
}

TEST(GradientLiveness, ASumIsPendingAllTheSame) {
  EXPECT_EQ(infer("  %7 = op sub(%p, %v)\n"
                  "  %8 = op gather(%v, %7)\n  return %8\n"),
            Lines{"sub P V"});
  EXPECT_EQ(infer("  %7 = op neg(%p)\n"
                  "  %8 = op gather(%v, %7)\n  return %8\n"),
            Lines{"gather P"});
}

TEST(GradientLiveness, NothingIsNarrowedToOneOfTheTwo) {
  // An unknown operand of an index may still be either.
  EXPECT_EQ(infer("  %7 = op sub(%x, %i)\n"
                  "  %8 = op gather(%v, %7)\n"
                  "  %9 = op add(%x, %r)\n  return %9\n"),
            (Lines{"R|I|V", "V", "R|V"}));
  EXPECT_EQ(infer("  %7 = op sub(%i, %v)\n"
                  "  %8 = op gather(%v, %7)\n"
                  "  %9 = op relu(%i)\n  return %9\n"),
            (Lines{"V", "V", "I"}));
}

} // namespace
