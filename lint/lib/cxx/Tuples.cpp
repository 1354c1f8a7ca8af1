//===- Tuples.cpp - std::pair and std::tuple ------------------------------===//

#include "Tuples.h"

#include "KnownTypes.h"

#include "clang/AST/DeclTemplate.h"

using namespace clang;

namespace spmd::lint {

bool isTuple(QualType T) {
  const std::string Name = className(T);
  return Name == "std::pair" || Name == "std::tuple";
}

llvm::SmallVector<QualType, 4> elementsOf(QualType Tuple) {
  llvm::SmallVector<QualType, 4> Out;
  const auto *Of = dyn_cast_or_null<ClassTemplateSpecializationDecl>(
      Tuple.getNonReferenceType()->getAsCXXRecordDecl());
  for (const TemplateArgument &A : Of ? Of->getTemplateArgs().asArray()
                                      : llvm::ArrayRef<TemplateArgument>())
    for (const TemplateArgument &X : A.getKind() == TemplateArgument::Pack
                                         ? A.pack_elements()
                                         : llvm::ArrayRef(A))
      if (X.getKind() == TemplateArgument::Type)
        Out.push_back(X.getAsType());
  return Out;
}

} // namespace spmd::lint
