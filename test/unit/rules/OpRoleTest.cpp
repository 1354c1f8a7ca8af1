//===- OpRoleTest.cpp - What ops compute, beyond their class --------------===//

#include "spmd/ops/OpRole.h"
#include "spmd/ops/OpCatalogue.h"
#include "spmd/ops/OpExplain.h"
#include "spmd/ops/ScalarRules.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// The errors of one entry that begins with its op; empty when it is right.
std::string read(const std::string &Entry) {
  OpCatalogue C;
  return llvm::toString(C.addYAML({"- op: " + Entry, "ops.yaml"}));
}

TEST(OpRole, EachIsReadByItsName) {
  for (OpRole R : allOpRoles()) {
    EXPECT_EQ(llvm::cantFail(parseOpRole(opRoleName(R))), R);
    EXPECT_FALSE(opRoleMeaning(R).empty());
    EXPECT_TRUE(OpRoles{R}.contains(R));
    EXPECT_EQ(printOpRoles({R}), opRoleName(R));
  }
  EXPECT_EQ(allOpRoles().size(), NumOpRoles);
  EXPECT_EQ(printOpRoles({OpRole::Adds, OpRole::Copies}), "copies, adds");
}

TEST(OpRole, ErrorsNameTheNearest) {
  EXPECT_EQ(read("f\n  operands: x, y\n  rule: linear(x, y)\n  roles: add\n"),
            "ops.yaml:4:10: error: unknown role 'add'; the nearest is 'adds'");
  EXPECT_EQ(read("[f, g]\n  operands: x\n  rule: linear(x)\n"
                 "  roles: {f: copies, h: copies}\n"),
            "ops.yaml:4:22: error: unknown op of this entry 'h'");
}

TEST(OpRole, ARoleFitsTheRule) {
  const std::string Operands = "f\n  operands: x, y\n";
  EXPECT_EQ(read(Operands + "  rule: nonlinear(x, y)\n  roles: adds\n"),
            "ops.yaml:4:10: error: an op that adds has a rule 'linear(…)'");
  EXPECT_EQ(read(Operands + "  rule: linear(x, y)\n  roles: [adds, "
                            "multiplies]\n"),
            "ops.yaml:4:17: error: an op that multiplies has a rule "
            "'multilinear(…)'");
  EXPECT_EQ(read("f\n  operands: x\n  rule: selector(x)\n"
                 "  roles: compares_equal\n"),
            "ops.yaml:4:10: error: an op that compares_equal has two operands");
  EXPECT_EQ(read("f\n  operands: x\n  rule: linear(x)\n"
                 "  roles: keeps_elements\n"),
            "ops.yaml:4:10: error: an op that keeps_elements has the key "
            "'views'");
}

TEST(OpRole, EachOpOfAnEntryHasItsOwn) {
  OpCatalogue C;
  ASSERT_EQ(llvm::toString(C.addYAML({"- op: [f, g, h]\n"
                                      "  operands: x, y\n"
                                      "  rule: linear(x, y)\n"
                                      "  roles: {f: adds, g: [subtracts]}\n",
                                      "ops.yaml"})),
            "");
  EXPECT_EQ(C.rule("f")->Roles, OpRoles{OpRole::Adds});
  EXPECT_EQ(C.rule("g")->Roles, OpRoles{OpRole::Subtracts});
  EXPECT_TRUE(C.rule("h")->Roles.empty());
}

TEST(OpRole, TheLanguageHasThemToo) {
  const ScalarRules &Of = ScalarRules::get();
  EXPECT_TRUE(Of.Copy.is(OpRole::Copies));
  EXPECT_TRUE(Of.Unequal.is(OpRole::ComparesUnequal));
  EXPECT_TRUE(Of.Math.Roles.empty());
  for (const OpRule *R :
       {&Of.Copy, &Of.Add, &Of.Sub, &Of.Mul, &Of.Equal, &Of.Unequal, &Of.Not}) {
    EXPECT_FALSE(R->Roles.empty()) << R->Name;
    EXPECT_EQ(roleMisfit(*R), "");
  }
}

TEST(OpRole, IsExplained) {
  const OpCatalogue &Ops = OpCatalogue::builtin();
  const std::string Add = llvm::cantFail(explainOp(Ops, "at::add"));
  EXPECT_NE(Add.find("\n  adds: the result is the first operand plus the "
                     "second, which a third may scale\n"),
            std::string::npos)
      << Add;
  EXPECT_EQ(llvm::cantFail(explainOp(Ops, "at::matmul")).find("multiplies"),
            std::string::npos);
  std::string List;
  llvm::raw_string_ostream OS(List);
  listRules(Ops, OS);
  EXPECT_NE(List.find("    roles: subtracts\n"), std::string::npos);
}

} // namespace
