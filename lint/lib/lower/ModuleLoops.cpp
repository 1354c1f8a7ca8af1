//===- ModuleLoops.cpp - Loops over the modules in a module ---------------===//

#include "ModuleLoops.h"

#include "Strip.h"

#include "apis/DeclaredParameters.h"

#include "cxx/CallSite.h"
#include "cxx/TypeClass.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

/// The modules that a range-based loop goes over.
struct Range {
  enum Kind : std::uint8_t {
    None,
    Children, ///< those that a module has, or a list of modules
    Below,    ///< and those in them
    All,      ///< and itself
  } K = None;
  const Expr *Of = nullptr;
  bool IsList = false; ///< `std::vector<Linear>`, no module itself
};

/// What a loop asks each module for.
enum class Asked : std::uint8_t {
  Nothing,
  All, ///< its parameters, with those of the modules in it
  Own, ///< without
  Other
};

/// Looks for all that the body of a loop over modules does with them.
class Body : public RecursiveASTVisitor<Body> {
public:
  explicit Body(const VarDecl *Module, bool OfCallee = false)
      : Module(Module), OfCallee(OfCallee) {}

  bool TraverseForStmt(ForStmt *S) {
    return within([&] { return Base::TraverseForStmt(S); });
  }
  bool TraverseCXXForRangeStmt(CXXForRangeStmt *S) {
    return within([&] { return Base::TraverseCXXForRangeStmt(S); });
  }
  bool VisitStmt(Stmt *S) {
    // What chooses between modules, or leaves some out.
    IsOther |= isa<ReturnStmt, GotoStmt, LambdaExpr, CXXTryStmt>(S) ||
               (!Depth && isa<IfStmt, SwitchStmt, AbstractConditionalOperator,
                              ContinueStmt, BreakStmt, WhileStmt, DoStmt>(S));
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    const CallSite C(E);
    const bool IsOfElement = C.Receiver && isElement(C.Receiver);
    const bool IsList =
        C.base() == "parameters" || C.base() == "named_parameters";
    if (IsOfElement && IsList)
      note(kindOf(C));
    else if (IsOfElement && (C.base() == "name" || C.base() == "is_training"))
      ++Uses;
    else
      IsOther |= IsList && C.Receiver;
    if (C.Callee && !isa<CXXOperatorCallExpr>(E))
      for (unsigned I = 0; I != C.Arguments.size(); ++I)
        if (isElement(C.Arguments[I]))
          note(askedBy(C.Callee, I));
    return true;
  }
  bool VisitExpr(Expr *E) {
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E);
        Ref && Ref->getDecl() == Module)
      ++Mentions;
    else if (isa<DeclRefExpr, MemberExpr>(E))
      // Another module would have its turn with each of these.
      IsOther |= isModule(E->getType());
    return true;
  }

  Asked asked() const {
    return IsOther || Mentions != Uses ? Asked::Other : What;
  }

private:
  using Base = RecursiveASTVisitor<Body>;

  bool within(llvm::function_ref<bool()> Visit) {
    ++Depth;
    const bool GoesOn = Visit();
    --Depth;
    return GoesOn;
  }
  void note(Asked Now) {
    ++Uses;
    What = What == Asked::Nothing || What == Now ? Now : Asked::Other;
  }
  /// What \p Callee asks the module for that is its argument \p I.
  Asked askedBy(const FunctionDecl *Callee, unsigned I) const {
    if (OfCallee || !Callee->hasBody() || I >= Callee->getNumParams())
      return Asked::Other;
    const FunctionDecl *Defined = nullptr;
    const Stmt *Code = Callee->getBody(Defined);
    Body In(Defined->getParamDecl(I), /*OfCallee=*/true);
    In.TraverseStmt(const_cast<Stmt *>(Code));
    return In.asked();
  }
  static Asked kindOf(const CallSite &C) {
    const Expr *Recurses = C.argument(0);
    if (!Recurses || isa<CXXDefaultArgExpr>(Recurses))
      return Asked::All;
    const auto *Is = dyn_cast<CXXBoolLiteralExpr>(Recurses->IgnoreImpCasts());
    return !Is ? Asked::Other : Is->getValue() ? Asked::All : Asked::Own;
  }
  /// `child`, `*child`, `item.value()`, `layer.ptr()`.
  bool isElement(const Expr *E) const {
    E = handedOver(E);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return Ref->getDecl() == Module;
    if (!isa<CXXMemberCallExpr, CXXOperatorCallExpr>(E))
      return false;
    const CallSite C(E);
    return C.Receiver && C.Arguments.empty() && isElement(C.Receiver) &&
           llvm::StringSwitch<bool>(C.base())
               .Cases({"operator->", "operator*", "value", "ptr", "get"}, true)
               .Default(false);
  }

  const VarDecl *Module;
  const bool OfCallee;
  unsigned Depth = 0; ///< of loops
  unsigned Mentions = 0, Uses = 0;
  Asked What = Asked::Nothing;
  bool IsOther = false;
};

class Finder : public RecursiveASTVisitor<Finder> {
public:
  bool VisitCXXForRangeStmt(CXXForRangeStmt *S) {
    Found.push_back(S);
    return true;
  }
  llvm::SmallVector<const CXXForRangeStmt *, 4> Found;
};

} // namespace

static bool isFalse(const Expr *E) {
  const auto *Is = dyn_cast<CXXBoolLiteralExpr>(E->IgnoreParenImpCasts());
  return Is && !Is->getValue();
}

static Range rangeOf(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  if (const auto *Star = dyn_cast<CXXOperatorCallExpr>(E);
      Star && Star->getOperator() == OO_Star && Star->getNumArgs() == 1 &&
      isModule(strip(Star->getArg(0))->getType()))
    return {Range::Children, strip(Star->getArg(0))};
  if (isa<DeclRefExpr, MemberExpr>(E)) {
    const QualType Of = elementType(E->getType());
    const bool IsList = className(E->getType()) == "std::vector" &&
                        !Of.isNull() && isModule(Of);
    return {IsList ? Range::Children : Range::None, E, IsList};
  }
  if (!isa<CXXMemberCallExpr>(E))
    return {};
  const CallSite C(E);
  if (!C.Receiver || !isModule(strip(C.Receiver)->getType()))
    return {};
  // A name before the flag is none of these.
  const Expr *Self = C.argument(0);
  const bool Alone = !Self || isa<CXXDefaultArgExpr>(Self);
  Range Out;
  Out.Of = strip(C.Receiver);
  Out.K = llvm::StringSwitch<Range::Kind>(C.base())
              .Cases({"children", "named_children"}, Range::Children)
              .Case("modules", !Alone && isFalse(Self) ? Range::Below
                               : Alone                 ? Range::All
                                                       : Range::None)
              .Case("named_modules", Alone ? Range::All : Range::None)
              .Default(Range::None);
  return Out;
}

static bool isLibraryClass(const CXXRecordDecl *RD) {
  return llvm::StringRef(qualifiedName(RD)).starts_with("torch::nn::");
}

/// Whether some class that \p RD derives from, or itself, has such a field.
static bool hasField(const CXXRecordDecl *RD,
                     llvm::function_ref<bool(QualType)> Is) {
  return !isLibraryClass(RD) &&
         (llvm::any_of(RD->fields(),
                       [&](const FieldDecl *F) { return Is(F->getType()); }) ||
          llvm::any_of(RD->bases(), [&](const CXXBaseSpecifier &B) {
            const CXXRecordDecl *Of = B.getType()->getAsCXXRecordDecl();
            return Of && Of->hasDefinition() &&
                   hasField(Of->getDefinition(), Is);
          }));
}

/// Whether \p RD is a layer of libtorch, in which no module is.
static bool isLayer(const CXXRecordDecl *RD) {
  return isLibraryClass(RD) && layerOf(RD) && !layerOf(RD)->Op.empty();
}

/// Whether a module has parameters that none of its children has.
static bool mayHaveOwn(const CXXRecordDecl *RD) {
  return isLayer(RD) || hasField(RD, [](QualType T) {
           const TypeClass Of = classify(T);
           return Of == TypeClass::Tensor || Of == TypeClass::TensorList;
         });
}

/// Whether some module that is in one of class \p RD has others in it: what is
/// no layer of libtorch may.
static bool mayNest(const CXXRecordDecl *RD) {
  const auto IsNoLayer = [](QualType T) {
    const CXXRecordDecl *In = moduleClass(T);
    return In && isModule(In->getASTContext().getCanonicalTagType(In)) &&
           !isLayer(In);
  };
  return isLibraryClass(RD) || hasField(RD, IsNoLayer);
}

/// How often \p What of the modules in \p Over, which are those of a \p Class,
/// comes to each parameter: once, or some again; none: nobody knows.
static std::optional<bool> comesOnce(const Range &Over, Asked What,
                                     const CXXRecordDecl *Class) {
  if (What != Asked::All && What != Asked::Own)
    return std::nullopt;
  if (Over.K == Range::All)
    return What == Asked::Own;
  if (Over.IsList)
    return What == Asked::All ? std::optional(true) : std::nullopt;
  if (mayHaveOwn(Class))
    return std::nullopt;
  if (Over.K == Range::Children ? What == Asked::All : What == Asked::Own)
    return true;
  return mayNest(Class) ? std::nullopt : std::optional(true);
}

ModuleLoops::ModuleLoops(const FunctionDecl *FD) {
  Finder All;
  All.TraverseStmt(FD->getBody());
  for (const CXXForRangeStmt *S : All.Found) {
    const Range Over = S->getRangeInit() && S->getLoopVariable()
                           ? rangeOf(S->getRangeInit())
                           : Range();
    const CXXRecordDecl *Class =
        Over.K == Range::None ? nullptr : moduleClass(Over.Of->getType());
    if (!Class)
      continue;
    Body In(S->getLoopVariable());
    In.TraverseStmt(const_cast<Stmt *>(S->getBody()));
    if (const auto Once = comesOnce(Over, In.asked(), Class)) {
      Loops[S] = {S->getLoopVariable(), Over.Of, *Once ? 1U : 2U};
      ByVariable[S->getLoopVariable()] = S;
    }
  }
}

} // namespace spmd::lint::lower
