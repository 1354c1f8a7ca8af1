//===- DeclaredVarying.cpp - What is other on each rank -------------------===//
//

#include "DeclaredVarying.h"

#include "lower/Strip.h"

#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace spmd::collectives;

namespace spmd::lint::effects {

bool DeclaredVarying::varies(const ValueDecl *D) {
  if (OnlyAxis.empty() || !D->hasAttr<AnnotateAttr>())
    return false;
  const auto Says = Annotations.typeOf(D);
  if (!Says)
    return false;
  const rules::TypeSpec &Is =
      Says->Exit && !isa<ParmVarDecl>(D) ? *Says->Exit : Says->Entry;
  const rules::AxisAtom *On = Is.find(OnlyAxis);
  return On && (On->Value.Type == rules::LocalType::V ||
                On->Value.Type == rules::LocalType::P);
}

std::string DeclaredVarying::axesOf(const ValueDecl *D) {
  if (!D->hasAttr<AnnotateAttr>())
    return {};
  const auto Names = Annotations.axesOf(D);
  return Names ? llvm::join(*Names.Value, ",") : std::string();
}

Declared DeclaredVarying::number(const clang::Expr *E) {
  E = E->IgnoreParens();
  const ValueDecl *D = lower::namedBy(E);
  if (OnlyAxis.empty() || !D || !D->hasAttr<AnnotateAttr>() ||
      !D->getType().getNonReferenceType()->isIntegerType())
    return Declared::Nothing;
  if (varies(D))
    return llvm::StringRef(D->getName()).contains_insensitive("rank")
               ? Declared::Rank
               : Declared::Varying;
  const auto Size = Annotations.sizeOf(D);
  return Size && Size.Value->size() == 1 && Size.Value->front() == OnlyAxis
             ? Declared::NumberOfRanks
             : Declared::Nothing;
}

/// `x.item<bool>()`, `x.equal(y)`: a number that what a tensor holds decides,
/// where others are about its shape.
static bool asksWhatItHolds(const clang::Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E->IgnoreParenImpCasts());
  const FunctionDecl *FD = Call ? Call->getDirectCallee() : nullptr;
  if (!FD || !FD->getIdentifier())
    return false;
  const llvm::StringRef Name = FD->getName();
  return Name == "item" || Name == "equal" || Name == "allclose" ||
         Name == "is_nonzero";
}

/// `time(nullptr)` and `spent.count()`: what no two ranks have alike, though it
/// is no floating number.
static bool readsClock(const clang::Expr *E) {
  const auto *Call = dyn_cast<CallExpr>(E->IgnoreParenImpCasts());
  const FunctionDecl *FD = Call ? Call->getDirectCallee() : nullptr;
  if (!FD || !FD->getIdentifier())
    return false;
  if (FD->getName() == "time" || FD->getName() == "clock")
    return FD->isExternC();
  return FD->getName() == "count" &&
         llvm::StringRef(FD->getQualifiedNameAsString())
             .starts_with("std::chrono::");
}

std::optional<unsigned> DeclaredVarying::typed(const clang::Expr *E) {
  if (!E->isPRValue() || !(E->getType()->isRealFloatingType() ||
                           asksWhatItHolds(E) || readsClock(E)))
    return std::nullopt;
  E = E->IgnoreParenImpCasts();
  const auto *Read = dyn_cast<UnaryOperator>(E);
  const bool IsRead = isa<CallExpr, ArraySubscriptExpr>(E) ||
                      (Read && Read->getOpcode() == UO_Deref);
  if (!IsRead)
    return std::nullopt;
  const auto At = Typed.find(E);
  if (At == Typed.end())
    return std::nullopt;
  Places.push_back(At->second);
  return Places.size() - 1;
}

} // namespace spmd::lint::effects
