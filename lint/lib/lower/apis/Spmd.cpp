//===- Spmd.cpp - The runtime library's own functions ---------------------===//

#include "../CallSite.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// The atom that a tag such as `spmd::R` or `spmd::S(1)` stands for.
static std::optional<Atom> atomOf(const FunctionLowering &L, const Expr *E) {
  const std::string Name = className(E->getType());
  if (Name == "spmd::Replicate")
    return Atom{LocalType::R, std::nullopt};
  if (Name == "spmd::Invariant")
    return Atom{LocalType::I, std::nullopt};
  if (Name == "spmd::Varying")
    return Atom{LocalType::V, std::nullopt};
  if (Name == "spmd::Partial")
    return Atom{LocalType::P, std::nullopt};
  if (Name != "spmd::Shard")
    return std::nullopt;
  Atom A{LocalType::V, std::nullopt};
  Expr::EvalResult Tag;
  if (!E->isValueDependent() && !E->containsErrors() &&
      E->EvaluateAsRValue(Tag, L.context()) && Tag.Val.isStruct() &&
      Tag.Val.getStructNumFields() == 1 && Tag.Val.getStructField(0).isInt())
    A.ShardDim =
        static_cast<int>(Tag.Val.getStructField(0).getInt().getExtValue());
  return A;
}

static const StringLiteral *stringOf(const Expr *E) {
  E = E ? strip(E) : nullptr;
  while (E) {
    E = strip(E->IgnoreParenImpCasts());
    if (const auto *L = dyn_cast<StringLiteral>(E))
      return L;
    const auto *C = dyn_cast<CXXConstructExpr>(E);
    if (!C || C->getNumArgs() == 0)
      return nullptr;
    E = C->getArg(0);
  }
  return nullptr;
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

static Recognised lowerMeshOrAxis(FunctionLowering &L, const CallSite &C) {
  if (C.Name == "spmd::Mesh::axis" || C.Name == "spmd::Mesh::flatten") {
    std::vector<std::string> Names;
    collectStrings(C.argument(0), Names);
    return Names.empty() ? L.define(DefineFact::Kind::Unknown, C.Call)
                         : L.defineAxes(C.Call, std::move(Names));
  }
  if (C.Name == "spmd::Axis::rank")
    return L.defineRank(C.Call, L.value(C.Receiver));
  if (C.Name == "spmd::Mesh::rank") {
    std::vector<std::string> Names;
    collectStrings(C.argument(0), Names);
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
  const llvm::StringRef Name(C.Name);
  if (Name.starts_with("spmd::Axis::") || Name.starts_with("spmd::Mesh::"))
    return classify(C.Call->getType()) == TypeClass::Scalar
               ? L.define(DefineFact::Kind::Constant, C.Call)
               : L.define(DefineFact::Kind::Unknown, C.Call);
  if (Name.starts_with("spmd::View::")) {
    if (C.base() == "View" || C.base() == "data") {
      const Expr *E = C.Receiver ? C.Receiver : C.argument(0);
      return E ? L.value(E) : L.define(DefineFact::Kind::Unknown, C.Call);
    }
    return L.define(DefineFact::Kind::Constant, C.Call);
  }
  return std::nullopt;
}

static Recognised lowerAssertType(FunctionLowering &L, const CallSite &C) {
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

static Recognised lowerOutPartial(FunctionLowering &L, const CallSite &C) {
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
static Recognised lowerWork(FunctionLowering &L, const CallSite &C) {
  if (C.base() == "wait" && C.Receiver)
    return C.Name == "spmd::TensorWork::wait" ? L.value(C.Receiver)
                                              : SlotId::None;
  return L.define(DefineFact::Kind::Constant, C.Call);
}

/// all_reduce(x, axis, P, R), all_reduce(in, out, axis, P, R), each perhaps
/// with spmd::expert.
static Recognised lowerTypedOperator(FunctionLowering &L, const CallSite &C,
                                     TransferKind K) {
  TransferFact T{};
  T.K = K;
  T.At = L.place(C.Call);
  llvm::SmallVector<Operand, 2> Buffers;
  for (const Expr *A : C.Arguments) {
    if (className(A->getType()) == "spmd::Expert") {
      T.Expert = true;
    } else if (std::optional<Atom> Tag = atomOf(L, A)) {
      (T.From ? T.To : T.From) = *Tag;
      (T.To ? T.ToAt : T.FromAt) = L.place(strip(A));
    } else if (commKind(A->getType())) {
      T.Axis = L.operand(A);
    } else if (classify(A->getType()) != TypeClass::Untracked &&
               className(A->getType()) != "spmd::Site" && !stringOf(A)) {
      Buffers.push_back(L.operand(A));
    }
  }
  if (Buffers.empty())
    return std::nullopt;
  T.Src = Buffers[0];
  const bool Void = C.Call->getType()->isVoidType() ||
                    className(C.Call->getType()) == "spmd::Work";
  if (Buffers.size() > 1)
    T.Out = Buffers[1];
  else if (Void)
    T.Out = Buffers[0];
  T.Dst = Void ? SlotId::None : L.temporary();
  const SlotId Dst = T.Dst;
  L.emit(T);
  return Dst;
}

/// redistribute(x, mesh, "src", "dst"), redistribute(in, out, mesh, …).
static Recognised lowerPlan(FunctionLowering &L, const CallSite &C) {
  llvm::SmallVector<const StringLiteral *, 2> Types;
  llvm::SmallVector<Operand, 2> Buffers;
  for (const Expr *A : C.Arguments) {
    if (const StringLiteral *Text = stringOf(A))
      Types.push_back(Text);
    else if (const TypeClass K = classify(A->getType());
             K == TypeClass::Tensor || K == TypeClass::Buffer)
      Buffers.push_back(L.operand(A));
  }
  if (Types.size() != 2 || Buffers.empty())
    return std::nullopt;
  AnnotationReader &Reader = L.module().annotations();
  TransferFact T{};
  T.K = TransferKind::Redistribute;
  T.Src = Buffers[0];
  if (Buffers.size() > 1)
    T.Out = Buffers[1];
  T.FromType = Reader.parseType(Types[0], L.function()).Value;
  T.FromAt = L.place(Types[0]);
  T.ToType = Reader.parseType(Types[1], L.function()).Value;
  T.ToAt = L.place(Types[1]);
  T.At = L.place(C.Call);
  if (!T.FromType || !T.ToType)
    return L.define(DefineFact::Kind::Unknown, C.Call);
  T.Dst = C.Call->getType()->isVoidType() ? SlotId::None : L.temporary();
  const SlotId Dst = T.Dst;
  L.emit(T);
  return Dst;
}

Recognised lowerSpmdCall(FunctionLowering &L, const CallSite &C) {
  const llvm::StringRef Name(C.Name);
  if (!Name.starts_with("spmd::"))
    return std::nullopt;
  if (Recognised R = lowerMeshOrAxis(L, C))
    return R;
  if (C.Name == "spmd::assert_type")
    return lowerAssertType(L, C);
  if (C.Name == "spmd::out_partial")
    return lowerOutPartial(L, C);
  if (C.Name == "spmd::redistribute" &&
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
                     Name.starts_with("spmd::TensorWork::")))
    return lowerWork(L, C);
  using TK = TransferKind;
  llvm::StringRef Operator = Name;
  Operator.consume_back("_async");
  const std::optional<TK> K =
      llvm::StringSwitch<std::optional<TK>>(Operator)
          .Case("spmd::all_reduce", TK::AllReduce)
          .Case("spmd::all_gather", TK::AllGather)
          .Case("spmd::reduce_scatter", TK::ReduceScatter)
          .Case("spmd::all_to_all", TK::AllToAll)
          .Case("spmd::reinterpret", TK::Reinterpret)
          .Case("spmd::convert", TK::Convert)
          .Case("spmd::redistribute", TK::Redistribute)
          .Default(std::nullopt);
  return K ? lowerTypedOperator(L, C, *K) : std::nullopt;
}

} // namespace spmd::lint::lower
