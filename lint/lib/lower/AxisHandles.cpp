//===- AxisHandles.cpp - Communicators that a function can name -----------===//

#include "ModuleLowering.h"

#include "cxx/TypeClass.h"

#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

void ModuleLowering::addVisibleHandles(const FunctionDecl *FD,
                                       FunctionSource &Source) {
  auto Add = [&](const ValueDecl *D, std::string Text) {
    const bool IsMesh = classify(D->getType()) == TypeClass::Mesh;
    const std::optional<AxisHandle::Kind> K =
        IsMesh ? AxisHandle::Kind::Mesh : commKind(D->getType());
    if (!K || llvm::any_of(Source.Handles,
                           [&](const AxisHandle &H) { return H.Text == Text; }))
      return;
    std::vector<std::string> Axes =
        IsMesh ? std::vector<std::string>() : axesOf(D);
    if (IsMesh || !Axes.empty())
      Source.Handles.push_back(
          {*K, rules::SlotId::None, std::move(Text), std::move(Axes)});
  };
  const auto *Method = dyn_cast<CXXMethodDecl>(FD);
  const CXXRecordDecl *Class = Method ? Method->getParent() : nullptr;
  auto CanAccess = [&](const FieldDecl *Field) {
    const auto *Of = cast<CXXRecordDecl>(Field->getParent());
    return Field->getAccess() == AS_public || Of == Class ||
           (Field->getAccess() == AS_protected && Class &&
            Class->isDerivedFrom(Of));
  };
  auto AddFields = [&](const CXXRecordDecl *Record, const std::string &Prefix) {
    if (Record && Record->hasDefinition())
      for (const FieldDecl *Field : Record->getDefinition()->fields())
        if (CanAccess(Field))
          Add(Field, Prefix + Field->getNameAsString());
  };
  // The function's own names first, then its object's, then the file's.
  for (const ParmVarDecl *P : FD->parameters()) {
    Add(P, P->getNameAsString());
    const QualType T = P->getType().getNonReferenceType();
    if (T->isPointerType())
      AddFields(T->getPointeeCXXRecordDecl(), P->getNameAsString() + "->");
    else
      AddFields(T->getAsCXXRecordDecl(), P->getNameAsString() + ".");
  }
  if (Method && Method->isInstance()) {
    AddFields(Class, "");
    for (const CXXBaseSpecifier &Base : Class->bases())
      AddFields(Base.getType()->getAsCXXRecordDecl(), "");
    for (const FieldDecl *Field : Class->fields()) {
      const QualType T = Field->getType().getNonReferenceType();
      if (T->isPointerType())
        AddFields(T->getPointeeCXXRecordDecl(),
                  Field->getNameAsString() + "->");
      else
        AddFields(T->getAsCXXRecordDecl(), Field->getNameAsString() + ".");
    }
  }
  const SourceManager &SM = Ctx.getSourceManager();
  for (const VarDecl *VD : Found.AxisGlobals)
    if (SM.isBeforeInTranslationUnit(VD->getLocation(), FD->getBeginLoc()))
      Add(VD, VD->getNameAsString());
}

} // namespace spmd::lint::lower
