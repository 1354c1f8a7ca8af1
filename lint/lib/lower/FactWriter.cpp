//===- FactWriter.cpp - Writes the facts of one function ----------------===//

#include "FactWriter.h"

#include "spmd/types/AxisAlgebra.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

PlaceId FactWriter::place(SourceRange R) {
  if (R.isInvalid())
    return PlaceId::None;
  const SourceManager &SM = context().getSourceManager();
  const PresumedLoc Loc = SM.getPresumedLoc(SM.getFileLoc(R.getBegin()));
  Source.Places.push_back({R, nullptr});
  return F.addPlace(Loc.isValid() ? rules::Place{Loc.getLine(), Loc.getColumn()}
                                  : rules::Place());
}

PlaceId FactWriter::place(const Stmt *S) {
  if (!S)
    return PlaceId::None;
  auto [It, New] = PlaceOf.try_emplace(S, PlaceId::None);
  if (!New)
    return It->second;
  const PlaceId P = place(S->getSourceRange());
  if (P != PlaceId::None)
    Source.Places.back().Node = S;
  return PlaceOf[S] = P;
}

SlotId FactWriter::define(DefineFact::Kind K, const Expr *At, SlotId Comm) {
  const SlotId S = temporary();
  assign(S, At, K, Comm);
  return S;
}

void FactWriter::assign(SlotId Dst, const Expr *At, DefineFact::Kind K,
                        SlotId Comm) {
  DefineFact D;
  D.Dst = Dst;
  D.K = K;
  D.At = place(At);
  D.Axis = Comm;
  // On axes that nobody knows a rank may be anything, and a size is a number.
  if (D.isOfAxis() && Comm == SlotId::None)
    D.K = K == DefineFact::Kind::SizeOf ? DefineFact::Kind::Constant
                                        : DefineFact::Kind::Unknown;
  emit(std::move(D));
}

SlotId FactWriter::defineRank(const Expr *At, SlotId Comm) {
  return define(DefineFact::Kind::RankOf, At, Comm);
}

SlotId FactWriter::declaredSize(const NamedDecl *D, const Expr *At) {
  const std::vector<std::string> &Axes = M.sizeAxesOf(D);
  return Axes.empty()
             ? SlotId::None
             : define(DefineFact::Kind::SizeOf, At, defineAxes(At, Axes));
}

SlotId FactWriter::defineAxes(const Expr *At, std::vector<std::string> Names) {
  DefineFact D;
  D.Dst = temporary();
  D.K = DefineFact::Kind::Axes;
  D.At = place(At);
  if (const MeshSpec *Mesh = M.annotations().meshInForce(FD))
    for (const std::string &Name : Names)
      llvm::append_range(D.AxisNames, partsOf(*Mesh, Name));
  else
    D.AxisNames = std::move(Names);
  const SlotId S = D.Dst;
  emit(std::move(D));
  return S;
}

SlotId FactWriter::emitOp(const OpRule &Rule, llvm::ArrayRef<Operand> Operands,
                          const Expr *At, SlotId WritesTo, bool Partial,
                          llvm::ArrayRef<OpArgument> Arguments) {
  OpFact O;
  O.Rule = &Rule;
  O.At = place(At);
  O.WritesTo = WritesTo;
  O.PartialWrite = Partial;
  O.Arguments = Arguments.vec();
  for (unsigned I = 0; I != Operands.size() && I != Rule.Formals.size(); ++I)
    if (Operands[I].Slot != SlotId::None) {
      O.Operands.push_back(Operands[I]);
      O.FormalOf.push_back(I);
    }
  O.Dst = temporary();
  const SlotId Dst = O.Dst;
  emit(std::move(O));
  return Dst;
}

void FactWriter::joinList(SlotId List, Operand Value, const Expr *At) {
  BindFact B;
  B.Dst = List;
  B.Src = Value;
  B.At = place(At);
  B.Joins = true;
  emit(B);
}

SlotId FactWriter::gradientOf(Operand Of, const Expr *At) {
  if (Of.Slot == SlotId::None)
    return define(DefineFact::Kind::Unknown, At);
  GradientFact G;
  G.Dst = temporary();
  G.Src = Of;
  G.At = place(At);
  const SlotId Dst = G.Dst;
  emit(G);
  return Dst;
}

void FactWriter::clearGradientsOf(Operand Of, const Expr *At) {
  if (Of.Slot != SlotId::None)
    emit(GradientFact{temporary(), Of, place(At), /*Clears=*/true});
}

} // namespace spmd::lint::lower
