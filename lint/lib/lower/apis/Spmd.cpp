//===- Spmd.cpp - The runtime library's own functions ---------------------===//

#include "../Recognisers.h"

#include "cxx/KnownCalls.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {
/// What a tag such as `spmd::R` or `spmd::S(1)` says.
struct Tag {
  Atom Is;
  /// S(i) of an i that nobody knows here, or with sizes of its own.
  bool HasNoSpec = false;
};
} // namespace

/// The dim of `spmd::S(1)` or `spmd::S(1, {2, 1})`, or of a variable that was
/// initialised with it and not changed.
static std::optional<std::int64_t> dimOfTag(ExprLowering &L, const Expr *E,
                                            unsigned Depth = 0) {
  E = strip(E);
  Expr::EvalResult Value;
  if (E->isValueDependent() || E->containsErrors() || Depth > 4)
    return std::nullopt;
  if (className(E->getType()) == "spmd::Shard" &&
      E->EvaluateAsRValue(Value, L.context()) && Value.Val.isStruct() &&
      Value.Val.getStructNumFields() == 1 &&
      Value.Val.getStructField(0).isInt())
    return Value.Val.getStructField(0).getInt().getExtValue();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const auto *VD = dyn_cast<VarDecl>(Ref->getDecl());
    const bool Kept =
        VD && VD->getInit() &&
        (VD->isLocalVarDecl() || VD->getType().isConstQualified()) &&
        L.Body.constancy().isConstant(VD);
    return Kept ? dimOfTag(L, VD->getInit(), Depth + 1) : std::nullopt;
  }
  if (const auto *C = dyn_cast<CXXConstructExpr>(E); C && C->getNumArgs() == 1)
    return dimOfTag(L, C->getArg(0), Depth + 1);
  if (const auto *C = dyn_cast<CallExpr>(E); C && CallSite(C).Name == "spmd::S")
    return L.constant(CallSite(C).argument(0));
  return std::nullopt;
}

static std::optional<Tag> tagOf(ExprLowering &L, const Expr *E) {
  if (const std::optional<LocalType> Type = typeOfTag(E->getType()))
    return Tag{{*Type, std::nullopt}};
  const std::string Name = className(E->getType());
  if (Name != "spmd::Shard" && Name != "spmd::UnevenShard")
    return std::nullopt;
  Tag Out{{LocalType::V, std::nullopt}};
  const std::optional<std::int64_t> Dim = dimOfTag(L, E);
  if (Dim)
    Out.Is.ShardDim = static_cast<int>(*Dim);
  Out.HasNoSpec = !Dim || Name == "spmd::UnevenShard";
  return Out;
}

/// The names in `{"dp", "tp"}`.
static void collectStrings(const Expr *E, std::vector<std::string> &Out,
                           unsigned Depth = 0) {
  if (!E || Depth > 8)
    return;
  E = strip(E);
  if (const StringLiteral *L = stringOf(E)) {
    Out.push_back(L->getString().str());
    return;
  }
  if (const auto *I = dyn_cast<InitListExpr>(E))
    for (const Expr *X : I->inits())
      collectStrings(X, Out, Depth + 1);
  else if (const auto *C = dyn_cast<CXXConstructExpr>(E); C && C->getNumArgs())
    collectStrings(C->getArg(0), Out, Depth + 1);
}

static Recognised lowerMeshOrAxis(ExprLowering &L, const CallSite &C) {
  if (C.Name == "spmd::Mesh::axis" || C.Name == "spmd::Mesh::flatten") {
    std::vector<std::string> Names;
    collectStrings(C.argument(0), Names);
    if (isRefolded(L, C.Receiver))
      Names = unfolded(L, C.Receiver, Names);
    return Names.empty() ? L.define(DefineFact::Kind::Unknown, C.Call)
                         : L.defineAxes(C.Call, std::move(Names));
  }
  if (C.Name == "spmd::Axis::rank")
    return L.defineRank(C.Call, L.value(C.Receiver));
  if (C.Name == "spmd::Axis::size")
    return L.define(DefineFact::Kind::SizeOf, C.Call, L.value(C.Receiver));
  if (C.Name == "spmd::Mesh::rank") {
    std::vector<std::string> Names;
    collectStrings(C.argument(0), Names);
    if (isRefolded(L, C.Receiver))
      Names = unfolded(L, C.Receiver, Names);
    if (Names.empty())
      return L.define(DefineFact::Kind::Unknown, C.Call);
    return L.defineRank(C.Call, L.defineAxes(C.Call, std::move(Names)));
  }
  if (C.Name == "spmd::Axis::Axis") {
    if (C.Arguments.empty())
      return L.define(DefineFact::Kind::Unknown, C.Call);
    if (commKind(C.Arguments[0]->getType()))
      return L.value(C.Arguments[0]);
    std::vector<std::string> Names;
    collectStrings(C.Arguments[0], Names);
    if (Names.empty() || Names[0].empty())
      return L.define(DefineFact::Kind::Unknown, C.Call);
    if (llvm::Expected<std::vector<std::string>> Axes = parseAxes(Names[0]))
      return L.defineAxes(C.Call, std::move(*Axes));
    else
      llvm::consumeError(Axes.takeError());
    return L.define(DefineFact::Kind::Unknown, C.Call);
  }
  if (C.base() == "globalRank") {
    std::vector<std::string> Names;
    if (const MeshSpec *M = L.module().annotations().meshInForce(L.function()))
      for (const MeshAxis &A : M->Axes)
        if (A.Of.empty())
          Names.push_back(A.Name);
    return Names.empty()
               ? L.define(DefineFact::Kind::Unknown, C.Call)
               : L.defineRank(C.Call, L.defineAxes(C.Call, std::move(Names)));
  }
  const llvm::StringRef Name(C.Name);
  if (Name.starts_with("spmd::Axis::") || Name.starts_with("spmd::Mesh::"))
    return classify(C.Call->getType()) == TypeClass::Scalar &&
                   C.base() != "firstRank"
               ? L.define(DefineFact::Kind::Constant, C.Call)
               : L.define(DefineFact::Kind::Unknown, C.Call);
  return std::nullopt;
}

/// A view is the buffer that it shows, a slice a part of it.
static Recognised lowerView(ExprLowering &L, const CallSite &C) {
  const llvm::StringRef Method = C.base();
  const Expr *Of = C.Receiver ? C.Receiver : C.argument(0);
  if (!Of)
    return L.define(DefineFact::Kind::Unknown, C.Call);
  if (Method == "View" || Method == "data" || Method == "transposed")
    return L.value(Of);
  if (Method != "slice")
    return L.define(DefineFact::Kind::Constant, C.Call);
  ViewFact V;
  V.Dst = L.temporary();
  V.Src = L.operand(Of);
  V.Offset = L.operandOrNone(C.argument(1));
  // What else there is of the buffer stays what it is.
  V.K = ViewFact::Kind::Handle;
  V.At = L.place(C.Call);
  const SlotId Dst = V.Dst;
  L.emit(V);
  return Dst;
}

static Recognised lowerAssertType(ExprLowering &L, const CallSite &C) {
  const Operand X = L.operand(C.argument(0));
  const StringLiteral *Text = stringOf(C.argument(1));
  if (!Text || X.Slot == SlotId::None)
    return X.Slot;
  AssertFact A;
  A.Value = X;
  A.Type = L.module().annotations().parseType(Text, L.function()).Value;
  A.At = L.place(C.Call);
  A.DeclaredAt = L.place(Text);
  A.Subject = "assert_type";
  if (A.Type)
    L.emit(std::move(A));
  return X.Slot;
}

static Recognised lowerOutPartial(ExprLowering &L, const CallSite &C) {
  Operand X = L.operand(C.argument(0));
  for (unsigned I = 1; I < C.Arguments.size(); ++I) {
    TransferFact T{};
    T.K = TransferKind::OutPartial;
    T.Dst = L.temporary();
    T.Src = X;
    T.Axis = L.operand(C.Arguments[I]);
    T.At = L.place(C.Call);
    X = {T.Dst, T.At};
    L.emit(T);
  }
  return X.Slot;
}

/// What is started is read as if it were done at once: its handle is nothing,
/// or the tensor that the wait returns.
static Recognised lowerWork(ExprLowering &L, const CallSite &C) {
  if (C.base() == "wait" && C.Receiver)
    return C.Name == "spmd::Work::wait" ? SlotId::None : L.value(C.Receiver);
  return L.define(DefineFact::Kind::Constant, C.Call);
}

/// What a variable of class spmd::DataParallel was made of; null where that is
/// not seen.
static const CXXConstructExpr *madeOf(const Expr *Object) {
  const auto *Ref = dyn_cast<DeclRefExpr>(strip(Object));
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return VD && VD->getInit()
             ? dyn_cast<CXXConstructExpr>(VD->getInit()->IgnoreImplicit())
             : nullptr;
}

/// The gradients of the parameters become their means over the axis, in place.
static Recognised lowerGradientsWait(ExprLowering &L, const CallSite &C) {
  TransferFact T{};
  T.K = TransferKind::AllReduce;
  T.Reduction = ReductionKind::Average;
  T.At = L.place(C.Call);
  const SlotId Gradients = L.gradientOf(L.operand(C.Receiver), C.Call);
  T.Src = T.Out = {Gradients, T.At};
  if (const CXXConstructExpr *Made = madeOf(C.Receiver)) {
    const CallSite Of(Made);
    for (const Expr *A : Of.Arguments)
      if (commKind(A->getType()))
        T.Axis = L.operand(A);
      else if (const std::optional<Tag> Said = tagOf(L, A))
        (T.From ? T.To : T.From) = Said->Is;
  }
  if (!T.From || !T.To || T.Axis.Slot == SlotId::None)
    L.emit(HavocFact{Gradients, /*Rebinds=*/false, T.At});
  else
    L.emit(T);
  return SlotId::None;
}

/// What the operator makes is in a buffer, at once or after the wait.
static bool yieldsNothing(const CallSite &C) {
  return C.Call->getType()->isVoidType() ||
         className(C.Call->getType()) == "spmd::Work";
}

/// all_reduce(x, axis, P, R), all_reduce(in, out, axis, P, R), each perhaps
/// with spmd::expert. Operand and result stand before the axis; what follows it
/// are types, roots and counts.
static Recognised lowerTypedOperator(ExprLowering &L, const CallSite &C,
                                     TransferFact T) {
  T.At = L.place(C.Call);
  llvm::SmallVector<Operand, 2> Buffers;
  llvm::SmallVector<Tag, 2> Tags;
  for (const Expr *A : C.Arguments) {
    if (className(A->getType()) == "spmd::Expert") {
      T.Expert = true;
    } else if (std::optional<Tag> Said = tagOf(L, A)) {
      (Tags.empty() ? T.FromAt : T.ToAt) = L.place(strip(A));
      Tags.push_back(*Said);
    } else if (commKind(A->getType())) {
      T.Axis = L.operand(A);
    } else if (T.Axis.Slot == SlotId::None &&
               classify(A->getType()) != TypeClass::Untracked &&
               className(A->getType()) != "spmd::Site" && !stringOf(A)) {
      Buffers.push_back(L.operand(A));
    }
  }
  if (Buffers.empty())
    return std::nullopt;
  // Shards without a spec are V to local code, and unknown to global code.
  const CheckingMode Mode = L.module().annotations().modeOf(L.function());
  const bool Global = Mode.AllGlobal || !Mode.GlobalAxes.empty();
  const auto Said = [&](unsigned I) -> std::optional<Atom> {
    if (I >= Tags.size() || (Tags[I].HasNoSpec && Global))
      return std::nullopt;
    return Tags[I].Is;
  };
  T.From = Said(0);
  T.To = Said(1);
  T.Src = Buffers[0];
  const bool Void = yieldsNothing(C);
  if (Buffers.size() > 1)
    T.Out = Buffers[1];
  else if (Void)
    T.Out = Buffers[0];
  T.Dst = Void ? SlotId::None : L.temporary();
  const SlotId Dst = T.Dst;
  L.emit(T);
  return Dst;
}

/// scale(x, axis, by), in place.
static Recognised lowerScale(ExprLowering &L, const CallSite &C) {
  const Operand X = L.operand(C.argument(0)), By = L.operand(C.argument(2));
  if (X.Slot != SlotId::None)
    L.emitOp(ScalarRules::get().Mul, {X, By}, C.Call, X.Slot);
  return SlotId::None;
}

/// redistribute(x, mesh, "src", "dst"), redistribute(in, out, mesh, …), and
/// the same started.
static Recognised lowerPlan(ExprLowering &L, const CallSite &C) {
  llvm::SmallVector<const Expr *, 2> Types;
  llvm::SmallVector<Operand, 2> Buffers;
  const Expr *Refolded = nullptr;
  for (const Expr *A : C.Arguments) {
    if (isRefolded(L, A))
      Refolded = A;
    if (const TypeClass K = classify(A->getType());
        K == TypeClass::Tensor || K == TypeClass::Buffer)
      Buffers.push_back(L.operand(A));
    else if (K != TypeClass::Mesh && className(A->getType()) != "spmd::Site")
      Types.push_back(A);
  }
  if (Buffers.empty())
    return std::nullopt;
  AnnotationReader &Reader = L.module().annotations();
  const auto Spec = [&](const Expr *E) {
    if (Refolded)
      return refoldedSpec(L, E, Refolded);
    const StringLiteral *Text = stringOf(E);
    return Text ? Reader.parseType(Text, L.function()).Value
                : evaluatedSpec(L, E);
  };
  TransferFact T{};
  T.K = TransferKind::Redistribute;
  T.Src = Buffers[0];
  if (Buffers.size() > 1)
    T.Out = Buffers[1];
  T.At = L.place(C.Call);
  if (Types.size() == 2) {
    T.FromType = Spec(Types[0]);
    T.FromAt = L.place(stringOf(Types[0]) ? stringOf(Types[0]) : Types[0]);
    T.ToType = Spec(Types[1]);
    T.ToAt = L.place(stringOf(Types[1]) ? stringOf(Types[1]) : Types[1]);
  }
  // Specs that nobody knows here: of the result nothing is known.
  if (!T.FromType || !T.ToType) {
    if (Buffers.size() > 1)
      L.emit(HavocFact{Buffers[1].Slot, /*Rebinds=*/false, T.At});
    return L.define(DefineFact::Kind::Unknown, C.Call);
  }
  T.Dst = yieldsNothing(C) ? SlotId::None : L.temporary();
  const SlotId Dst = T.Dst;
  L.emit(T);
  return Dst;
}

Recognised lowerSpmdCall(ExprLowering &L, const CallSite &C) {
  const llvm::StringRef Name(C.Name);
  if (!Name.starts_with("spmd::"))
    return std::nullopt;
  if (Recognised R = lowerMeshOrAxis(L, C))
    return R;
  if (Name.starts_with("spmd::View::"))
    return lowerView(L, C);
  if (C.Name == "spmd::assert_type")
    return lowerAssertType(L, C);
  if (C.Name == "spmd::out_partial")
    return lowerOutPartial(L, C);
  if ((C.Name == "spmd::redistribute" ||
       C.Name == "spmd::redistribute_async") &&
      llvm::any_of(C.Arguments, [](const Expr *A) {
        return classify(A->getType()) == TypeClass::Mesh;
      }))
    return lowerPlan(L, C);
  if (C.Name == "spmd::invariant_to_replicate") {
    TransferFact T{};
    T.K = TransferKind::Reinterpret;
    T.Src = L.operand(C.argument(0));
    T.Axis = L.operand(C.argument(1));
    T.From = Atom{LocalType::I, std::nullopt};
    T.To = Atom{LocalType::R, std::nullopt};
    T.At = L.place(C.Call);
    T.Dst = L.temporary();
    const SlotId Dst = T.Dst;
    L.emit(T);
    return Dst;
  }
  if (C.Receiver && (Name.starts_with("spmd::Work::") ||
                     Name.starts_with("spmd::TensorWork::") ||
                     Name.starts_with("spmd::BucketWork::")))
    return lowerWork(L, C);
  if (C.Name == "spmd::DataParallel::DataParallel" && C.argument(0))
    return L.value(C.argument(0));
  if (C.Name == "spmd::DataParallel::wait" && C.Receiver)
    return lowerGradientsWait(L, C);
  if (Recognised R = lowerSharded(L, C))
    return R;
  if (C.Name == "spmd::scale")
    return lowerScale(L, C);
  if (C.Name == "spmd::barrier")
    return SlotId::None;
  const std::optional<TransferFact> T = typedOperator(Name);
  return T ? lowerTypedOperator(L, C, *T) : std::nullopt;
}

} // namespace spmd::lint::lower
