//===- Buffers.cpp - What is said of the buffers of calls ---------------===//

#include "Buffers.h"

#include "FilledParts.h"
#include "Names.h"
#include "cxx/KnownTypes.h"
#include "lower/Recognisers.h"

#include "spmd/ops/NumberType.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::collectives;
using spmd::rules::CallRole;

namespace spmd::lint::effects {

static bool isBuffer(CallRole Role) {
  return Role == CallRole::Send || Role == CallRole::Recv ||
         Role == CallRole::Buffer;
}

/// The type of what the buffer \p A holds; null: not known.
static QualType elementOf(const clang::Expr *A, const ASTContext &Ctx) {
  const QualType T = A->IgnoreParenImpCasts()->getType();
  return T->isPointerType() ? T->getPointeeType()
         : T->isArrayType() ? Ctx.getBaseElementType(T)
                            : QualType();
}

/// The number of less than 32 bits that a class of CUDA's or libtorch's is, as
/// tables of datatypes call it.
static llvm::StringRef reducedPrecision(QualType T) {
  return llvm::StringSwitch<llvm::StringRef>(className(T))
      .Cases({"__half", "half", "c10::Half"}, "__half")
      .Cases({"__nv_bfloat16", "nv_bfloat16", "c10::BFloat16"}, "__nv_bfloat16")
      .Cases({"__nv_fp8_e4m3", "c10::Float8_e4m3fn"}, "__nv_fp8_e4m3")
      .Cases({"__nv_fp8_e5m2", "c10::Float8_e5m2"}, "__nv_fp8_e5m2")
      .Default("");
}

/// Whether what points to \p Of is no buffer of the datatype \p Known.
static bool isOfOtherType(QualType Of, llvm::StringRef Known,
                          const std::optional<rules::NumberType> &Wanted,
                          const ASTContext &Ctx) {
  if (const llvm::StringRef Is = reducedPrecision(Of); !Is.empty())
    return Is != Known;
  if (!Of->isBuiltinType() || !Of->isArithmeticType() ||
      Of->isAnyCharacterType() || Ctx.getTypeSize(Of) < 32)
    return false;
  return Wanted ? Of->isRealFloatingType() != Wanted->isReal() ||
                      Ctx.getTypeSize(Of) != Wanted->Bits
                : Of->isRealFloatingType() && Known.starts_with("__");
}

/// `x` of `x.data_ptr<float>()` and `x.data()`, and of `x.numel()` and
/// `x.size()`, which may be put into a constant before; null of other code.
static const clang::Expr *containerOf(const clang::Expr *E, bool Count) {
  E = E->IgnoreParenCasts();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *D = dyn_cast<VarDecl>(Ref->getDecl());
    return Count && D && D->isLocalVarDecl() && D->getInit() &&
                   D->getType().isConstQualified()
               ? containerOf(D->getInit(), Count)
               : nullptr;
  }
  const auto *Call = dyn_cast<CXXMemberCallExpr>(E);
  const CXXMethodDecl *Method = Call ? Call->getMethodDecl() : nullptr;
  if (!Method || !Method->getIdentifier() || Call->getNumArgs() != 0)
    return nullptr;
  const llvm::StringRef Name = Method->getName();
  const bool Is = Count ? Name == "numel" || Name == "size"
                        : Name == "data_ptr" || Name == "data";
  return Is ? Call->getImplicitObjectArgument() : nullptr;
}

void Buffers::check(const CallSite &C, const rules::CollectiveCall &Api,
                    llvm::StringRef Name) {
  checkReduced(C, Api, Name);
  checkMoved(C, Api, Name);
  checkFilled(C, Api, Name);
}

/// Of calls that bring as much as is counted.
void Buffers::checkFilled(const CallSite &C, const rules::CollectiveCall &Api,
                          llvm::StringRef Name) {
  using rules::CallKind;
  if (!llvm::is_contained({CallKind::AllReduce, CallKind::ReduceScatter,
                           CallKind::Broadcast, CallKind::Recv},
                          Api.Kind))
    return;
  const auto Given = [&](CallRole Role) {
    const auto At = Api.argument(Role);
    return At ? C.argument(*At) : nullptr;
  };
  const clang::Expr *Buffer = Given(CallRole::Recv),
                    *Count = Given(CallRole::Count),
                    *Type = Given(CallRole::Type);
  if (!Count)
    Count = Given(CallRole::RecvCount);
  if (!Buffer || !Count || !Type)
    return;
  const std::uint64_t Bits = datatypeBits(lower::constantName(Apis, Ctx, Type));
  if (const CallExpr *Copy = copyOfMore(Buffer, C.Call, Count, Bits / 8, Ctx)) {
    collectives::Finding &F = add(BadArgument::Part, C, Name, QualType(), {});
    F.Storage = Out.spelled(Buffer->IgnoreParenCasts());
    F.Other = Copy->getDirectCallee()->getName().str();
    F.OtherAt = Out.site(Copy->getBeginLoc());
  }
}

void Buffers::checkMoved(const CallSite &C, const rules::CollectiveCall &Api,
                         llvm::StringRef Name) {
  const auto Given = [&](std::initializer_list<CallRole> Roles) {
    for (const CallRole Role : Roles)
      if (const auto At = Api.argument(Role); At && C.argument(*At))
        return C.argument(*At);
    return static_cast<const clang::Expr *>(nullptr);
  };
  const clang::Expr *Buffer = Given({CallRole::Send, CallRole::Buffer}),
                    *Count = Given({CallRole::SendCount, CallRole::Count}),
                    *Type = Given({CallRole::SendType, CallRole::Type});
  if (Api.has(CallRole::Op) || !Buffer || !Count || !Type)
    return;
  const std::string Said = lower::constantName(Apis, Ctx, Type);
  const clang::Expr *Held = containerOf(Buffer, /*Count=*/false),
                    *Counted = containerOf(Count, /*Count=*/true);
  const QualType Of = elementOf(Buffer, Ctx);
  const std::uint64_t Bits = datatypeBits(Said);
  if (!Held || !Counted || !Bits || Of.isNull() || !Of->isArithmeticType() ||
      Ctx.getTypeSize(Of) == Bits || Out.spelled(Held) != Out.spelled(Counted))
    return;
  add(BadArgument::OtherSize, C, Name, Of, Said).Storage = Out.spelled(Held);
}

collectives::Finding &Buffers::add(BadArgument What, const CallSite &C,
                                   llvm::StringRef Name, QualType Of,
                                   std::string Said) {
  collectives::Finding &F = Mistyped.emplace_back();
  F.Kind = FindingKind::Argument;
  F.At = Out.site(C.Call->getBeginLoc());
  F.Call = Name.str();
  F.Argument = What;
  if (!Of.isNull())
    F.Held = Of.getUnqualifiedType().getAsString();
  F.Said = std::move(Said);
  return F;
}

void Buffers::checkReduced(const CallSite &C, const rules::CollectiveCall &Api,
                           llvm::StringRef Name) {
  const auto TypeAt = Api.argument(CallRole::Type);
  if (!Api.has(CallRole::Op) || !TypeAt || !C.argument(*TypeAt))
    return;
  const std::string Said = lower::constantName(Apis, Ctx, C.argument(*TypeAt));
  const auto Known = Api.Api->Datatypes.find(Said);
  if (Known == Api.Api->Datatypes.end())
    return;
  const auto Wanted = rules::numberType(
      Known->second,
      {static_cast<unsigned>(Ctx.getTypeSize(Ctx.LongTy)),
       static_cast<unsigned>(Ctx.getTypeSize(Ctx.LongDoubleTy))});
  for (unsigned I = 0; I != Api.Arguments.size(); ++I) {
    if (!C.argument(I) || !isBuffer(Api.Arguments[I]))
      continue;
    const QualType Of = elementOf(C.argument(I), Ctx);
    if (Of.isNull() || !isOfOtherType(Of, Known->second, Wanted, Ctx))
      continue;
    add(BadArgument::Buffer, C, Name, Of, Said);
    return;
  }
}

unsigned Buffers::elementsPerCount(const CallSite &C,
                                   const rules::CollectiveCall &Api) {
  std::optional<unsigned> Each;
  std::uint64_t Bits = 0;
  for (unsigned I = 0; I != Api.Arguments.size(); ++I) {
    const CallRole Role = Api.Arguments[I];
    if (!C.argument(I))
      continue;
    if (Role == CallRole::Type || Role == CallRole::SendType ||
        Role == CallRole::RecvType) {
      const std::uint64_t These =
          datatypeBits(lower::constantName(Apis, Ctx, C.argument(I)));
      if (!These || (Bits && Bits != These))
        return 0;
      Bits = These;
    }
  }
  for (unsigned I = 0; I != Api.Arguments.size(); ++I) {
    if (!C.argument(I) || !isBuffer(Api.Arguments[I]))
      continue;
    const QualType Of = elementOf(C.argument(I), Ctx);
    if (Of.isNull() || Of->isVoidType() || Of->isIncompleteType() ||
        Of->isDependentType())
      continue;
    const std::uint64_t Size = Ctx.getTypeSize(Of);
    if (!Size || Bits % Size || (Each && *Each != Bits / Size))
      return 0;
    Each = Bits / Size;
  }
  return Each.value_or(0);
}

std::uint64_t Buffers::datatypeBits(llvm::StringRef Name) const {
  for (const rules::CollectiveApi &Api : Apis.all()) {
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
    if (!Address || !Index || *Index < 0 || Index->getActiveBits() > 31 ||
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

void Buffers::describe(const CallSite &C, const rules::CollectiveCall &Api,
                       Event &What) {
  What.PerCount = elementsPerCount(C, Api);
  for (unsigned I = 0; I != Api.Arguments.size(); ++I) {
    const CallRole Role = Api.Arguments[I];
    const clang::Expr *A = C.argument(I);
    if (!A)
      continue;
    if (!isBuffer(Role) && Role != CallRole::Request &&
        Role != CallRole::Stream)
      continue;
    What.Spelled[Role] = Out.spelled(A);
    if (!isBuffer(Role))
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
        Given.insert(D->getCanonicalDecl());
    if (classifyWith(A->getType().getNonReferenceType(), nullptr) ==
        TypeClass::TensorList)
      What.Parts[Role] = Exprs.place(A->IgnoreParenImpCasts());
  }
}

} // namespace spmd::lint::effects
