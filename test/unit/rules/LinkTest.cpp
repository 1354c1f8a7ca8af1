//===- LinkTest.cpp - Several modules as one program ----------------------===//

#include "spmd/ir/Link.h"
#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"

#include "gmock/gmock.h"

using namespace spmd::rules;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

struct Unit {
  Module M;
  Linkages Symbols;
};

class Link : public testing::Test {
protected:
  Unit &add(llvm::StringRef Text) {
    llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
    EXPECT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
    Units.push_back(std::make_unique<Unit>());
    Units.back()->M = std::move(*M);
    return *Units.back();
  }

  Program link() {
    std::vector<LinkUnit> Parts;
    for (const auto &U : Units)
      Parts.push_back({&U->M, &U->Symbols, {}});
    return linkModules(std::move(Parts));
  }

  /// "add in f" per finding.
  std::vector<std::string> infer() {
    const Program P = link();
    std::vector<std::string> Out;
    for (const Violation &V : inferModule(P.M, {}).Violations)
      Out.push_back(V.Op + " in " + V.In->DisplayName);
    return Out;
  }

  std::string text() { return printModule(link().M); }

  void addVirtualCaller();

  std::vector<std::unique_ptr<Unit>> Units;
};

/// What lowering leaves for a function that another file may define.
const char *const AssumedScale = R"(
func @scale(%x ref) {
  slot %r local
b0:
  havoc %x rebinds
  return %r
}
)";

const char *const Caller = R"(
func @caller(%p: "tp: P", %tp axis "tp") {
  slot %y local
b0:
  %y = call @scale(%p)
  %1 = op relu(%y)
  return %1
}
)";

TEST_F(Link, CallsReachTheBodyInAnotherFile) {
  Unit &A = add(std::string(Caller) + AssumedScale);
  A.Symbols["scale"].Assumed = true;
  EXPECT_THAT(infer(), IsEmpty());
  add("func @scale(%x) {\nb0:\n  %1 = op neg(%x)\n  return %1\n}\n");
  EXPECT_THAT(infer(), ElementsAre("relu in caller"));
}

TEST_F(Link, WhatNoFileDefinesMayDoAnything) {
  Unit &A = add(std::string(Caller) + AssumedScale);
  A.Symbols["scale"].Assumed = true;
  EXPECT_THAT(text(), HasSubstr("havoc %p.0 rebinds"));
  EXPECT_THAT(text(), HasSubstr("%y.2 = unknown"));
  EXPECT_THAT(text(), Not(HasSubstr("@scale")));
}

TEST_F(Link, TwoDefinitionsOfOneNameAreNeither) {
  const char *const Twice =
      "func @scale(%x) {\nb0:\n  %1 = op neg(%x)\n  return %1\n}\n";
  Unit &A = add(std::string(Caller) + AssumedScale);
  A.Symbols["scale"].Assumed = true;
  add(Twice);
  add(Twice);
  EXPECT_THAT(infer(), IsEmpty());
  // An inline function is the same one in every file.
  Units[1]->Symbols["scale"].K = Units[2]->Symbols["scale"].K =
      Linkage::Kind::Shared;
  EXPECT_THAT(infer(), ElementsAre("relu in caller"));
}

TEST_F(Link, LocalFunctionsStayInTheirFile) {
  Unit &A = add(std::string(Caller) +
                "func @scale(%x) {\nb0:\n  %1 = op neg(%x)\n  return %1\n}\n");
  A.Symbols["scale"].K = Linkage::Kind::Local;
  Unit &B = add("func @scale(%x) {\nb0:\n  return _\n}\n");
  B.Symbols["scale"].K = Linkage::Kind::Local;
  EXPECT_THAT(infer(), ElementsAre("relu in caller"));
}

TEST_F(Link, AContractIsBetterThanAnAssumption) {
  Unit &A = add(std::string(Caller) + AssumedScale);
  A.Symbols["scale"].Assumed = true;
  add("func @scale(%x: \"tp: R\") trusted {\n}\n");
  EXPECT_THAT(infer(), ElementsAre("x in caller"));
}

/// A virtual call on `object`, and what it is bound to at run time.
const char *const VirtualCaller = R"(
func @caller(%object, %p: "tp: P", %tp axis "tp") {
  slot %y local
b0:
  %y = call @"Base@F@f virtual"(%p) on %object
  %1 = op relu(%y)
  return %1
}
func @"Base@F@f virtual"(%x) {
  slot %this this
  slot %r local
b0:
  return %r
}
)";

void Link::addVirtualCaller() {
  Linkage &Dispatch = add(VirtualCaller).Symbols["Base@F@f virtual"];
  Dispatch.Assumed = true;
  Dispatch.DispatchOf = "Base@F@f";
}

TEST_F(Link, AVirtualCallReachesAllThatOverride) {
  addVirtualCaller();
  EXPECT_THAT(infer(), IsEmpty());

  const auto Method = [](const char *Class, const char *Body) {
    return "func @\"" + std::string(Class) + "@F@f\"(%x) {\n" +
           "  slot %this this\nb0:\n" + Body + "}\n";
  };
  Unit &B = add(Method("One", "  return %x\n"));
  B.Symbols["One@F@f"].Overrides = {"Base@F@f"};
  EXPECT_THAT(infer(), ElementsAre("relu in caller"));

  // One of them reduces: P on one path only.
  Unit &C = add("func @\"Two@F@f\"(%x, %tp axis \"tp\") {\n  slot %this this\n"
                "b0:\n  %3 = all_reduce %x on %tp from P to R\n  return %3\n}");
  C.Symbols["Two@F@f"].Overrides = {"Base@F@f"};
  EXPECT_THAT(infer(), IsEmpty());
}

TEST_F(Link, WhatAVirtualCallDoesToAFieldIsSeenInTheObject) {
  add(R"(
func @caller(%object, %p: "tp: P", %tp axis "tp") {
  slot %w field %object "One::w"
b0:
  %w = bind %p
  call @"Base@F@f virtual"() on %object
  %4 = op relu(%w)
  return %4
}
func @"Base@F@f virtual"() {
  slot %this this
b0:
  return _
}
)");
  Linkage &Dispatch = Units[0]->Symbols["Base@F@f virtual"];
  Dispatch.Assumed = true;
  Dispatch.DispatchOf = "Base@F@f";
  Unit &B = add(R"(
func @"One@F@f"() {
  slot %this this
  slot %tp field %this tp axis "tp"
  slot %w field %this "One::w"
b0:
  %w = all_reduce %w on %tp from P to R
  return _
}
)");
  B.Symbols["One@F@f"].Overrides = {"Base@F@f"};
  EXPECT_THAT(infer(), IsEmpty());
}

TEST_F(Link, WhatDoesNotFitOneOfManyMethodsNeedNotReachIt) {
  addVirtualCaller();
  Unit &B = add("func @\"One@F@f\"(%x) {\n  slot %this this\nb0:\n"
                "  %2 = op relu(%x)\n  return %2\n}\n");
  B.Symbols["One@F@f"].Overrides = {"Base@F@f"};
  EXPECT_THAT(infer(), ElementsAre("relu in One@F@f"));
  Unit &C = add("func @\"Two@F@f\"(%x, %tp axis \"tp\") {\n  slot %this this\n"
                "b0:\n  %3 = all_reduce %x on %tp from P to R\n  return %3\n}");
  C.Symbols["Two@F@f"].Overrides = {"Base@F@f"};
  EXPECT_THAT(text(), HasSubstr("choice"));
  // Where One is never right, it is never meant, or wrong.
  EXPECT_THAT(infer(), ElementsAre("relu in One@F@f"));
  add("func @other(%object, %p: \"tp: R\") {\nb0:\n"
      "  call @\"One@F@f\"(%p) on %object\n  return _\n}\n");
  EXPECT_THAT(infer(), IsEmpty());
}

TEST_F(Link, AnOverrideThatNoFileDefinesMayDoAnything) {
  addVirtualCaller();
  Unit &B = add("func @\"One@F@f\"(%x) {\n  slot %this this\nb0:\n"
                "  return %x\n}\nfunc @\"Two@F@f\"(%x) {\n  slot %this this\n"
                "  slot %r local\nb0:\n  return %r\n}\n");
  B.Symbols["One@F@f"].Overrides = {"Base@F@f"};
  EXPECT_THAT(infer(), ElementsAre("relu in caller"));
  B.Symbols["Two@F@f"].Overrides = {"Base@F@f"};
  B.Symbols["Two@F@f"].Assumed = true;
  EXPECT_THAT(infer(), IsEmpty());
}

TEST_F(Link, GlobalsOfOneNameAreToldApart) {
  const auto User = [](const char *Name, const char *Which, const char *Do) {
    return "func @" + std::string(Name) + "(%x) {\n  slot %cache global as \"" +
           Which + "\"\nb0:\n" + Do + "}\n";
  };
  add(User("use", "one", "  %2 = op relu(%cache)\n  return _\n"));
  add(User("fill", "two", "  %cache = bind %x\n  return _\n"));
  add("func @caller(%p: \"tp: P\", %tp axis \"tp\") {\nb0:\n"
      "  call @fill(%p)\n  call @use(%p)\n  return _\n}\n");
  EXPECT_THAT(infer(), IsEmpty());
  Units[0] = nullptr;
  Units.erase(Units.begin());
  add(User("use", "two", "  %2 = op relu(%cache)\n  return _\n"));
  EXPECT_THAT(infer(), ElementsAre("relu in use"));
}

TEST_F(Link, AStructPassedByValueIsTheCalleesOwn) {
  const auto Reduce = [](const char *How) {
    return "func @reduce(%s " + std::string(How) +
           ", %tp axis \"tp\") {\n  slot %a field %s a\nb0:\n"
           "  %a = all_reduce %a on %tp from P to R\n  return _\n}\n";
  };
  add(R"(
func @caller(%s, %p: "tp: P", %tp axis "tp") {
  slot %a field %s a
b0:
  %a = bind %p
  call @reduce(%s, %tp)
  %4 = op relu(%a)
  return _
}
)");
  add(Reduce("ref"));
  EXPECT_THAT(infer(), IsEmpty());
  Units.pop_back();
  add(Reduce("inplace"));
  EXPECT_THAT(infer(), ElementsAre("relu in caller"));
}

TEST_F(Link, AReturnedStructBringsItsFields) {
  add(R"(
func @make(%p: "tp: P") {
  slot %s local
  slot %a field %s a
  slot %result result
b0:
  %a = bind %p
  %result = bind %s
  return %s
}
func @caller(%p: "tp: P", %tp axis "tp") {
  slot %t temp
  slot %s local
  slot %a field %s a
b0:
  %t = call @make(%p)
  %s = bind %t
  %5 = op relu(%a)
  ->
}
)");
  EXPECT_THAT(infer(), ElementsAre("relu in caller"));
}

} // namespace
