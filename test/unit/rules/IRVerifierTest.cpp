//===- IRVerifierTest.cpp - What every module keeps to --------------------===//

#include "spmd/ir/IRText.h"
#include "spmd/ir/Verifier.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

std::string errorOf(llvm::StringRef Text) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  return M ? "none" : llvm::toString(M.takeError());
}

/// Of a function of %x and %y on tp, with the facts \p Facts in lines 3 and on.
std::string errorIn(llvm::StringRef Facts) {
  return errorOf(("func @f(%x, %y, %tp axis \"tp\") {\nb0:\n" + Facts +
                  "\n  ->\n}\nfunc @g(%x) {\n}\n")
                     .str());
}

TEST(IRVerifier, DeclarationsAreOfTheFunction) {
  EXPECT_EQ(errorOf("func @f() {\n}\nfunc @f() {\n}\n"),
            "3:5: expected one function '@f', not two");
  EXPECT_EQ(errorOf("func @f() {\n  slot %w field %w \"m\"\n}\n"),
            "2:8: expected the field of a slot that is declared before it");
  EXPECT_EQ(errorOf("func @f() {\n  slot %a this\n  slot %b this\n}\n"),
            "3:8: expected one receiver only");
  EXPECT_EQ(errorOf("func @f(%x) {\n  slot %y param\n}\n"),
            "2:8: expected parameters, and nothing else, between the brackets");
  EXPECT_EQ(errorOf("func @f(%x) {\n  slot %y temp ref\n}\n"),
            "2:8: expected a temporary to have no name and no declaration");
  EXPECT_EQ(errorOf("func @f(%x) {\n  object %x %1\n  object %1 %2\n}\n"),
            "3:12: a slot is a name of one object only");
}

TEST(IRVerifier, TypesAreWrongWhereTheyAre) {
  EXPECT_EQ(errorOf("func @f(%x: \"tp: R, tp: P\") {\n}\n"),
            "1:21: axis 'tp' is given twice");
  EXPECT_EQ(errorIn("  %3 = convert %x on %tp from R to Q").substr(0, 5),
            "3:36:");
}

TEST(IRVerifier, BlocksAreOfTheFunction) {
  EXPECT_EQ(errorIn("  -> b1 b7\nb1:"),
            "3:3: expected a block of the function: there is no block b7");
}

TEST(IRVerifier, FactsHaveWhatTheirKindTakes) {
  EXPECT_EQ(errorIn("  %3 = bind _"), "3:3: expected a slot to bind to");
  EXPECT_EQ(errorIn("  %3 = view _ at %x"),
            "3:3: expected a slot to look into");
  EXPECT_EQ(errorIn("  %3 = op neg(_)"),
            "3:3: expected a slot as operand of 'neg'");
  EXPECT_EQ(errorIn("  %3 = constant\n  %4 = op neg(%x, %y)"),
            "4:3: expected one operand 'self' of 'neg'");
  EXPECT_EQ(errorIn("  %3 = all_reduce %x on _"),
            "3:3: expected an axis after 'on', or types of all axes after "
            "'from' and 'to'");
  EXPECT_EQ(errorIn("  %3 = all_reduce _ on %tp"),
            "3:3: expected what 'all_reduce' takes");
  EXPECT_EQ(errorIn("  require variable _ \"tp: R\""),
            "3:3: expected a value that must have the type");
  EXPECT_EQ(errorIn("  %3 = gradient _"),
            "3:3: expected a value that has a gradient");
  // Memory of which nothing is said.
  EXPECT_EQ(errorIn("  %3 = declared \"\""), "none");
  // Operands that a rule may lack, lists of tensors, and unknown callees;
  // a pass that begins with a given gradient.
  EXPECT_EQ(errorIn("  %3 = op cat(%x, %y)\n  call @h(%x, %y, _)\n  backward "
                    "_\n  return"),
            "none");
}

/// What no text says, as it has no words for it.
TEST(IRVerifier, ModulesThatNobodyParsed) {
  const auto Check = [](llvm::function_ref<void(Function &)> Break) {
    Module M = llvm::cantFail(
        parseModule("func @f(%x) {\nb0:\n  %1 = bind %x @7:3\n  ->\n}\n",
                    OpCatalogue::builtin()));
    Break(*M.Functions.front());
    return llvm::toString(verifyModule(M));
  };
  EXPECT_EQ(Check([](Function &) {}), "");
  EXPECT_EQ(Check([](Function &F) {
              std::get<BindFact>(F.Blocks[0].Facts[0]).Src.Slot = SlotId(9);
            }),
            "@f, b0, fact 0 at 7:3: expected a slot of the function, not "
            "number 9");
  EXPECT_EQ(Check([](Function &F) {
              std::get<BindFact>(F.Blocks[0].Facts[0]).At = PlaceId(9);
            }),
            "@f, b0, fact 0: expected a place of the function");
  EXPECT_EQ(Check([](Function &F) { F.NumParameters = 0; }),
            "@f, slot 0 'x': expected parameters, and nothing else, between "
            "the brackets");
  EXPECT_EQ(Check([](Function &F) {
              TypeAnnotation T;
              T.Entry.Axes = {{"tp", {}, 0}, {"tp", {}, 0}};
              F.Slots[0].Declared = std::make_shared<TypeAnnotation>(T);
            }),
            "@f, slot 0 'x': expected a type to name each axis once, not 'tp' "
            "twice");
  EXPECT_EQ(Check([](Function &F) { F.ObjectOf = {SlotId(1), SlotId(0)}; }),
            "@f: expected each object to be known by one of its slots");
  EXPECT_EQ(Check([](Function &F) { F.Blocks[0].Facts.push_back(OpFact()); }),
            "@f, b0, fact 1: expected an op that has a rule");
}

} // namespace
