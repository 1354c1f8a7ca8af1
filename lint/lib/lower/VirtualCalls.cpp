//===- VirtualCalls.cpp - What virtual calls reach ------------------------===//
//
// By itself, a file has all the classes there are: a virtual call reaches one
// of the methods that it has, if all of these are seen. Those of a program's
// other files are for the linker to find. So are functions that members of
// structs hold.
//
//===----------------------------------------------------------------------===//

#include "FactWriter.h"
#include "ModuleLowering.h"
#include "UnknownCode.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/SetVector.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

bool ModuleLowering::isDispatched(const CXXMethodDecl *MD) {
  if (!MD->isVirtual() || MD->hasAttr<FinalAttr>() ||
      MD->getParent()->hasAttr<FinalAttr>() || !isOwnCode(MD->getLocation()) ||
      hasAnnotation(MD))
    return false;
  if (Options.ForProgram)
    return true;
  const llvm::ArrayRef<const CXXMethodDecl *> Methods = reachedBy(MD);
  return Methods.size() > 1 ||
         (Methods.size() == 1 && Methods[0] != MD->getCanonicalDecl());
}

llvm::SmallSetVector<const CXXRecordDecl *, 8>
ModuleLowering::familyOf(const CXXRecordDecl *RD) const {
  llvm::SmallSetVector<const CXXRecordDecl *, 8> Out;
  Out.insert(RD->getDefinition());
  if (RD->isPolymorphic())
    for (const CXXMethodDecl *By : Found.Overriders)
      if (By->getParent()->isDerivedFrom(RD))
        Out.insert(By->getParent()->getDefinition());
  return Out;
}

llvm::ArrayRef<const CXXMethodDecl *>
ModuleLowering::reachedBy(const CXXMethodDecl *MD) {
  MD = MD->getCanonicalDecl();
  const auto [It, New] = Reached.try_emplace(MD);
  if (!New)
    return It->second;
  llvm::SmallSetVector<const CXXMethodDecl *, 4> Methods;
  for (const CXXRecordDecl *RD : familyOf(MD->getParent())) {
    if (RD->isAbstract() || RD->isDependentContext())
      continue;
    const CXXMethodDecl *Of = MD->getCorrespondingMethodInClass(RD);
    if (!Of || !isKnown(Of))
      return {}; // whoever wrote it elsewhere may do anything
    Methods.insert(Of->getCanonicalDecl());
  }
  auto &Known = Reached[MD];
  Known.assign(Methods.begin(), Methods.end());
  return Known;
}

void ModuleLowering::noteClass(const CXXMethodDecl *MD) {
  const CXXRecordDecl *RD = MD->getParent();
  if (!RD->hasDefinition() || !RD->isPolymorphic() ||
      !isOwnCode(RD->getLocation()))
    return;
  const auto NameOf = [this](const CXXRecordDecl *Class) {
    return QualType(Ctx.getCanonicalTagType(Class)).getAsString();
  };
  const auto [It, New] = Out.Classes.Bases.try_emplace(NameOf(RD));
  Out.Classes.ByMethod[Entries[MD->getCanonicalDecl()].F->Symbol] =
      It->first().str();
  if (New)
    RD->forallBases([&](const CXXRecordDecl *Base) {
      It->second.push_back(NameOf(Base));
      return true;
    });
}

Function &ModuleLowering::addStandIn(const FunctionDecl *Like,
                                     std::string Symbol) {
  Function &F = add(Like, std::move(Symbol));
  FunctionSource Source;
  FactWriter Assumed(*this, Like, F, Source);
  lowerAssumptions(Assumed);
  return F;
}

std::string ModuleLowering::requireDispatch(const CXXMethodDecl *MD) {
  Function *&F = StandIns[MD->getCanonicalDecl()];
  if (!F) {
    const std::string Of = symbolOf(MD);
    F = &addStandIn(MD, Of + " virtual");
    if (!Options.ForProgram) {
      std::vector<std::string> Methods;
      for (const CXXMethodDecl *Reaches : reachedBy(MD))
        Methods.push_back(require(Reaches));
      callOneOf(*F, Methods);
      return F->Symbol;
    }
    rules::Linkage L = linkageOf(MD);
    L.Assumed = true;
    L.DispatchOf = Of;
    L.Overrides.clear();
    Out.Symbols[F->Symbol] = std::move(L);
  }
  return F->Symbol;
}

std::string ModuleLowering::requireChoice(const Expr *Call,
                                          const FunctionDecl *&Like) {
  const llvm::ArrayRef<const FunctionDecl *> All = InFields.calledBy(Call);
  if (Options.ForProgram || All.empty() ||
      !llvm::all_of(All, [this](const auto *FD) { return isKnown(FD); }))
    return {};
  Like = All.front();
  const FieldDecl *Field = calledField(Call);
  Function *&F = StandIns[Field];
  if (!F) {
    F = &addStandIn(Like, "in " + Field->getQualifiedNameAsString() + "#" +
                              std::to_string(Out.M.Functions.size()));
    std::vector<std::string> Functions;
    for (const FunctionDecl *FD : All)
      Functions.push_back(require(FD));
    callOneOf(*F, Functions);
    F->Trusted = false; // each for itself
  }
  return F->Symbol;
}

} // namespace spmd::lint::lower
