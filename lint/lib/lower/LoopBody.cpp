#include "LoopBody.h"

#include "IteratorLoops.h"
#include "Strip.h"
#include "ValuePath.h"

#include "cxx/CallSite.h"
#include "cxx/KnownTypes.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint::lower {

/// Of what these call, none looks at gradients but by name.
constexpr llvm::StringLiteral Libraries[] = {
    "std::", "at::", "c10::", "torch::", "c10d::"};

bool LoopBody::VisitExpr(Expr *E) {
  noteElement(E);
  if (const std::vector<const ValueDecl *> Path = pathOf(E);
      !Path.empty() && Path.back() && strip(E)->IgnoreParenImpCasts() == E)
    ++Mentions[Path];
  return true;
}
bool LoopBody::VisitCallExpr(CallExpr *E) {
  const FunctionDecl *F = E->getDirectCallee();
  const std::string Name = F ? qualifiedName(F) : std::string();
  const llvm::StringRef Base = llvm::StringRef(Name).rsplit("::").second;
  // What code of the user's does, nobody knows here.
  Gradients |= Base == "grad" || Base == "mutable_grad" ||
               Name == "std::function::operator()" ||
               llvm::none_of(Libraries, [&](llvm::StringRef Library) {
                 return llvm::StringRef(Name).starts_with(Library);
               });
  return true;
}

void LoopBody::noteElement(const Expr *E) {
  if (Counter && dereferenced(E) == Counter)
    AtIterator.push_back(E);
  const Expr *List = nullptr, *Index = nullptr;
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    List = A->getBase();
    Index = A->getIdx();
  } else if (isa<CXXOperatorCallExpr, CXXMemberCallExpr>(E)) {
    const CallSite C(E);
    if (!C.Receiver || C.Arguments.size() != 1 ||
        (C.base() != "operator[]" && C.base() != "at"))
      return;
    List = C.Receiver;
    Index = C.Arguments[0];
  }
  if (!Index || !Counter)
    return;
  const std::vector<const ValueDecl *> Path = pathOf(List);
  if (!isNameOf(Index, Counter) || Path.empty() || !Path.back())
    return;
  ByNumber &Of = Lists.try_emplace(Path, ByNumber{List, {}}).first->second;
  Of.Elements.push_back(E);
}

const Stmt *lastOf(const Stmt *S) {
  while (const auto *Block = dyn_cast_or_null<CompoundStmt>(S))
    S = Block->body_back();
  return S;
}

const Expr *conditionOf(const BreakStmt *Break, const Stmt *Body) {
  const auto *Block = dyn_cast<CompoundStmt>(Body);
  if (!Block)
    return nullptr;
  for (const Stmt *S : Block->body())
    if (const auto *If = dyn_cast<IfStmt>(S);
        If && !If->getElse() && lastOf(If->getThen()) == Break)
      return If->getCond();
  return nullptr;
}

} // namespace spmd::lint::lower
