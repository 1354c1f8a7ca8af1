//===- Mpi.cpp - MPI ------------------------------------------------------===//

#include "../CallSite.h"

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// MPI's constants are macros over casts that differ between implementations,
/// some by other macros: their name is what is portable.
static llvm::StringRef spelling(const FunctionLowering &L, const Expr *E) {
  const SourceManager &SM = L.context().getSourceManager();
  const LangOptions &Options = L.context().getLangOpts();
  SourceLocation Begin = E->getBeginLoc();
  while (Begin.isMacroID()) {
    if (!SM.isMacroBodyExpansion(Begin)) {
      Begin = SM.getImmediateSpellingLoc(Begin);
      continue;
    }
    const llvm::StringRef Name =
        Lexer::getImmediateMacroName(Begin, SM, Options);
    if (Name.starts_with("MPI_"))
      return Name;
    Begin = SM.getImmediateExpansionRange(Begin).getBegin();
  }
  const CharSourceRange R = CharSourceRange::getTokenRange(E->getSourceRange());
  return Lexer::getSourceText(R, SM, Options);
}

static ReductionKind reduction(llvm::StringRef Name) {
  return llvm::StringSwitch<ReductionKind>(Name)
      .Case("MPI_SUM", ReductionKind::Sum)
      .Cases(
          {"MPI_MAX", "MPI_MIN", "MPI_LAND", "MPI_LOR", "MPI_BAND", "MPI_BOR"},
          ReductionKind::Idempotent)
      .Cases({"MPI_PROD", "MPI_BXOR", "MPI_LXOR", "MPI_MAXLOC", "MPI_MINLOC"},
             ReductionKind::Other)
      .Default(ReductionKind::Unknown);
}

namespace {
struct Signature {
  const char *Name; ///< without MPI_ and the I of non-blocking calls
  TransferKind K;
  int Send, Recv, Op, Comm;
};
} // namespace

static constexpr Signature Signatures[] = {
    {"allreduce", TransferKind::AllReduce, 0, 1, 4, 5},
    {"reduce_scatter", TransferKind::ReduceScatter, 0, 1, 4, 5},
    {"reduce_scatter_block", TransferKind::ReduceScatter, 0, 1, 4, 5},
    {"allgather", TransferKind::AllGather, 0, 3, -1, 6},
    {"allgatherv", TransferKind::AllGather, 0, 3, -1, 7},
    {"alltoall", TransferKind::AllToAll, 0, 3, -1, 6},
    {"alltoallv", TransferKind::AllToAll, 0, 4, -1, 8},
    {"bcast", TransferKind::Broadcast, 0, 0, -1, 4},
    {"reduce", TransferKind::Reduce, 0, 1, 4, 6},
};

/// The communicator that \p E names. The ranks of the world differ along all
/// axes of the mesh in force, unless it is said to span some.
static SlotId communicator(FunctionLowering &L, const Expr *E) {
  const SlotId S = L.value(E);
  if (spelling(L, E) != "MPI_COMM_WORLD" ||
      (S != SlotId::None && !L.slot(S).DeclaredAxes.empty()))
    return S;
  std::vector<std::string> Names;
  if (const MeshSpec *Mesh = L.module().annotations().meshInForce(L.function()))
    for (const MeshAxis &A : Mesh->Axes)
      if (A.Of.empty())
        Names.push_back(A.Name);
  return Names.empty() ? S : L.defineAxes(E, std::move(Names));
}

Recognised lowerMpiCall(FunctionLowering &L, const CallSite &C) {
  llvm::StringRef Name(C.Name);
  if (!Name.consume_front("MPI_") && !Name.consume_front("PMPI_"))
    return std::nullopt;
  std::string Base = Name.lower();
  auto Arg = [&](int I) {
    const Expr *E = I < 0 ? nullptr : C.argument(static_cast<unsigned>(I));
    if (!E || spelling(L, E) == "MPI_IN_PLACE")
      return Operand();
    return L.operand(E);
  };
  for (const Signature &S : Signatures) {
    if (Base != S.Name && Base != std::string("i") + S.Name)
      continue;
    const Expr *Op = S.Op < 0 ? nullptr : C.argument(S.Op);
    return emitCollective(L, C, S.K, Arg(S.Send), Arg(S.Recv), Arg(S.Comm),
                          Op ? reduction(spelling(L, Op)) : ReductionKind::Sum);
  }
  if (Base == "comm_rank" && C.Arguments.size() == 2) {
    DefineFact D;
    D.Dst = L.value(C.Arguments[1]);
    D.K = DefineFact::Kind::RankOf;
    D.Axis = communicator(L, C.Arguments[0]);
    D.At = L.place(C.Call);
    if (D.Dst != SlotId::None)
      L.emit(std::move(D));
  } else if (Base == "comm_size" && C.Arguments.size() == 2) {
    if (const SlotId S = L.value(C.Arguments[1]); S != SlotId::None)
      L.assign(S, C.Call, DefineFact::Kind::Constant);
  } else if (Base == "recv" || Base == "irecv" || Base == "sendrecv") {
    const unsigned I = Base == "sendrecv" ? 5 : 0;
    if (C.argument(I))
      L.havoc(C.argument(I), C.Call);
  }
  return C.Call->getType()->isVoidType()
             ? SlotId::None
             : L.define(DefineFact::Kind::Constant, C.Call);
}

} // namespace spmd::lint::lower
