//===- Escapes.cpp - Locals that more sees than the facts say -----------===//

#include "Escapes.h"

#include "spmd/ir/Walk.h"

#include "cxx/TypeClass.h"

#include "clang/AST/RecursiveASTVisitor.h"

#include <set>
#include <tuple>

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {
/// Every mention of a variable, also in closures and in code never reached.
class MentionFinder : public RecursiveASTVisitor<MentionFinder> {
public:
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Found.push_back(E);
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    if (isa<FieldDecl>(E->getMemberDecl()))
      Bases.insert(E->getBase()->IgnoreParenImpCasts());
    return true;
  }
  std::vector<const DeclRefExpr *> Found;
  llvm::DenseSet<const Expr *> Bases; ///< of which a field is named
};
} // namespace

void findEscapes(const FactWriter &L, SlotTable &Slots) {
  // Where it stands: wrapped, as in `x.index({i, j})`, it is another
  // expression.
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> Told;
  const auto MayEscape = [&](SlotId S) {
    return L.slot(S).Kind == SlotKind::Local || L.slot(S).Owned;
  };
  const auto Tell = [&](const Operand &O) {
    if (O.Slot == SlotId::None || O.At == PlaceId::None || !MayEscape(O.Slot))
      return;
    const rules::Place &P = L.ir().Places[index(O.At)];
    Told.insert({index(O.Slot), P.Line, P.Column});
  };
  const SourceManager &SM = L.context().getSourceManager();
  const auto IsTold = [&](SlotId S, const Expr *E) {
    const PresumedLoc At = SM.getPresumedLoc(SM.getFileLoc(E->getBeginLoc()));
    return At.isValid() &&
           Told.contains({index(S), At.getLine(), At.getColumn()});
  };
  for (const Fact &X : factsOf(L.ir()))
    forEachOperand(X, Tell);
  MentionFinder Mentions;
  Mentions.TraverseStmt(L.function()->getBody());
  for (const DeclRefExpr *E : Mentions.Found) {
    const auto *VD = dyn_cast<VarDecl>(E->getDecl());
    if (!VD || !VD->isLocalVarDeclOrParm())
      continue;
    const bool Object = isObject(VD->getType().getNonReferenceType());
    if (!Object &&
        (!VD->isLocalVarDecl() || classify(VD->getType()) != TypeClass::Tensor))
      continue;
    const SlotId S = Slots.variable(VD);
    if (!MayEscape(S) || (Object && Mentions.Bases.contains(E)) || IsTold(S, E))
      continue;
    L.ir().Slots[index(S)].Owned = false;
    L.ir().Slots[index(S)].Escapes |= !Object;
  }
}

} // namespace spmd::lint::lower
