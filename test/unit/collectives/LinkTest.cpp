//===- LinkTest.cpp - Effect programs of several files as one -------------===//

#include "Programs.h"

#include "spmd/collectives/Link.h"

#include <gtest/gtest.h>

namespace spmd::collectives {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// A file with one function that has a body, and calls of others by name.
struct File : Source {
  unsigned declare(llvm::StringRef Symbol) {
    P.Functions.emplace_back();
    P.Functions.back().Symbol = Symbol.str();
    return P.Functions.size() - 1;
  }
  const Stmt *callOf(unsigned Number) {
    Expr E;
    E.Kind = ExprKind::Function;
    E.Number = Number;
    Stmt S = make(StmtKind::Call);
    S.Value = P.add(std::move(E));
    return P.add(std::move(S));
  }
  void define(llvm::StringRef Symbol, Body Statements) {
    Function &F = P.Functions[declare(Symbol)];
    Before.insert(Before.end(), Statements.begin(), Statements.end());
    F.Body = sequence(std::move(Before));
  }
};

std::vector<std::string> linked(llvm::ArrayRef<const EffectProgram *> Files) {
  std::vector<unsigned> Sites;
  for (unsigned I = 0; I != Files.size(); ++I)
    Sites.push_back(1000 * I);
  const EffectProgram P = link(Files, Sites);
  std::vector<std::string> Out;
  Statistics Stats;
  for (const Finding &F : findMismatches(P, {}, Stats))
    Out.push_back(F.Call + " " + std::to_string(F.At.Id / 1000));
  return Out;
}

TEST(Link, CallsGetToOtherFiles) {
  File Barrier, Caller;
  Barrier.define("save", {Barrier.barrier()});
  const unsigned Save = Caller.declare("save");
  Caller.define("step",
                {Caller.either(Caller.equal(Caller.rank(), Caller.number(0)),
                               {Caller.callOf(Save)})});
  EXPECT_THAT(linked({&Barrier.P, &Caller.P}), ElementsAre("MPI_Barrier 0"));
  EXPECT_THAT(linked({&Caller.P, &Barrier.P}), ElementsAre("MPI_Barrier 1"));
  EXPECT_THAT(linked({&Caller.P}), IsEmpty());
}

TEST(Link, WhatSeveralFilesDefineLeadsNowhere) {
  File One, Other, Caller;
  One.define("save", {One.barrier()});
  Other.define("save", {});
  const unsigned Save = Caller.declare("save");
  Caller.define("step",
                {Caller.either(Caller.equal(Caller.rank(), Caller.number(0)),
                               {Caller.callOf(Save)})});
  EXPECT_THAT(linked({&One.P, &Other.P, &Caller.P}), IsEmpty());
}

TEST(Link, SharedCodeIsOne) {
  File One, Other;
  One.define("inline", {One.barrier()});
  One.P.Functions.back().IsShared = true;
  Other.define("inline", {Other.barrier()});
  Other.P.Functions.back().IsShared = true;
  const EffectProgram P = link({&One.P, &Other.P}, {0, 1000});
  EXPECT_THAT(P.Functions, SizeIs(1));
  EXPECT_THAT(P.Roots, ElementsAre(0));
}

TEST(Link, AGlobalIsOne) {
  File One, Other;
  One.P.Variables[0].Symbol = Other.P.Variables[0].Symbol = "rank";
  const EffectProgram P = link({&One.P, &Other.P}, {0, 1000});
  EXPECT_THAT(P.Variables, SizeIs(3));
}

} // namespace
} // namespace spmd::collectives
