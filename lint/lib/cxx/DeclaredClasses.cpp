//===- DeclaredClasses.cpp - Classes that `Types` describes ---------------===//

#include "DeclaredClasses.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace spmd::lint {

/// No annotation of the user's begins like that.
static constexpr llvm::StringLiteral Prefix = "spmd-tidy type:";

static void declare(ASTContext &Ctx, CXXRecordDecl *RD,
                    const DeclaredClass &Type) {
  // "tensor;grad=gradient;"
  std::string Text = (Prefix + Type.Is + ";").str();
  for (const auto &[Member, Role] : Type.Members)
    Text.append(Member).append("=").append(Role).append(";");
  if (CXXRecordDecl *Definition = RD->getDefinition())
    Definition->addAttr(AnnotateAttr::CreateImplicit(Ctx, Text, nullptr, 0));
}

void declareClasses(ASTContext &Ctx,
                    llvm::ArrayRef<Configured<DeclaredClass>> Types) {
  for (const Configured<DeclaredClass> &T : Types) {
    llvm::SmallVector<const DeclContext *, 2> In{Ctx.getTranslationUnitDecl()};
    llvm::SmallVector<llvm::StringRef, 4> Path;
    llvm::StringRef(T.Value.Class).split(Path, "::");
    for (llvm::StringRef Name : Path) {
      llvm::SmallVector<const DeclContext *, 2> Next;
      for (const DeclContext *Outer : In)
        for (NamedDecl *D : Outer->lookup(&Ctx.Idents.get(Name))) {
          auto *Template = dyn_cast<ClassTemplateDecl>(D);
          if (Template)
            for (ClassTemplateSpecializationDecl *S :
                 Template->specializations())
              Next.push_back(S);
          else if (auto *Context = dyn_cast<DeclContext>(D))
            Next.push_back(Context);
        }
      In = std::move(Next);
    }
    for (const DeclContext *Found : In)
      if (const auto *RD = dyn_cast<CXXRecordDecl>(Found))
        declare(Ctx, const_cast<CXXRecordDecl *>(RD), T.Value);
  }
}

/// What is said of \p RD, or else of a base of it.
static llvm::StringRef declarationOf(const CXXRecordDecl *RD) {
  RD = RD ? RD->getDefinition() : nullptr;
  if (!RD)
    return {};
  for (const auto *A : RD->specific_attrs<AnnotateAttr>())
    if (llvm::StringRef Text = A->getAnnotation(); Text.consume_front(Prefix))
      return Text;
  for (const CXXBaseSpecifier &B : RD->bases())
    if (const llvm::StringRef Text =
            declarationOf(B.getType()->getAsCXXRecordDecl());
        !Text.empty())
      return Text;
  return {};
}

llvm::StringRef declaredKind(const CXXRecordDecl *RD) {
  return declarationOf(RD).split(';').first;
}

llvm::StringRef declaredRole(const ValueDecl *Member) {
  llvm::StringRef Text =
      declarationOf(dyn_cast<CXXRecordDecl>(Member->getDeclContext()));
  if (Text.empty())
    return {};
  const std::string Name = Member->getNameAsString();
  while (!Text.empty()) {
    const auto [Entry, Rest] = Text.split(';');
    const auto [Declared, Role] = Entry.split('=');
    if (Declared == Name && !Role.empty())
      return Role;
    Text = Rest;
  }
  return {};
}

std::string sameInLibtorch(const ValueDecl *Member) {
  const llvm::StringRef Role = declaredRole(Member);
  if (Role.empty())
    return {};
  if (Role == "parameters")
    return declaredKind(cast<CXXRecordDecl>(Member->getDeclContext())) ==
                   "module"
               ? "torch::nn::Module::parameters"
               : "torch::optim::Optimizer::parameters";
  return llvm::StringSwitch<std::string>(Role)
      .Case("backward", "at::Tensor::backward")
      .Case("forward", "torch::nn::Module::forward")
      .Case("step", "torch::optim::Optimizer::step")
      .Default("");
}

} // namespace spmd::lint
