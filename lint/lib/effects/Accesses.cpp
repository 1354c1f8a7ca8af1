//===- Accesses.cpp - From the AST to an effect program: storage in use ---===//
//
// What calls of others do to storage, at once or on a stream: as far as it
// decides whether an operation that still runs is disturbed.
//
//===----------------------------------------------------------------------===//

#include "EffectLowering.h"

#include "cxx/KnownTypes.h"
#include "lower/Recognisers.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::collectives;
using spmd::rules::CallRole;

namespace spmd::lint::effects {

/// Longer expressions are not named in messages.
static constexpr std::size_t MaxSpelled = 40;

std::string EffectLowering::spelled(const clang::Expr *E) const {
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E);
      U && U->getOpcode() == UO_AddrOf)
    E = U->getSubExpr()->IgnoreParenImpCasts();
  const SourceManager &SM = Ctx.getSourceManager();
  const CharSourceRange Range = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(E->getSourceRange()), SM,
      Ctx.getLangOpts());
  const llvm::StringRef Text =
      Lexer::getSourceText(Range, SM, Ctx.getLangOpts());
  return Text.size() <= MaxSpelled && !Text.contains('\n') ? Text.str() : "";
}

//===--- Accesses -----------------------------------------------------------//

EffectLowering::Stmt &EffectLowering::access(const Expr *Pointer, bool Writes,
                                             llvm::StringRef By,
                                             SourceLocation At) {
  Stmt &S = emit(Kind::Access, At);
  S.Value = Pointer;
  S.Writes = Writes;
  S.Name = By.str();
  return S;
}

void EffectLowering::end(const Expr *Pointer, llvm::StringRef By,
                         SourceLocation At) {
  Stmt &S = emit(Kind::End, At);
  S.Value = Pointer;
  S.Name = By.str();
}

/// The storage of a tensor, to which its handle points.
const EffectLowering::Expr *EffectLowering::storage(const Expr *Handle) {
  return P.load(field(Handle, StorageField));
}

bool EffectLowering::isTensor(QualType T) {
  return classifyWith(T.getNonReferenceType(), nullptr) == TypeClass::Tensor;
}

bool EffectLowering::isVector(QualType T) {
  const CXXRecordDecl *RD = T.getNonReferenceType()->getAsCXXRecordDecl();
  return RD && RD->isInStdNamespace() && RD->getIdentifier() &&
         RD->getName() == "vector";
}

/// 'r' and 'w' for the pointers of functions that everybody knows.
static llvm::StringRef hostAccesses(llvm::StringRef Name) {
  return llvm::StringSwitch<llvm::StringRef>(Name)
      .Cases({"memcpy", "memmove", "strcpy", "strncpy"}, "wr")
      .Cases({"memset", "bzero", "fill", "fill_n", "iota", "sort", "fread"},
             "w")
      .Cases({"copy", "copy_n"}, "r-w")
      .Cases({"accumulate", "fwrite"}, "r")
      .Default("");
}

/// True: all is said of what it does with its arguments.
bool EffectLowering::hostCall(const CallSite &C, llvm::StringRef Name,
                              llvm::ArrayRef<const Expr *> Values) {
  const SourceLocation At = C.Call->getBeginLoc();
  if (Name == "free" && C.Arguments.size() == 1) {
    end(Values[0], "free", At);
    return true;
  }
  const llvm::StringRef Does = hostAccesses(Name);
  for (unsigned I = 0; I < Does.size() && I < C.Arguments.size(); ++I)
    if (C.Arguments[I]->getType()->isPointerType() && Does[I] != '-')
      access(Values[I], Does[I] == 'w', Name, At);
  return !Does.empty();
}

/// Reads and writes of tensors by whatever is no view of them.
void EffectLowering::tensorAccesses(const CallSite &C,
                                    llvm::ArrayRef<const Expr *> Values) {
  const auto Touches = [](llvm::StringRef Name) {
    return llvm::StringSwitch<bool>(Name)
        .Cases({"add", "add_", "sub", "sub_", "mul", "mul_", "div", "div_",
                "copy_", "zero_", "fill_", "sum", "mean"},
               true)
        .Cases({"matmul", "mm", "bmm", "linear", "relu", "relu_", "gelu",
                "softmax", "clone", "item", "norm", "max", "min"},
               true)
        .Cases({"cat", "sqrt", "exp", "abs", "clamp", "clamp_", "addcmul_",
                "addcdiv_", "add_out", "backward", "to", "cpu"},
               true)
        .Default(false);
  };
  const auto *Operator = dyn_cast<CXXOperatorCallExpr>(C.Call);
  const OverloadedOperatorKind Op =
      Operator ? Operator->getOperator() : OO_None;
  const bool InPlace = Op == OO_PlusEqual || Op == OO_MinusEqual ||
                       Op == OO_StarEqual || Op == OO_SlashEqual;
  const bool Computes = InPlace || Op == OO_Plus || Op == OO_Minus ||
                        Op == OO_Star || Op == OO_Slash;
  const llvm::StringRef Name =
      C.Callee->getIdentifier() ? C.Callee->getName() : "";
  if (!Computes && !Touches(Name))
    return;
  const auto Touch = [&](const Expr *Handle, bool Writes) {
    access(storage(Handle), Writes, Computes ? "" : Name,
           C.Call->getBeginLoc());
  };
  if (C.Receiver && isTensor(C.Receiver->getType()))
    Touch(place(C.Receiver->IgnoreParenImpCasts()),
          InPlace || Name.ends_with("_"));
  for (unsigned I = 0; I != C.Arguments.size(); ++I)
    if (isTensor(C.Arguments[I]->getType()) &&
        Values[I]->Kind == ExprKind::Load)
      Touch(Values[I]->Operands[0], false);
}

/// Arguments that code that is not seen can do anything with.
void EffectLowering::hand(const CallSite &C,
                          llvm::ArrayRef<const Expr *> Values) {
  std::vector<const Expr *> Given;
  for (unsigned I = 0; I != C.Arguments.size(); ++I) {
    const clang::Expr *A = C.Arguments[I];
    const QualType T = A->IgnoreParenImpCasts()->getType();
    const bool InPlace = T->isRecordType() || A->isGLValue();
    if (InPlace && Values[I]->Kind == ExprKind::Load)
      Given.push_back(P.address(Values[I]->Operands[0]));
    else if (!InPlace && !isa<clang::StringLiteral>(A) &&
             (A->getType()->isPointerType() || T->getAs<TypedefType>()))
      Given.push_back(Values[I]);
  }
  if (!Given.empty())
    emit(Kind::Hand, C.Call->getBeginLoc()).Arguments = std::move(Given);
}

//===--- Calls of communication libraries -----------------------------------//

/// How many elements of a buffer one of what is counted stands for.
unsigned EffectLowering::elementsPerCount(const CallSite &C,
                                          const rules::CollectiveCall &Api) {
  std::optional<unsigned> Out;
  std::uint64_t Bits = 0;
  for (unsigned I = 0; I != Api.Arguments.size(); ++I) {
    const CallRole Role = Api.Arguments[I];
    if (!C.argument(I))
      continue;
    if (Role == CallRole::Type || Role == CallRole::SendType ||
        Role == CallRole::RecvType) {
      const std::uint64_t These =
          datatypeBits(lower::constantName(*Cfg.Apis, Ctx, C.argument(I)));
      if (!These || (Bits && Bits != These))
        return 0;
      Bits = These;
    }
  }
  for (unsigned I = 0; I != Api.Arguments.size(); ++I) {
    const CallRole Role = Api.Arguments[I];
    if (!C.argument(I) || (Role != CallRole::Send && Role != CallRole::Recv &&
                           Role != CallRole::Buffer))
      continue;
    const QualType T = C.argument(I)->IgnoreParenImpCasts()->getType();
    const QualType Of = T->isPointerType() ? T->getPointeeType()
                        : T->isArrayType() ? Ctx.getBaseElementType(T)
                                           : QualType();
    if (Of.isNull() || Of->isVoidType() || Of->isIncompleteType() ||
        Of->isDependentType())
      continue;
    const std::uint64_t Size = Ctx.getTypeSize(Of);
    if (!Size || Bits % Size || (Out && *Out != Bits / Size))
      return 0;
    Out = Bits / Size;
  }
  return Out.value_or(0);
}

std::uint64_t EffectLowering::datatypeBits(llvm::StringRef Name) const {
  for (const rules::CollectiveApi &Api : Cfg.Apis->all()) {
    const auto It = Api.Datatypes.find(Name);
    if (It == Api.Datatypes.end())
      continue;
    return llvm::StringSwitch<std::uint64_t>(It->second)
        .Cases({"char", "signed char", "unsigned char", "int8_t", "uint8_t",
                "std::byte"},
               8)
        .Cases({"short", "unsigned short", "int16_t", "uint16_t", "__half",
                "__nv_bfloat16"},
               16)
        .Cases({"int", "unsigned", "int32_t", "uint32_t", "float"}, 32)
        .Cases({"long", "unsigned long"}, Ctx.getTypeSize(Ctx.LongTy))
        .Cases({"double", "int64_t", "uint64_t", "long long",
                "unsigned long long"},
               64)
        .Default(0);
  }
  return 0;
}

/// The bytes of a variable behind \p Buffer: of `x` for `&x`, of the rest of
/// the array for `&a[2]`.
static std::optional<std::int64_t> roomBehind(const clang::Expr *Buffer,
                                              const ASTContext &Ctx) {
  Buffer = Buffer->IgnoreParenCasts();
  const auto *Address = dyn_cast<UnaryOperator>(Buffer);
  if (Address && Address->getOpcode() != UO_AddrOf)
    return std::nullopt;
  const clang::Expr *Of =
      Address ? Address->getSubExpr()->IgnoreParens() : Buffer;
  std::int64_t Before = 0;
  if (const auto *Element = dyn_cast<ArraySubscriptExpr>(Of)) {
    const auto Index = Element->getIdx()->isValueDependent()
                           ? std::nullopt
                           : Element->getIdx()->getIntegerConstantExpr(Ctx);
    if (!Address || !Index || *Index < 0 ||
        Element->getType()->isDependentType())
      return std::nullopt;
    Before = Index->getExtValue() *
             Ctx.getTypeSizeInChars(Element->getType()).getQuantity();
    Of = Element->getBase()->IgnoreParenImpCasts();
    if (!Of->getType()->isConstantArrayType())
      return std::nullopt;
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(Of);
  const auto *D = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!D || D->getType()->isReferenceType() || D->getType()->isDependentType())
    return std::nullopt;
  const QualType T = D->getType();
  if (Address ? !T->isArithmeticType() && !T->isConstantArrayType()
              : !T->isConstantArrayType())
    return std::nullopt;
  return Ctx.getTypeSizeInChars(T).getQuantity() - Before;
}

/// What is said of the call's buffers, beside their values.
void EffectLowering::describe(const CallSite &C,
                              const rules::CollectiveCall &Api, Event &What) {
  What.PerCount = elementsPerCount(C, Api);
  for (unsigned I = 0; I != Api.Arguments.size(); ++I) {
    const CallRole Role = Api.Arguments[I];
    const clang::Expr *A = C.argument(I);
    if (!A)
      continue;
    const bool IsBuffer = Role == CallRole::Send || Role == CallRole::Recv ||
                          Role == CallRole::Buffer;
    if (!IsBuffer && Role != CallRole::Request && Role != CallRole::Stream)
      continue;
    What.Spelled[Role] = spelled(A);
    if (!IsBuffer)
      continue;
    if (const auto Room = roomBehind(A, Ctx))
      What.Room[Role] = *Room;
    const clang::Expr *Inner = A->IgnoreParenCasts();
    if (const auto *U = dyn_cast<UnaryOperator>(Inner);
        U && U->getOpcode() == UO_AddrOf)
      Inner = U->getSubExpr()->IgnoreParens();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Inner))
      if (const auto *D = dyn_cast<VarDecl>(Ref->getDecl());
          D && D->hasLocalStorage() && !isByReference(D) &&
          !D->getType()->isPointerType() && !D->getType()->isRecordType())
        Buffers.insert(D->getCanonicalDecl());
    if (classifyWith(A->getType().getNonReferenceType(), nullptr) ==
        TypeClass::TensorList)
      What.Parts[Role] = place(A->IgnoreParenImpCasts());
  }
}

/// The storage of buffers that \p S declares ends with it.
void EffectLowering::endBuffers(const CompoundStmt *S) {
  if (S == Current->getBody())
    return;
  for (const clang::Stmt *Child : S->body())
    if (const auto *DS = dyn_cast<DeclStmt>(Child))
      for (const Decl *D : DS->decls())
        if (const auto *VD = dyn_cast<VarDecl>(D);
            VD && Buffers.contains(VD->getCanonicalDecl()))
          end(P.address(P.variable(variableOf(VD))), "", S->getRBracLoc());
}

//===--- Containers ---------------------------------------------------------//

/// Elements one by one, and how many: null where it is not known what is done.
const EffectLowering::Expr *EffectLowering::containerCall(const CallSite &C) {
  const auto *MD = dyn_cast<CXXMethodDecl>(C.Callee);
  if (!MD || !C.Receiver || !MD->getIdentifier() ||
      C.Receiver->getType()->isPointerType() ||
      !isVector(C.Receiver->getType()))
    return nullptr;
  const llvm::StringRef Name = MD->getName();
  const Expr *Of = place(C.Receiver);
  const Expr *Size = field(Of, "size()");
  const SourceLocation At = C.Call->getBeginLoc();
  if (Name == "back" && C.Arguments.empty())
    return P.address(element(
        Of, P.binary(Operator::Subtract, P.load(Size), P.integer(1)), false));
  if (Name == "front" && C.Arguments.empty())
    return P.address(element(Of, P.integer(0), false));
  if (Name == "clear") {
    assign(Size, P.integer(0), At);
    return P.integer(0);
  }
  if ((Name != "push_back" && Name != "emplace_back") || C.Arguments.size() > 1)
    return nullptr;
  const Expr *New = element(Of, P.load(Size), false);
  if (!C.Arguments.empty())
    initialise(New, C.Arguments[0]);
  assign(Size, P.binary(Operator::Add, P.load(Size), P.integer(1)), At);
  return P.address(element(
      Of, P.binary(Operator::Subtract, P.load(Size), P.integer(1)), false));
}

/// A container of what is listed, or of so many; false: of whatever.
bool EffectLowering::constructContainer(const Expr *Into,
                                        const CXXConstructExpr *E) {
  if (!isVector(E->getType()))
    return false;
  const Expr *Size = field(Into, "size()");
  const auto Explicit =
      llvm::count_if(E->arguments(), [](const clang::Expr *A) {
        return !isa<CXXDefaultArgExpr>(A);
      });
  if (Explicit == 0) {
    forget(Into, E->getBeginLoc());
    assign(Size, P.integer(0), E->getBeginLoc());
    return true;
  }
  const clang::Expr *First = E->getArg(0)->IgnoreImplicit();
  if (const auto *List = dyn_cast<CXXStdInitializerListExpr>(First))
    First = List->getSubExpr()->IgnoreImplicit();
  if (const auto *List = dyn_cast<InitListExpr>(First)) {
    forget(Into, E->getBeginLoc());
    for (unsigned I = 0; I != List->getNumInits(); ++I)
      initialise(element(Into, P.integer(I), false), List->getInit(I));
    assign(Size, P.integer(List->getNumInits()), E->getBeginLoc());
    return true;
  }
  if (!E->getArg(0)->getType()->isIntegerType())
    return false;
  const Expr *Count = value(E->getArg(0));
  forget(Into, E->getBeginLoc());
  assign(Size, Count, E->getBeginLoc());
  return true;
}

} // namespace spmd::lint::effects
