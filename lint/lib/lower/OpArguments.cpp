//===- OpArguments.cpp - What calls of ops pass besides tensors -----------===//

#include "OpArguments.h"

#include "SizeReader.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

struct ArgumentType {
  enum class Kind : std::uint8_t {
    None, ///< a tensor, a dtype, a generator: says nothing of dims
    Integer,
    Bool,
    String,
    List,    ///< of integers
    Unknown, ///< dims by name, indices of all sorts
    Options, ///< a struct of libtorch's functional interface
  };
  Kind K = Kind::None;
  bool Optional = false;
};

} // namespace

static ArgumentType argumentType(QualType T) {
  using K = ArgumentType::Kind;
  T = T.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (T->isBooleanType())
    return {K::Bool};
  if (T->isIntegerType() && !T->isEnumeralType())
    return {K::Integer};
  if (T->isPointerType())
    return {T->getPointeeType()->isCharType() ? K::String : K::None};
  const std::string Name = className(T);
  if (Name == "std::optional" || Name == "c10::optional")
    return {argumentType(elementType(T)).K, /*Optional=*/true};
  const bool OptionalList = Name == "c10::OptionalArrayRef";
  if (OptionalList || llvm::StringSwitch<bool>(Name)
                          .Cases({"c10::ArrayRef", "std::vector", "std::array",
                                  "std::initializer_list"},
                                 true)
                          .Default(false)) {
    const K Of = argumentType(elementType(T)).K;
    return {Of == K::Integer   ? K::List
            : Of == K::Unknown ? Of
                               : K::None,
            OptionalList};
  }
  if (llvm::StringRef(Name).starts_with("torch::nn::") &&
      llvm::StringRef(Name).ends_with("Options"))
    return {K::Options};
  return {llvm::StringSwitch<K>(Name)
              .Case("c10::SymInt", K::Integer)
              .Cases({"torch::ExpandingArray",
                      "torch::ExpandingArrayWithOptionalElem"},
                     K::List)
              .Cases({"std::basic_string", "std::basic_string_view",
                      "c10::basic_string_view"},
                     K::String)
              .Cases({"at::Dimname", "at::indexing::TensorIndex"}, K::Unknown)
              .Default(K::None)};
}

/// `arange(n)` counts to a number of any type.
static bool isBound(const ParmVarDecl *P) {
  const std::string Name = className(P->getType().getNonReferenceType());
  return (Name == "c10::Scalar" || Name == "at::Scalar") &&
         P->getIdentifier() &&
         (P->getName() == "start" || P->getName() == "end" ||
          P->getName() == "step");
}

/// The number that an at::Scalar is made of.
static const Expr *numberIn(const Expr *E) {
  E = strip(E)->IgnoreParenImpCasts();
  const auto *Made = dyn_cast<CXXConstructExpr>(E);
  return Made && Made->getNumArgs() ? numberIn(Made->getArg(0)) : E;
}

/// Whether an optional argument has no value. Two braces are an empty list.
static bool isNone(const Expr *E) {
  E = strip(E);
  if (const auto *D = dyn_cast<CXXDefaultArgExpr>(E))
    return isNone(D->getExpr());
  return isAbsent(E);
}

static OpArgument argument(ExprLowering &L, std::string Name, const Expr *E,
                           ArgumentType T) {
  using K = ArgumentType::Kind;
  SizeReader Read(L);
  OpArgument Out;
  Out.Name = std::move(Name);
  if (T.Optional && isNone(E)) {
    Out.Value = OpArgument::None();
    return Out;
  }
  if (T.K == K::Integer) {
    if (std::optional<SizeValue> V = Read.size(E))
      Out.Value = std::move(*V);
  } else if (T.K == K::Bool) {
    if (const std::optional<bool> V = Read.boolean(E))
      Out.Value = *V;
  } else if (T.K == K::List) {
    if (std::optional<SizeList> V = Read.list(E))
      Out.Value = std::move(*V);
  } else if (T.K == K::String) {
    if (std::optional<std::string> V = Read.string(E))
      Out.Value = std::move(*V);
  }
  return Out;
}

static void add(OpArguments &Out, OpArgument A) {
  for (OpArgument &Old : Out)
    if (Old.Name == A.Name) {
      Old = std::move(A);
      return;
    }
  Out.push_back(std::move(A));
}

/// at::Reduction of `torch::kSum` and its like, also in the variant that
/// options keep it in.
static OpArgument reduction(const Expr *E) {
  OpArgument Out{"reduction", std::nullopt};
  for (E = strip(E); !Out.Value;) {
    const int Number = llvm::StringSwitch<int>(className(E->getType()))
                           .Case("torch::enumtype::kNone", 0)
                           .Case("torch::enumtype::kMean", 1)
                           .Case("torch::enumtype::kSum", 2)
                           .Default(-1);
    const auto *Made = dyn_cast<CXXConstructExpr>(E);
    if (Number >= 0) {
      SizeValue Value;
      Value.Number = Number;
      Out.Value = std::move(Value);
    } else if (Made && Made->getNumArgs() != 0) {
      E = strip(Made->getArg(0));
    } else {
      break;
    }
  }
  return Out;
}

static bool isArgument(ArgumentType T) {
  return T.K != ArgumentType::Kind::None && T.K != ArgumentType::Kind::Options;
}

/// `SoftmaxFuncOptions(-1)`, `NormalizeFuncOptions().p(2).dim(-1)`. The members
/// that nothing sets have the values that they are declared with.
static void readOptions(ExprLowering &L, const Expr *E, OpArguments &Out) {
  E = strip(E)->IgnoreParenImpCasts();
  if (const auto *D = dyn_cast<CXXDefaultArgExpr>(E))
    return readOptions(L, D->getExpr(), Out);
  if (const auto *C = dyn_cast<CXXFunctionalCastExpr>(E))
    return readOptions(L, C->getSubExpr(), Out);
  const CXXRecordDecl *Class = E->getType()->getAsCXXRecordDecl();
  if (const auto *C = dyn_cast<CXXConstructExpr>(E)) {
    const CXXConstructorDecl *Ctor = C->getConstructor();
    if (Ctor->isCopyOrMoveConstructor())
      return readOptions(L, C->getArg(0), Out);
    for (const FieldDecl *Field : Class->fields()) {
      llvm::StringRef Name = Field->getName();
      const ArgumentType T = argumentType(Field->getType());
      if (Name == "reduction_" && Field->hasInClassInitializer())
        add(Out, reduction(Field->getInClassInitializer()));
      if (!isArgument(T) || !Name.consume_back("_"))
        continue;
      add(Out, Field->hasInClassInitializer() && Field->getInClassInitializer()
                   ? argument(L, Name.str(), Field->getInClassInitializer(), T)
                   : OpArgument{Name.str(), std::nullopt});
    }
    for (unsigned I = 0; I != C->getNumArgs() && I != Ctor->getNumParams(); ++I)
      if (const ParmVarDecl *P = Ctor->getParamDecl(I);
          P->getName() == "reduction")
        add(Out, reduction(C->getArg(I)));
      else if (isArgument(argumentType(P->getType())))
        add(Out, argument(L, P->getNameAsString(), C->getArg(I),
                          argumentType(P->getType())));
    return;
  }
  if (const auto *C = dyn_cast<CXXMemberCallExpr>(E);
      C && C->getMethodDecl() && C->getNumArgs() == 1) {
    readOptions(L, C->getImplicitObjectArgument(), Out);
    const CXXMethodDecl *Setter = C->getMethodDecl();
    const ArgumentType T = argumentType(Setter->getParamDecl(0)->getType());
    if (Setter->getIdentifier() && Setter->getName() == "reduction")
      add(Out, reduction(C->getArg(0)));
    else if (isArgument(T) && Setter->getIdentifier())
      add(Out, argument(L, Setter->getNameAsString(), C->getArg(0), T));
    return;
  }
  // Made elsewhere: any of its members may be anything.
  if (!Class)
    return;
  Class = Class->hasDefinition() ? Class->getDefinition() : Class;
  for (const CXXConstructorDecl *Ctor : Class->ctors())
    for (const ParmVarDecl *P : Ctor->parameters())
      if (isArgument(argumentType(P->getType())))
        add(Out, {P->getNameAsString(), std::nullopt});
  for (const FieldDecl *Field : Class->fields())
    if (llvm::StringRef Name = Field->getName();
        isArgument(argumentType(Field->getType())) && Name.consume_back("_"))
      add(Out, {Name.str(), std::nullopt});
}

OpArguments argumentsOf(ExprLowering &L, const CallSite &C) {
  OpArguments Out;
  const auto *Op = dyn_cast<CXXOperatorCallExpr>(C.Call);
  if (Op && Op->getOperator() == OO_Subscript) {
    SizeValue First;
    First.Number = 0;
    Out.push_back({"dim", First});
    if (const Expr *Index = C.argument(0)) {
      ArgumentType T{ArgumentType::Kind::Integer, false};
      Out.push_back(argument(L, "index", Index, T));
    }
    return Out;
  }
  for (unsigned I = 0; I != C.Arguments.size() && I < C.Callee->getNumParams();
       ++I) {
    const ParmVarDecl *P = C.Callee->getParamDecl(I);
    const ArgumentType T = argumentType(P->getType());
    if (isBound(P))
      Out.push_back(argument(L, P->getNameAsString(), numberIn(C.Arguments[I]),
                             {ArgumentType::Kind::Integer}));
    if (T.K == ArgumentType::Kind::None)
      continue;
    if (T.K == ArgumentType::Kind::Options) {
      readOptions(L, C.Arguments[I], Out);
      // The catalogue's defaults are libtorch's.
      if (isa<CXXDefaultArgExpr>(strip(C.Arguments[I])))
        continue;
    }
    Out.push_back(argument(L, P->getNameAsString(), C.Arguments[I], T));
  }
  return Out;
}

} // namespace spmd::lint::lower
