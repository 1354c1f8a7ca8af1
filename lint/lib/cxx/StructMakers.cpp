//===- StructMakers.cpp - Who makes which structs -------------------------===//

#include "StructMakers.h"

#include "FunctionFields.h"
#include "LiveBodies.h"
#include "PutFunctions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint {

/// The argument of \p Call, of a member, that is the object which has it.
static std::optional<unsigned> argumentForSelf(const Expr *Call) {
  const auto *C = dyn_cast<CallExpr>(Call);
  if (!C || !calledField(Call))
    return std::nullopt;
  const Expr *Callee = C->getCallee()->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(Callee))
    Callee = U->getSubExpr()->IgnoreParenImpCasts();
  const auto *M = cast<MemberExpr>(Callee);
  const ASTContext &Ctx = calledField(Call)->getASTContext();
  const auto IdOf = [&](const Expr *E) {
    llvm::FoldingSetNodeID Id;
    E->IgnoreParenImpCasts()->Profile(Id, Ctx, /*Canonical=*/true);
    return Id;
  };
  const llvm::FoldingSetNodeID Self = IdOf(M->getBase());
  for (unsigned I = 0; I != C->getNumArgs(); ++I) {
    const Expr *A = C->getArg(I)->IgnoreParenImpCasts();
    if (const auto *U = dyn_cast<UnaryOperator>(A);
        U && U->getOpcode() == UO_AddrOf && !M->isArrow())
      A = U->getSubExpr();
    else if (!M->isArrow() || !A->getType()->isPointerType())
      continue;
    if (IdOf(A) == Self)
      return I;
  }
  return std::nullopt;
}

namespace {

/// All calls of functions in members.
class Calls : public RecursiveASTVisitor<Calls> {
public:
  using Selves = llvm::DenseMap<const FieldDecl *, std::optional<unsigned>>;
  explicit Calls(Selves &Out) : Out(Out) {}

  bool VisitCallExpr(CallExpr *E) {
    const FieldDecl *Field = calledField(E);
    if (!Field)
      return true;
    const std::optional<unsigned> Here = argumentForSelf(E);
    const auto [It, New] = Out.try_emplace(Field, Here);
    if (!New && It->second != Here)
      It->second = std::nullopt;
    return true;
  }

private:
  Selves &Out;
};

} // namespace

StructMakers::StructMakers(llvm::ArrayRef<const FunctionDecl *> All) {
  const LiveBodies Live(All);
  std::vector<const FunctionDecl *> Bodies;
  llvm::copy_if(All, std::back_inserter(Bodies),
                [&](const FunctionDecl *FD) { return Live.contains(FD); });
  Set = MemberSetters(Bodies);
  forEachPut(Bodies, [this](const FieldDecl *Field, const FunctionDecl *Is,
                            const FunctionDecl *In) {
    if (!Is)
      return;
    Functions[Field].insert(Is);
    By[{Field, Is}].insert(In);
  });
  Calls Find(Selves);
  for (const FunctionDecl *FD : Bodies)
    if (Stmt *Body = FD->isDependentContext() ? nullptr : FD->getBody())
      Find.TraverseStmt(Body);
}

std::optional<unsigned> StructMakers::selfOf(const FieldDecl *Field) const {
  return Selves.lookup(Field);
}

llvm::ArrayRef<const FunctionDecl *>
StructMakers::putInto(const FieldDecl *Field) const {
  const auto At = Functions.find(Field);
  return At == Functions.end() ? llvm::ArrayRef<const FunctionDecl *>()
                               : At->second.getArrayRef();
}

std::vector<const FieldDecl *>
StructMakers::lackedBy(const FieldDecl *Field, const FunctionDecl *Is) const {
  const RecordDecl *Record = Field->getParent();
  const auto *Class = dyn_cast<CXXRecordDecl>(Record);
  const auto Makers = By.find({Field, Is->getCanonicalDecl()});
  if (Set.isOpen(Record) || Makers == By.end() ||
      (Class && (Class->getNumBases() || Class->isPolymorphic())))
    return {};
  llvm::DenseSet<const FunctionDecl *> AnyMaker;
  for (const auto &[Of, Bodies] : By)
    if (Of.first->getParent() == Record)
      AnyMaker.insert_range(Bodies);
  std::vector<const FieldDecl *> Out;
  for (const FieldDecl *Member : Record->fields()) {
    if (!Member->getType()->isPointerType() ||
        Member->getType()->isFunctionPointerType())
      continue;
    const MemberSetters::Bodies Setters = Set.settersOf(Member);
    // What others than makers set, any of them may have.
    const bool May = llvm::any_of(Setters, [&](const FunctionDecl *FD) {
      return !AnyMaker.contains(FD) || Makers->second.contains(FD);
    });
    if (!Setters.empty() && !May && !Makers->second.contains(nullptr))
      Out.push_back(Member);
  }
  return Out;
}

} // namespace spmd::lint
