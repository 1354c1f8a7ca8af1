//===- HazardTest.cpp - What comes too early ------------------------------===//

#include "Programs.h"

#include <gtest/gtest.h>

namespace spmd::collectives {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// One function with a buffer of four and a request.
class Requests : public testing::Test {
protected:
  const Expr *element(std::int64_t Index) {
    return S.P.element(Buffer, S.number(Index), false);
  }
  const Stmt *receive(std::int64_t At, std::int64_t Count) {
    Stmt Call = *S.call("MPI_Irecv", {S.P.address(element(At)), S.number(Count),
                                      nullptr, S.number(0), S.number(0),
                                      S.World, S.P.address(Request)});
    Call.What.PerCount = 1;
    return S.P.add(std::move(Call));
  }
  const Stmt *wait() { return S.call("MPI_Wait", {S.P.address(Request)}); }
  const Stmt *write(std::int64_t At) {
    return S.assign(element(At), S.number(1));
  }

  void define(Source::Body Statements) {
    Stmt All;
    All.Body = std::move(Statements);
    S.P.Functions.emplace_back();
    S.P.Functions.back().Body = S.P.add(std::move(All));
  }
  const Stmt *callOf(unsigned Function) {
    Expr E;
    E.Kind = ExprKind::Function;
    E.Number = Function;
    Stmt Call;
    Call.Kind = StmtKind::Call;
    Call.Value = S.P.add(std::move(E));
    return S.P.add(std::move(Call));
  }

  std::vector<std::string> check(Source::Body Statements) {
    define(std::move(Statements));
    return check();
  }
  std::vector<std::string> check() {
    S.P.Roots = {0};
    std::vector<std::string> Out;
    for (const Finding &F : findHazards(S.P, S.Stats)) {
      static constexpr const char *Names[] = {
          "read",        "written",   "freed", "gone",
          "overwritten", "restarted", "lost",  "open"};
      Out.push_back(Names[static_cast<unsigned>(F.Hazard)] + std::string(" ") +
                    std::to_string(F.At.Line));
    }
    return Out;
  }

  Source S;
  const Expr *Buffer = S.variable("x"), *Request = S.variable("r");
};

TEST_F(Requests, AreWaitedFor) {
  const auto *Begin = receive(0, 2), *End = wait();
  EXPECT_THAT(check({Begin, End, write(0)}), IsEmpty());
}

TEST_F(Requests, ElementsThatAreReceivedAreNotWritten) {
  const auto *Begin = receive(1, 2), *Below = write(0), *First = write(1);
  EXPECT_THAT(check({Begin, Below, First, wait()}), ElementsAre("written 3"));
}

TEST_F(Requests, ElementsBehindAreOthers) {
  const auto *Begin = receive(0, 2);
  EXPECT_THAT(check({Begin, write(2), wait()}), IsEmpty());
}

TEST_F(Requests, AreLostWithTheirFunction) {
  EXPECT_THAT(check({receive(0, 1)}), ElementsAre("lost 1"));
}

TEST_F(Requests, AreNotOverwritten) {
  const auto *First = receive(0, 1), *Second = receive(1, 1);
  EXPECT_THAT(check({First, Second, wait()}), ElementsAre("overwritten 2"));
}

TEST_F(Requests, MayBeCompletedOnOneWayOnly) {
  const auto *Begin = receive(0, 1);
  const Expr *If = S.P.load(S.variable("flag"));
  EXPECT_THAT(check({Begin, S.either(If, {wait()})}), ElementsAre("lost 1"));
}

TEST_F(Requests, BegunAndCompletedOnUnknownWaysMayGoTogether) {
  const auto *Begin = S.either(S.P.load(S.variable("some")), {receive(0, 1)});
  const auto *End = S.either(S.P.load(S.variable("other")), {wait()});
  EXPECT_THAT(check({Begin, End}), IsEmpty());
}

TEST_F(Requests, ThatAreHandedOnAreOthersToComplete) {
  Stmt Hand;
  Hand.Kind = StmtKind::Hand;
  Hand.Arguments = {S.P.address(Request)};
  const auto *Begin = receive(0, 1);
  EXPECT_THAT(check({Begin, S.P.add(std::move(Hand)), write(0)}), IsEmpty());
}

TEST_F(Requests, AreLookedAtInWhatALongFunctionCalls) {
  Source::Body Long, Called = {receive(0, 2), write(0), wait()};
  const Expr *Other = S.variable("y");
  for (unsigned I = 0; I != 70'000; ++I)
    Long.push_back(S.assign(Other, S.number(I)));
  Long.push_back(callOf(1));
  define(std::move(Long));
  define(std::move(Called));
  EXPECT_THAT(check(), ElementsAre("written 2"));
}

TEST_F(Requests, AreLookedAtBehindTheFirstOfManyChoices) {
  const auto *Begin = receive(0, 2), *Early = write(0), *End = wait();
  const auto *Choice = S.P.load(S.variable("c"));
  for (const bool IsThen : {true, false}) {
    Source::Body With = {Begin, Early, End}, Without;
    for (unsigned I = 0; I != 8; ++I)
      for (Source::Body *Of : {&With, &Without})
        Of->push_back(S.either(S.P.load(S.variable("c" + std::to_string(I))),
                               {S.assign(S.variable("y"), S.number(0))}));
    S.P.Functions.clear();
    EXPECT_THAT(check({IsThen ? S.either(Choice, With, Without)
                              : S.either(Choice, Without, With)}),
                ElementsAre("written 2"));
  }
}

} // namespace
} // namespace spmd::collectives
