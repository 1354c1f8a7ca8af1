//===- Programs.h - Small effect programs, written by hand ------*- C++ -*-===//

#ifndef SPMD_UNIT_COLLECTIVES_PROGRAMS_H
#define SPMD_UNIT_COLLECTIVES_PROGRAMS_H

#include "spmd/collectives/Finding.h"

#include <gmock/gmock.h>

namespace spmd::collectives {

/// One function that has `rank` and `size`; statements get the lines 1, 2, ….
class Source {
public:
  using Body = std::vector<const Stmt *>;

  Source() {
    Rank = variable("rank");
    Size = variable("size");
    World = P.name("MPI_COMM_WORLD", rules::CallConstant::World);
    Line = 100;
    Before = {call("MPI_Comm_rank", {World, P.address(Rank)}),
              call("MPI_Comm_size", {World, P.address(Size)})};
    Line = 0;
  }

  const Expr *rank() { return P.load(Rank); }
  const Expr *size() { return P.load(Size); }
  const Expr *number(std::int64_t N) { return P.integer(N); }
  const Expr *less(const Expr *A, const Expr *B) {
    return P.binary(Operator::Less, A, B);
  }
  const Expr *equal(const Expr *A, const Expr *B) {
    return P.binary(Operator::Equal, A, B);
  }
  const Expr *odd() { return P.binary(Operator::Remainder, rank(), number(2)); }

  /// The arguments by the roles of the call; null for what does not matter.
  const Stmt *call(llvm::StringRef Name, std::vector<const Expr *> Arguments) {
    Stmt S = make(StmtKind::Event);
    S.What.Call = rules::CollectiveApis::builtin().find(Name);
    S.What.Name = Name.str();
    for (unsigned I = 0; I != Arguments.size(); ++I)
      if (Arguments[I])
        S.What.Arguments.emplace_back(S.What.Call->Arguments[I], Arguments[I]);
    return P.add(std::move(S));
  }
  const Stmt *barrier() { return call("MPI_Barrier", {World}); }
  const Stmt *broadcast(const Expr *Root) {
    return call("MPI_Bcast", {nullptr, nullptr, nullptr, Root, World});
  }
  const Stmt *either(const Expr *If, Body Then, Body Else = {}) {
    Stmt S = make(StmtKind::If);
    S.Value = If;
    S.Body = {sequence(std::move(Then)), sequence(std::move(Else))};
    return P.add(std::move(S));
  }
  const Stmt *repeat(const Expr *While, Body Do) {
    Stmt S = make(StmtKind::Loop);
    S.Value = While;
    S.Body = {sequence({}), sequence(std::move(Do)), sequence({})};
    return P.add(std::move(S));
  }
  const Stmt *assign(const Expr *Into, const Expr *V) {
    Stmt S = make(StmtKind::Assign);
    S.Target = Into;
    S.Value = V;
    return P.add(std::move(S));
  }
  const Stmt *leave() { return P.add(make(StmtKind::Return)); }
  const Stmt *breakOut() { return P.add(make(StmtKind::Break)); }
  const Stmt *stop() { return P.add(make(StmtKind::Stop)); }
  const Stmt *opaque(llvm::StringRef Name) {
    Stmt S = make(StmtKind::Opaque);
    S.Name = Name.str();
    return P.add(std::move(S));
  }
  const Expr *variable(llvm::StringRef Name) {
    Variable V;
    V.Name = Name.str();
    return P.variable(P.addVariable(std::move(V)));
  }

  /// "divergent 3 MPI_Barrier" for each finding.
  std::vector<std::string> check(Body Statements) {
    Before.insert(Before.end(), Statements.begin(), Statements.end());
    P.Functions.emplace_back();
    P.Functions.back().Body = sequence(std::move(Before));
    P.Functions.back().IsMain = IsMain;
    P.Roots = {0};
    std::vector<std::string> Out;
    for (const Finding &F : findMismatches(P, {}, Stats)) {
      static constexpr const char *Names[] = {"divergent", "order", "metadata",
                                              "argument"};
      static constexpr const char *Arguments[] = {"root",
                                                  "buffer",
                                                  "null communicator",
                                                  "null datatype",
                                                  "null reduction",
                                                  "count",
                                                  "tag",
                                                  "rank"};
      Out.push_back(Names[static_cast<unsigned>(F.Kind)] + std::string(" ") +
                    std::to_string(F.At.Line) + " " + F.Call +
                    (F.Differs.empty() ? "" : " " + F.Differs) +
                    (F.Kind == FindingKind::Argument
                         ? " " + std::string(Arguments[unsigned(F.Argument)])
                         : ""));
      Witness = F.Witness;
    }
    return Out;
  }

  EffectProgram P;
  const Expr *World;
  Statistics Stats;
  std::string Witness;
  bool IsMain = true;

protected:
  Stmt make(StmtKind K) {
    Stmt S;
    S.Kind = K;
    ++Line;
    S.At = {Line, Line};
    return S;
  }
  const Stmt *sequence(Body B) {
    Stmt S;
    S.Body = std::move(B);
    return P.add(std::move(S));
  }

  const Expr *Rank, *Size;
  unsigned Line = 0;
  Body Before;
};

using Found = std::vector<std::string>;

} // namespace spmd::collectives

#endif // SPMD_UNIT_COLLECTIVES_PROGRAMS_H
