//===- IRTextTest.cpp - What is printed parses back -----------------------===//

#include "spmd/ir/IRText.h"
#include "spmd/ops/ScalarRules.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

TEST(IRText, OwnRulesComeWithTheModule) {
  const std::string Text = "rule own.copy(self) = \"linear(self)\"\n"
                           "rule scale(x, by?) = \"multilinear(x, by)\"\n"
                           "func @f(%x.0: \"tp: P\") {\n"
                           "b0:\n"
                           "  %1 = op own.copy(self=%x.0)\n"
                           "  %2 = op scale(x=%1, by=%x.0)\n"
                           "  %3 = op neg(self=%2)\n"
                           "  return %3\n"
                           "  ->\n"
                           "}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  ASSERT_EQ(M->OwnRules.size(), 2u);
  EXPECT_TRUE(M->OwnRules[1]->Formals[1].Optional);
  EXPECT_EQ(printModule(*M), Text);
}

TEST(IRText, SlotsKeepWhatIsSaidOfThem) {
  const std::string Text =
      "func @f(%x.0 ref escapes: \"tp: P\") constructor {\n"
      "  slot %w.1 local escapes owned\n"
      "  slot %v.2 local ref escapes: \"tp: R\"\n"
      "b0:\n"
      "  %w.1 = bind %x.0\n"
      "  %v.2 = refer %w.1\n"
      "  %w.1 = join %v.2\n"
      "  %3 = handle %w.1 at _\n"
      "  return %w.1\n"
      "  ->\n"
      "}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  EXPECT_TRUE(M->Functions[0]->Slots[1].Escapes);
  EXPECT_FALSE(M->Functions[0]->Slots[1].ByReference);
  EXPECT_TRUE(M->Functions[0]->Slots[1].Owned);
  EXPECT_TRUE(M->Functions[0]->IsConstructor);
  EXPECT_EQ(printModule(*M), Text);
}

TEST(IRText, APointHasANameAndWhatItLooksAt) {
  const std::string Text = "func @f(%x.0, %y.1) {\n"
                           "b0:\n"
                           "  point after_if(%x.0 !3:7, %y.1) @3:5\n"
                           "  point \"the end\"()\n"
                           "  ->\n"
                           "}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  EXPECT_EQ(printModule(*M), Text);
}

TEST(IRText, ABranchSaysWhatDecidesIt) {
  const std::string Text = "func @f(%x.0) {\n"
                           "b0:\n"
                           "  -> b1 b2 if %x.0 !3:7\n"
                           "b1:\n"
                           "  -> b2\n"
                           "b2:\n"
                           "  ->\n"
                           "}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  EXPECT_EQ(M->Functions[0]->Blocks[0].Successors.size(), 2u);
  EXPECT_EQ(M->Functions[0]->Blocks[0].Condition.Slot, SlotId(0));
  EXPECT_EQ(printModule(*M), Text);
}

TEST(IRText, WhatIsSaidOnAnotherMeshKeepsIt) {
  const std::string Text =
      "func @f(%x.0) mesh \"dp=4, tp=4\" {\n"
      "  slot %w.1 global as \"w\": \"world: R\" mesh \"world=16\"\n"
      "b0:\n"
      "  require field %x.0 \"world: R\" of \"w\" mesh \"world=16\"\n"
      "  ->\n"
      "}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  EXPECT_EQ(printModule(*M), Text);
}

std::string errorOf(llvm::StringRef Text) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  return M ? "none" : llvm::toString(M.takeError());
}

/// The list that is printed for \p List as the arguments of an op.
std::string argumentsOf(llvm::StringRef List) {
  const std::string Text = "func @f(%x.0, %w.1) {\nb0:\n  %2 = op neg(%x.0) " +
                           List.str() + "\n  ->\n}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  if (!M)
    return llvm::toString(M.takeError());
  const std::string Printed = printModule(*M);
  llvm::Expected<Module> Again = parseModule(Printed, OpCatalogue::builtin());
  if (!Again)
    return llvm::toString(Again.takeError());
  EXPECT_EQ(printModule(*Again), Printed);
  const auto *Op = std::get_if<OpFact>(&M->Functions[0]->Blocks[0].Facts[0]);
  const auto *Same =
      std::get_if<OpFact>(&Again->Functions[0]->Blocks[0].Facts[0]);
  EXPECT_TRUE(Op && Same && Op->Arguments == Same->Arguments);
  const llvm::StringRef Line =
      llvm::StringRef(Printed).split("neg(self=%x.0)").second;
  return Line.split('\n').first.trim().str();
}

TEST(IRText, AnOpHasArguments) {
  for (const char *List :
       {"[dim=-1, keepdim=true]", "[equation=\"bsh,hd->bsd\"]",
        "[out=?, dims=none]", "[dim={}]", "[dim={0, -1, ?}]",
        "[size={2, %x.0[1], n_head, %x.0[-1]/cfg.heads, 3*B, ?}]",
        "[size=%x.0[0]*%w.1[0]/heads/2]", "[size=1/heads]",
        "[end=9223372036854775807]", "[size={\"gr\\C3\\B6\\C3\\9Fe\"}]",
        "[name=1*\"none\", other=nonesuch]"})
    EXPECT_EQ(argumentsOf(List), List);
  // What is said twice is said once.
  EXPECT_EQ(argumentsOf("[size={B*C/B, 6*B/4, x/x, B*B, 2/-2}]"),
            "[size={C, 3*B/2, 1, B*B, -1}]");
  EXPECT_EQ(argumentsOf("[size=a/b*c]"), "[size=a*c/b]");
}

TEST(IRText, AnArgumentThatIsNoneIsAnError) {
  EXPECT_EQ(argumentsOf("[dim]"), "3:25: expected '='");
  EXPECT_EQ(argumentsOf("[dim=%y.0[1]]"), "3:30: no slot '%y.0'");
  EXPECT_EQ(argumentsOf("[dim=%x.0]"), "3:30: expected '['");
  EXPECT_EQ(argumentsOf("[dim=%x.0[999]]"), "3:34: no tensor has so many dims");
  EXPECT_EQ(argumentsOf("[dim=1/0]"), "3:29: a size divided by zero");
  EXPECT_EQ(argumentsOf("[dim=9223372036854775807*2]"),
            "3:47: a size too large");
  EXPECT_EQ(argumentsOf("[dim=99223372036854775807]"),
            "3:26: expected a number of 64 bits");
}

TEST(IRText, AHostNumberIsMarked) {
  const std::string Text = "func @f(%x.0, %s.1) {\n"
                           "b0:\n"
                           "  %2 = op mul(self=%x.0 !3:4, other=%s.1 scalar "
                           "!3:6) @3:4\n"
                           "  return %2\n"
                           "  ->\n"
                           "}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  const auto *Op = std::get_if<OpFact>(&M->Functions[0]->Blocks[0].Facts[0]);
  ASSERT_TRUE(Op);
  EXPECT_FALSE(Op->Operands[0].Scalar);
  EXPECT_TRUE(Op->Operands[1].Scalar);
  EXPECT_EQ(printModule(*M), Text);
}

TEST(IRText, APlanIsBetweenTypesOfAllAxes) {
  const std::string Text =
      "func @f(%x.0) {\n"
      "b0:\n"
      "  %1 = redistribute %x.0 on _ from \"[8@tp, 8]\" !2:3 to "
      "\"[8, 8@tp]\" !2:9 @2:1\n"
      "  return %1\n"
      "  ->\n"
      "}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  EXPECT_EQ(printModule(*M), Text);
}

TEST(IRText, AFunctionSaysHowItIsChecked) {
  const auto ModeOf = [](llvm::StringRef Words) {
    const std::string Text =
        "func @f() constructor" + Words.str() + " mesh \"tp=4\" {\n}\n";
    llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
    EXPECT_TRUE(static_cast<bool>(M));
    if (!M) {
      ADD_FAILURE() << llvm::toString(M.takeError());
      return CheckingMode();
    }
    EXPECT_EQ(printModule(*M), Text);
    return M->Functions[0]->Mode;
  };
  EXPECT_FALSE(ModeOf("").isSaid());
  EXPECT_TRUE(ModeOf(" global").isGlobal("tp"));
  EXPECT_TRUE(ModeOf(" global \"tp\"").isGlobal("tp"));
  EXPECT_FALSE(ModeOf(" global \"tp\"").isGlobal("dp"));
  EXPECT_FALSE(ModeOf(" global local \"(dp,tp)\"").isGlobal("tp"));
  EXPECT_TRUE(ModeOf(" global local \"dp\"").isGlobal("tp"));
  EXPECT_TRUE(ModeOf(" local").isSaid());
  EXPECT_FALSE(ModeOf(" local").isGlobal("tp"));
  EXPECT_TRUE(ModeOf(" local_map").LocalMap);
  EXPECT_FALSE(ModeOf(" local_map").isGlobal("tp"));
}

TEST(IRText, AnOwnRuleKeepsWhatItDoesToDims) {
  const std::string Text =
      "rule f(a, b) = \"multilinear(a, b)\" shape \"m k, k n -> m n\"\n"
      "rule g(a) = \"nonlinear(a)\" shape \"elementwise\"\n"
      "func @f(%x.0) {\n"
      "b0:\n"
      "  %1 = op f(a=%x.0, b=%x.0)\n"
      "  %2 = op g(a=%1)\n"
      "  ->\n"
      "}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  ASSERT_TRUE(M->OwnRules[0]->Shape && M->OwnRules[1]->Shape);
  ASSERT_EQ(M->OwnRules[0]->Shape->Notations.size(), 1u);
  EXPECT_EQ(M->OwnRules[0]->Shape->Notations[0].Operands.size(), 2u);
  EXPECT_TRUE(M->OwnRules[1]->Shape->Notations.empty());
  EXPECT_EQ(printModule(*M), Text);
  EXPECT_EQ(
      errorOf("rule f(a) = \"linear(a)\" shape \"nonsense\"\n").substr(0, 5),
      "1:32:");
}

/// What the text keeps of a rule: all but where it was read, why it is right,
/// and how calls find it.
OpRule asInText(OpRule R) {
  R.Family = R.Reason = R.File = R.Writes = "";
  R.Line = 0;
  R.Aliases.clear();
  R.FullNames.clear();
  for (RuleFormal &F : R.Formals)
    F.Param.clear();
  return R;
}

TEST(IRText, AnOwnRuleIsTheSameWhenItIsReadAgain) {
  OpCatalogue Ops;
  ASSERT_EQ(llvm::toString(Ops.addYAML({R"yaml(
- op: gemm
  operands: A, B, beta, C[beta]=12, bias?, rest*
  rule: linear(multilinear(A, B), multilinear(beta, C), bias, rest)
  factors: "m k, k n, , m n, n -> m n"
  kernel: add(A, B)
- op: add
  operands: self, other
  rule: nonlinear(self, other)
- op: mine::add
  operands: self, other
  rule: linear(self, other)
  roles: adds
- op: window
  operands: x
  rule: linear(x)
  views: part of x
  roles: [keeps_elements, copies]
- op: take_over
  operands: x
  rule: linear(x)
  replaces: x
)yaml",
                                        ".spmd-tidy"})),
            "");
  std::vector<const OpRule *> Rules;
  for (const OpRule &R : Ops.rules())
    Rules.push_back(&R);
  const ScalarRules &Of = ScalarRules::get();
  Rules.insert(Rules.end(), {&Of.Copy, &Of.Add, &Of.Unequal, &Of.Not});
  // Two functions may have one name.
  OpRule Again = *Ops.rule("mine::add"), Taken = Again;
  Again.Roles = {};
  Taken.Name = "mine::add.2";
  Rules.insert(Rules.end(), {&Again, &Taken});

  Module M;
  M.Functions.push_back(std::make_unique<Function>());
  Function &F = *M.Functions.back();
  F.Symbol = "f";
  F.Blocks.emplace_back();
  const OpRule *Known = OpCatalogue::builtin().rule("matmul");
  Rules.push_back(Known);
  for (const OpRule *R : Rules) {
    OpFact O;
    O.Rule = R;
    O.Dst = F.addTemporary();
    F.Blocks[0].Facts.push_back(O);
  }
  const std::string Text = printModule(M);
  llvm::Expected<Module> Read = parseModule(Text, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(Read))
      << llvm::toString(Read.takeError()) << '\n'
      << Text;
  EXPECT_EQ(printModule(*Read), Text);
  const std::vector<Fact> &Facts = Read->Functions[0]->Blocks[0].Facts;
  ASSERT_EQ(Facts.size(), Rules.size());
  for (std::size_t I = 0; I != Rules.size(); ++I)
    EXPECT_TRUE(asInText(*Rules[I]) ==
                asInText(*std::get<OpFact>(Facts[I]).Rule))
        << Rules[I]->Name << '\n'
        << Text;
  EXPECT_EQ(std::get<OpFact>(Facts.back()).Rule, Known);
}

TEST(IRText, ARuleThatIsNoneIsAnError) {
  EXPECT_EQ(errorOf("rule f(x) = \"linear(y)\"\n"),
            "1:24: column 8: unknown operand 'y'");
  EXPECT_EQ(errorOf("rule f(x) = \"linear(x)\"\nrule f(y) = \"linear(y)\"\n"),
            "2:7: the rule 'f' is defined twice");
  EXPECT_EQ(errorOf("rule f(x) = \"linear(x)\" roles copys\n"),
            "1:31: unknown role 'copys'; the nearest is 'copies'");
  EXPECT_EQ(errorOf("rule f(x) = \"nonlinear(x)\" roles copies\n"),
            "1:28: an op that copies has a rule 'linear(…)'");
  EXPECT_EQ(errorOf("rule f(x) = \"linear(x)\" views \"part of y\"\n"),
            "1:31: no operand 'y'");
  EXPECT_EQ(errorOf("func @f(%x) {\nb0:\n  %1 = op eye(%x)\n  ->\n}"),
            "3:15: 'eye' has no operands");
  EXPECT_EQ(errorOf("func @f(%x) {\nb0:\n  %1 = return %x\n  ->\n}"),
            "3:8: 'return' has no result");
  EXPECT_EQ(errorOf("func @f(%x) {\nb0:\n  bind %x\n  ->\n}"),
            "3:7: expected '%name =' before 'bind'");
  EXPECT_EQ(errorOf("func @f(%x, %x) {\n}"), "1:15: '%x' is declared twice");
  EXPECT_EQ(errorOf("func @\"a\\xy\"() {\n}"),
            "1:9: expected two hexadecimal digits after '\\'");
  EXPECT_EQ(errorOf("func @f(%x) {\nb0:\n  %1 = op neg(%y)\n  ->\n}"),
            "3:17: no slot '%y'");
}

/// What has no field of its own in other tests.
TEST(IRText, EverythingThatIsSaidIsKept) {
  const std::string Text =
      "func @\"c:@F@f\" as \"f\"(%0 ref: \"-> tp: R\") -> \"\" !1:1 "
      "axis \"(dp,tp)\" trusted constructor kernel choice local \"dp\" {\n"
      "  slot %this.1 this\n"
      "  slot %w.2 field %this.1 w inplace: \"tp: P -> tp: I\" !2:3\n"
      "  slot %v.3 field %4 w integer: \"tp: V\"\n"
      "  slot %\"a b.5\" global as \"other.cpp\"\n"
      "  slot %r.6 result\n"
      "  object %w.2 %v.3\n"
      "  object %4 %7\n"
      "b0:\n"
      "  %7 = undefined @0:0\n"
      "  require field _ !3:1 \"\" of \"\" !3:2 @3:3\n"
      "  -> b0 b1 if _ !4:4\n"
      "b1:\n"
      "  return _ !5:5\n"
      "  ->\n"
      "}\n"
      "func @f() {\n"
      "}\n";
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  EXPECT_EQ(M ? "" : llvm::toString(M.takeError()),
            "11:3: expected a value that must have the type");
  const std::string Right = llvm::StringRef(Text).split("field _").first.str() +
                            "field %7" +
                            llvm::StringRef(Text).split("field _").second.str();
  M = parseModule(Right, OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  EXPECT_EQ(printModule(*M), Right);
  const Function &F = *M->Functions.front();
  EXPECT_EQ(F.DisplayName, "f");
  EXPECT_TRUE(F.Result);
  EXPECT_TRUE(F.Trusted && F.IsConstructor && F.IsKernel && F.IsChoice);
  EXPECT_EQ(F.ObjectOf[3], SlotId(2));
  EXPECT_EQ(F.ObjectOf[7], SlotId(4));
}

TEST(IRText, SlotsAreNumberedAsTheyAreMentioned) {
  llvm::Expected<Module> M = parseModule("func @f(%x) {\n"
                                         "  slot %w local\n"
                                         "b0:\n"
                                         "  %9 = bind %x\n"
                                         "  %3 = bind %9\n"
                                         "  ->\n"
                                         "}\n",
                                         OpCatalogue::builtin());
  ASSERT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  // A front end makes slots in another order.
  Function &F = *M->Functions.front();
  F.addTemporary();
  Slot Late;
  Late.Name = "late";
  Late.Kind = SlotKind::Local;
  F.addSlot(Late);
  const std::string Once = printModule(*M);
  EXPECT_EQ(Once, "func @f(%x.0) {\n"
                  "  slot %w.1 local\n"
                  "  slot %late.2 local\n"
                  "b0:\n"
                  "  %3 = bind %x.0\n"
                  "  %4 = bind %3\n"
                  "  ->\n"
                  "}\n");
  EXPECT_EQ(
      printModule(llvm::cantFail(parseModule(Once, OpCatalogue::builtin()))),
      Once);
}

TEST(IRText, PrintingParsesBack) {
  const llvm::StringRef Text = R"ir(
func @"f(int)"(%x: "tp: P, dp: V" !1:2, %c axis "(dp,tp)", %r ref)
    -> "tp: R" !1:1 mesh "dp=2, tp=4:V" {
  slot %this this
  slot %w field %this "w": "tp: I" !2:2
b0:
  %5 = op add(self=%x !3:3, other=%w) into part %x @3:4
  %6 = all_reduce %5 !4:1 on %c from P !4:2 to R !4:3 with average expert @4:4
  %7 = view %x at _ @5:5
  %8 = element %x at %6
  require variable %6 "tp: R" of "w" !2:2 @6:6
  %9 = call @"g()"(%6, _) on %this @7:7
  havoc %w rebinds
  havoc %x over %c
  backward %6 @8:8
  %10 = gradient %w
  %12 = clear %w @9:9
  %11 = rank_of %c
  -> b1 b0
b1:
  return %9 @9:9
  ->
}
)ir";
  const auto Print = [](llvm::StringRef T) {
    auto M = parseModule(T, OpCatalogue::builtin());
    if (!M)
      return "error: " + llvm::toString(M.takeError());
    return printModule(*M);
  };
  const std::string Once = Print(Text);
  EXPECT_EQ(Print(Once), Once);
  EXPECT_NE(Once.find("all_reduce %5 !4:1"), std::string::npos) << Once;
}

TEST(IRText, ErrorsNameTheirPlace) {
  const auto Error = [](llvm::StringRef T) {
    auto M = parseModule(T, OpCatalogue::builtin());
    return M ? std::string() : llvm::toString(M.takeError());
  };
  EXPECT_EQ(Error("func @f( {"), "1:10: expected '%'");
  EXPECT_EQ(Error("func @f() {\nb0:\n  %0 = frobnicate\n}"),
            "3:8: expected a fact");
  EXPECT_EQ(Error("func @f() {\nb0:\n  -> b3\n}"),
            "3:3: expected a block of the function: there is no block b3");
  EXPECT_EQ(Error("func @f() {\nb0:\n  point p(%x)\n  ->\n}\n"),
            "3:13: no slot '%x'");
}

} // namespace
