//===- ObjectTest.cpp - Several names of one object -----------------------===//

#include "spmd/inference/Inference.h"
#include "spmd/ir/IRText.h"
#include "spmd/ir/Link.h"

#include "gmock/gmock.h"

using namespace spmd::rules;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

Program link(const Module &M) {
  const LinkUnit Unit{&M, nullptr, {}};
  return linkModules({Unit});
}

Module parse(llvm::StringRef Text) {
  llvm::Expected<Module> M = parseModule(Text, OpCatalogue::builtin());
  EXPECT_TRUE(static_cast<bool>(M)) << llvm::toString(M.takeError());
  return M ? std::move(*M) : Module();
}

/// "relu in f" per finding.
std::vector<std::string> infer(llvm::StringRef Text) {
  const Module M = parse(Text);
  const Program P = link(M);
  std::vector<std::string> Out;
  for (const Violation &V : inferModule(P.M, {}).Violations)
    Out.push_back(V.Op + " in " + V.In->DisplayName);
  return Out;
}

//===--- Names ------------------------------------------------------------===//

/// A class that keeps a reference to a `t`, of which only methods use `t.w`.
const char *const Holder = R"(
func @Holder(%t ref owned) constructor {
  slot %this this
  slot %m field %this t
b0:
  %m = refer %t
  ->
}
func @use() {
  slot %this this
  slot %m field %this t
  slot %w field %m w
b0:
  %3 = op relu(%w)
  ->
}
func @reduceInPlace(%c axis "tp") {
  slot %this this
  slot %m field %this t
  slot %w field %m w
b0:
  all_reduce %w on %c into %w
  ->
}
func @replace(%c axis "tp") {
  slot %this this
  slot %m field %this t
  slot %w field %m w
b0:
  %4 = all_reduce %w on %c from P to R
  %w = bind %4
  ->
}
)";

std::vector<std::string> withHolder(llvm::StringRef Body) {
  return infer((llvm::Twine(Holder) +
                "func @caller(%p: \"tp: P\", %c axis \"tp\") {\n"
                "  slot %t local\n  slot %w field %t w\n"
                "  slot %o temp\n  slot %h local\nb0:\n  %w = bind %p\n"
                "  %o = undefined\n  call @Holder(%t) on %o\n"
                "  %h = bind %o\n" +
                Body + "  ->\n}\n")
                   .str());
}

TEST(Objects, AReferenceMemberNamesTheArgument) {
  EXPECT_THAT(withHolder("  call @use() on %h\n"), ElementsAre("relu in use"));
}

TEST(Objects, WhatIsWrittenThroughOneNameIsReadThroughTheOther) {
  EXPECT_THAT(withHolder("  %6 = op relu(%w)\n"),
              ElementsAre("relu in caller"));
  EXPECT_THAT(withHolder("  call @reduceInPlace(%c) on %h\n"
                         "  %6 = op relu(%w)\n"),
              IsEmpty());
}

TEST(Objects, WhatIsReplacedThroughOneNameIsReadThroughTheOther) {
  EXPECT_THAT(withHolder("  call @replace(%c) on %h\n"
                         "  %6 = op relu(%w)\n"),
              IsEmpty());
  EXPECT_THAT(withHolder("  %6 = all_reduce %w on %c from P to R\n"
                         "  %w = bind %6\n  call @use() on %h\n"),
              IsEmpty());
}

/// A function over two structs and a pointer to either.
std::vector<std::string> withPointer(llvm::StringRef Body) {
  return infer(("func @f(%x: \"tp: P\", %y: \"tp: P\", %c axis \"tp\") {\n"
                "  slot %a local\n  slot %aw field %a w\n  slot %b local\n"
                "  slot %bw field %b w\n  slot %p local\n"
                "  slot %pw field %p w\nb0:\n  %aw = bind %x\n"
                "  %bw = bind %y\n" +
                Body + "}\n")
                   .str());
}

TEST(Objects, APointerNamesWhatItPointsToLast) {
  const std::string Replace = "  %9 = all_reduce %pw on %c from P to R\n"
                              "  %pw = bind %9\n";
  EXPECT_THAT(withPointer("  %p = refer %a\n" + Replace +
                          "  %10 = op relu(%aw)\n  ->\n"),
              IsEmpty());
  EXPECT_THAT(withPointer("  %p = refer %a\n  %p = refer %b\n" + Replace +
                          "  %10 = op relu(%bw)\n  %11 = op neg(%aw)\n"
                          "  %12 = op gelu(%aw)\n  ->\n"),
              ElementsAre("gelu in f"));
  // A copy is another object.
  EXPECT_THAT(withPointer("  %p = bind %a\n" + Replace +
                          "  %10 = op relu(%aw)\n  ->\n"),
              ElementsAre("relu in f"));
}

TEST(Objects, WhatEitherOfTwoMayBeIsNotKnown) {
  EXPECT_THAT(withPointer("  -> b1 b2\nb1:\n  %p = refer %a\n  -> b3\nb2:\n"
                          "  %p = refer %b\n  -> b3\nb3:\n"
                          "  %9 = all_reduce %pw on %c from P to R\n"
                          "  %pw = bind %9\n  %10 = op relu(%aw)\n"
                          "  %11 = op relu(%bw)\n  %12 = op relu(%pw)\n  ->\n"),
              IsEmpty());
}

TEST(Objects, LinkedStructuresEnd) {
  const Module M = parse(R"(
func @last(%head) {
  slot %n local
  slot %next field %n next
  slot %w field %n w
  slot %hw field %head w
b0:
  %n = refer %head
  -> b1
b1:
  %n = refer %next
  -> b1 b2
b2:
  %5 = op relu(%w)
  ->
}
)");
  const Program P = link(M);
  EXPECT_LT(P.M.Functions.front()->Slots.size(), 40u);
}

//===--- Ends -------------------------------------------------------------===//

/// A buffer of which each rank updates a part, and what makes it whole again.
const char *const Buffer = R"(
func @Buffer() constructor {
  slot %this this
  slot %v field %this v: "dp: R"
b0:
  %v = undefined
  %2 = unknown
  %3 = op neg(%2) into %v
  ->
}
func @update(%g: "dp: V", %r: "dp: V") {
  slot %this this
  slot %v field %this v: "dp: R"
  slot %own local
b0:
  %5 = view %v at %r
  %own = bind %5
  %6 = op neg(%g) into %own @7:1
  ->
}
func @look(%b ref owned) {
b0:
  ->
}
func @take(%b) {
b0:
  ->
}
)";

const char *const Gathering = R"(
func @gather(%c axis "dp") {
  slot %this this
  slot %v field %this v: "dp: R"
b0:
  all_gather %v on %c into %v
  ->
}
)";

std::vector<std::string> withBuffer(llvm::StringRef Body,
                                    llvm::StringRef Owned = " owned") {
  // By itself it would gather what is declared to be whole.
  const bool Gathers = Body.contains("@gather");
  return infer((llvm::Twine(Buffer) + (Gathers ? Gathering : "") +
                "func @train(%g: \"dp: V\", %r: \"dp: V\", %c axis \"dp\", "
                "%out) {\n  slot %b local" +
                Owned +
                "\n  slot %v field %b v: \"dp: R\"\n"
                "  slot %kept field %out v\n  slot %o temp\nb0:\n"
                "  %o = undefined\n  call @Buffer() on %o\n  %b = bind %o\n" +
                Body +
                "}\nfunc @main(%g: \"dp: V\", %r: \"dp: V\", %c axis "
                "\"dp\", %out) {\nb0:\n"
                "  call @train(%g, %r, %c, %out)\n  ->\n}\n")
                   .str());
}

const std::string Update = "  call @update(%g, %r) on %b\n";
const std::string Gather = "  call @gather(%c) on %b\n";

TEST(Objects, WhatIsDeclaredTheSameIsSoWhenItsObjectEnds) {
  EXPECT_THAT(withBuffer(Update + "  ->\n"), ElementsAre("v in update"));
  EXPECT_THAT(withBuffer(Update + Gather + "  ->\n"), IsEmpty());
  EXPECT_THAT(withBuffer("  call @look(%b)\n" + Update + "  ->\n"),
              ElementsAre("v in update"));
}

TEST(Objects, TheEndOfALoopMayBeTheEnd) {
  const auto Loop = [](const std::string &Body, const std::string &After) {
    return withBuffer("  -> b1\nb1:\n  -> b2 b3\nb2:\n" + Body +
                      "  -> b1\nb3:\n" + After + "  ->\n");
  };
  EXPECT_THAT(Loop(Update, ""), ElementsAre("v in update"));
  EXPECT_THAT(Loop(Update + Gather, ""), IsEmpty());
  EXPECT_THAT(Loop(Update, Gather), IsEmpty());
  // Made whole before each use: what the last round leaves is of no use.
  EXPECT_THAT(Loop(Gather + Update, ""), IsEmpty());
}

TEST(Objects, AtAnyDoubtNothingIsSaid) {
  // One branch makes it whole, and may be the one that counts.
  EXPECT_THAT(withBuffer(Update + "  -> b1 b2\nb1:\n" + Gather +
                         "  -> b2\nb2:\n  ->\n"),
              IsEmpty());
  EXPECT_THAT(withBuffer("  -> b1 b2\nb1:\n" + Update +
                         "  -> b2\nb2:\n  -> b3 b4\nb3:\n" + Gather +
                         "  -> b4\nb4:\n  ->\n"),
              IsEmpty());
  // The object, or what it holds, is seen elsewhere.
  EXPECT_THAT(withBuffer(Update + "  return %b\n  ->\n"), IsEmpty());
  EXPECT_THAT(withBuffer(Update + "  return %v\n  ->\n"), IsEmpty());
  EXPECT_THAT(withBuffer("  %kept = bind %v\n" + Update + "  ->\n"), IsEmpty());
  EXPECT_THAT(withBuffer("  call @take(%b)\n" + Update + "  ->\n"), IsEmpty());
  EXPECT_THAT(withBuffer(Update + "  ->\n", ""), IsEmpty());
  // Paths that never return see no end.
  EXPECT_THAT(withBuffer("  -> b1 b2\nb1:\n" + Update +
                         "  -> b3\nb2:\n  ->\nb3:\n  -> b3\n"),
              IsEmpty());
}

/// Scratch that one function sums into is what another lets the ranks meet on.
std::string scratchThen(llvm::StringRef Second) {
  return ("func @sum(%c axis \"tp\") {\n  slot %this this\n"
          "  slot %s field %this s\n  slot %p local\nb0:\n"
          "  all_reduce %s on %c into %s\n  ->\n}\n"
          "func @again(%c axis \"tp\") {\n  slot %this this\n"
          "  slot %s field %this s\nb0:\n" +
          Second +
          "  ->\n}\n"
          "func @caller(%p: \"tp: P\", %c axis \"tp\") {\n"
          "  slot %o local\n  slot %s field %o s\nb0:\n  %s = bind %p\n"
          "  call @sum(%c) on %o\n  call @again(%c) on %o\n  ->\n}\n")
      .str();
}

TEST(Objects, AnAllReduceOfOldScratchMayBeABarrier) {
  EXPECT_THAT(infer(scratchThen("  all_reduce %s on %c few into %s\n")),
              IsEmpty());
  // Nobody sums many elements to wait for others.
  EXPECT_THAT(infer(scratchThen("  all_reduce %s on %c into %s\n")),
              ElementsAre("all_reduce in again"));
  // Its value is wanted, or it is gathered.
  EXPECT_THAT(infer(scratchThen("  %3 = all_reduce %s on %c from P to R\n")),
              ElementsAre("all_reduce in again"));
  EXPECT_THAT(infer(scratchThen("  all_gather %s on %c into %s\n")),
              ElementsAre("all_gather in again"));
}

} // namespace
