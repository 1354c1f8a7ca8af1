//===- SymbolicCounts.cpp - Numbers made of numbers that stay -------------===//

#include "SymbolicCounts.h"

#include "Strip.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace spmd::lint::lower {

void SymbolicCount::add(const Product &Of, std::int64_t Times) {
  const auto [At, New] = Terms.try_emplace(Of, 0);
  // Wraps around where no memory is as large.
  At->second =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(At->second) +
                                static_cast<std::uint64_t>(Times));
  if (At->second == 0)
    Terms.erase(At);
}

bool SymbolicCount::isSurelyPositive() const {
  return !Terms.empty() &&
         llvm::all_of(Terms, [](const auto &T) { return T.second > 0; });
}

SymbolicCount SymbolicCount::operator+(const SymbolicCount &B) const {
  SymbolicCount Out = *this;
  for (const auto &[Of, Times] : B.Terms)
    Out.add(Of, Times);
  Out.IsOfBytes |= B.IsOfBytes;
  return Out;
}

SymbolicCount SymbolicCount::operator-(const SymbolicCount &B) const {
  return *this + B * SymbolicCount(-1);
}

SymbolicCount SymbolicCount::operator*(const SymbolicCount &B) const {
  SymbolicCount Out;
  for (const auto &[OfA, TimesA] : Terms)
    for (const auto &[OfB, TimesB] : B.Terms) {
      Product Of = OfA;
      llvm::append_range(Of, OfB);
      llvm::sort(Of);
      Out.add(Of,
              static_cast<std::int64_t>(static_cast<std::uint64_t>(TimesA) *
                                        static_cast<std::uint64_t>(TimesB)));
    }
  Out.IsOfBytes = IsOfBytes || B.IsOfBytes;
  return Out;
}

namespace {

class Reader {
public:
  Reader(const ASTContext &Ctx, const Constancy &Constant)
      : Ctx(Ctx), Constant(Constant) {}

  std::optional<SymbolicCount> read(const Expr *E) {
    constexpr unsigned MaxDepth = 16;
    E = E->IgnoreParenCasts();
    if (E->isValueDependent() || !E->getType()->isIntegralOrEnumerationType() ||
        Depth > MaxDepth)
      return std::nullopt;
    llvm::SaveAndRestore Deeper(Depth, Depth + 1);
    return readOperands(E);
  }

private:
  std::optional<SymbolicCount> readOperands(const Expr *E) {
    // Before it is evaluated, as then nobody sees that it is one of bytes.
    if (const auto *B = dyn_cast<BinaryOperator>(E))
      if (B->isAdditiveOp() || B->getOpcode() == BO_Mul) {
        const auto L = read(B->getLHS()), R = read(B->getRHS());
        if (!L || !R)
          return std::nullopt;
        return B->getOpcode() == BO_Add   ? *L + *R
               : B->getOpcode() == BO_Sub ? *L - *R
                                          : *L * *R;
      }
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      if (const auto *VD = dyn_cast<VarDecl>(Ref->getDecl()))
        return readVariable(VD);
    Expr::EvalResult Number;
    if (E->EvaluateAsInt(Number, Ctx)) {
      SymbolicCount Out(Number.Val.getInt().getExtValue());
      Out.IsOfBytes = isa<UnaryExprOrTypeTraitExpr>(E);
      return Out;
    }
    const auto *Member = dyn_cast<MemberExpr>(E);
    if (Member && isKeptPath(Member))
      return SymbolicCount(printed(Member, Ctx));
    return std::nullopt;
  }

  std::optional<SymbolicCount> readVariable(const VarDecl *VD) {
    if (!Constant.isKeptHere(VD) || Constant.isPerTurn(VD))
      return std::nullopt;
    const Expr *Init = VD->getAnyInitializer();
    if (Init && (VD->getType().isConstQualified() || VD->isLocalVarDecl()))
      if (auto Known = read(Init))
        return Known;
    return SymbolicCount(Constant.nameOf(VD));
  }

  /// `m->n`, `net.sizes.hidden`.
  bool isKeptPath(const MemberExpr *E) const {
    const auto *Field = dyn_cast<FieldDecl>(E->getMemberDecl());
    if (!Field || !Constant.isKeptHere(Field))
      return false;
    const Expr *Base = E->getBase()->IgnoreParenImpCasts();
    if (const auto *Outer = dyn_cast<MemberExpr>(Base))
      return isKeptPath(Outer);
    const auto *Ref = dyn_cast<DeclRefExpr>(Base);
    const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return isa<CXXThisExpr>(Base) || (VD && !Constant.isPerTurn(VD));
  }

  const ASTContext &Ctx;
  const Constancy &Constant;
  unsigned Depth = 0;
};

} // namespace

std::optional<SymbolicCount> symbolicCount(const Expr *E, const ASTContext &Ctx,
                                           const Constancy &Constant) {
  return Reader(Ctx, Constant).read(E);
}

} // namespace spmd::lint::lower
