//===- TypedOperators.cpp - From the AST to an effect program: spmd:: -----===//
//
// The runtime's operators are collectives on the ranks of their axis, and an
// axis is a communicator: the same one wherever it is asked of the same mesh by
// the same names.
//
//===----------------------------------------------------------------------===//

#include "EffectLowering.h"

#include "cxx/KnownCalls.h"
#include "lower/Recognisers.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;
using spmd::rules::CallForm;
using spmd::rules::CallKind;
using spmd::rules::CallRole;

namespace spmd::lint::effects {

namespace {

/// What the tables of other libraries say of a call, for the runtime's.
class RuntimeCalls {
public:
  RuntimeCalls() { Api.Name = "spmd"; }

  const rules::CollectiveCall &get(CallKind K, CallForm F, CallRole Returns) {
    for (const rules::CollectiveCall &C : Api.Calls)
      if (C.Kind == K && C.Form == F && C.Returns == Returns)
        return C;
    rules::CollectiveCall New;
    New.Kind = K;
    New.Form = F;
    New.Returns = Returns;
    New.Api = &Api;
    Api.Calls.push_back(std::move(New));
    return Api.Calls.back();
  }

private:
  rules::CollectiveApi Api;
};

} // namespace

/// By thread, as files are analysed side by side.
static const rules::CollectiveCall &callOf(CallKind K, CallForm F,
                                           CallRole Returns) {
  static thread_local RuntimeCalls Calls;
  return Calls.get(K, F, Returns);
}

/// The collective that a transfer is; none for those that stay on the rank.
static std::optional<CallKind> kindOf(rules::TransferKind K) {
  using T = rules::TransferKind;
  switch (K) {
  case T::AllReduce:
    return CallKind::AllReduce;
  case T::AllGather:
    return CallKind::AllGather;
  case T::ReduceScatter:
    return CallKind::ReduceScatter;
  case T::AllToAll:
    return CallKind::AllToAll;
  case T::Broadcast:
    return CallKind::Broadcast;
  case T::Reduce:
    return CallKind::Reduce;
  case T::Permute:
    return CallKind::NeighborAllToAll;
  default:
    return std::nullopt;
  }
}

/// The operator that takes one tag to another and keeps the meaning; none
/// where nothing is sent, or where a tag is not known.
static std::optional<CallKind> redistributed(const CallSite &C) {
  llvm::SmallVector<std::optional<rules::LocalType>, 2> Types;
  for (const clang::Expr *A : C.Arguments) {
    const std::string Name = className(A->getType());
    if (const auto T = lower::typeOfTag(A->getType()))
      Types.push_back(T);
    else if (Name == "spmd::Shard" || Name == "spmd::UnevenShard")
      Types.push_back(rules::LocalType::V);
  }
  if (Types.size() != 2)
    return std::nullopt;
  for (const rules::Transition &T : rules::Transitions)
    if (T.Src == Types[0] && T.Dst == Types[1] && T.KeepsMeaning)
      return kindOf(rules::transferOf(T.Op));
  return std::nullopt;
}

/// The classes of what has been started.
static bool isWork(llvm::StringRef Class) {
  return Class == "spmd::Work" || Class == "spmd::TensorWork" ||
         Class == "spmd::BucketWork";
}

static bool takesMesh(const CallSite &C) {
  return llvm::any_of(C.Arguments, [](const clang::Expr *A) {
    return className(A->getType()) == "spmd::Mesh";
  });
}

static bool isView(QualType T) { return className(T) == "spmd::View"; }

/// `{n}`, as the extents of a view of one dim.
static const clang::Expr *onlyExtent(const clang::Expr *E) {
  for (unsigned Depth = 0; Depth != 6; ++Depth) {
    E = E->IgnoreImplicit()->IgnoreParens();
    if (const auto *List = dyn_cast<CXXStdInitializerListExpr>(E))
      E = List->getSubExpr();
    else if (const auto *List = dyn_cast<InitListExpr>(E))
      return List->getNumInits() == 1 ? List->getInit(0) : nullptr;
    else if (const auto *C = dyn_cast<CXXConstructExpr>(E);
             C && C->getNumArgs() >= 1)
      E = C->getArg(0);
    else
      return nullptr;
  }
  return nullptr;
}

//===--- Views and axes -----------------------------------------------------//

/// What makes an axis or a view; false for all other objects.
bool EffectLowering::constructRuntime(const Expr *Into,
                                      const CXXConstructExpr *E) {
  const CallSite C(E);
  const clang::Expr *First = C.argument(0);
  if (C.Name == "spmd::View::View" && First) {
    for (const clang::Expr *A : llvm::drop_begin(C.Arguments))
      value(A);
    assign(Into, value(First), E->getBeginLoc());
    return true;
  }
  // What reduces gradients stands for the axis that it does so on.
  if (C.Name == "spmd::DataParallel::DataParallel")
    if (const auto *On =
            llvm::find_if(C.Arguments,
                          [](const clang::Expr *A) {
                            return commKind(A->getType()).has_value();
                          });
        On != C.Arguments.end()) {
      assign(Into, handleOf(*On), E->getBeginLoc());
      return true;
    }
  // Ranks tell each other how many rows go where.
  if (C.Name == "spmd::Routing::Routing" && C.Arguments.size() > 2) {
    collective(C, CallKind::AllToAll);
    return true;
  }
  // A process group or a communicator of NCCL as an axis.
  if (C.Name == "spmd::Axis::Axis" && First && commKind(First->getType())) {
    assign(Into, handleOf(First), E->getBeginLoc());
    return true;
  }
  return false;
}

/// `View(data, {n})` in place of a view; null for one that has a name.
static const CXXConstructExpr *madeHere(const clang::Expr *A) {
  const clang::Expr *Inner = A->IgnoreImplicit()->IgnoreParens();
  if (const auto *Cast = dyn_cast<CXXFunctionalCastExpr>(Inner))
    Inner = Cast->getSubExpr()->IgnoreImplicit();
  const auto *Made = dyn_cast<CXXConstructExpr>(Inner);
  return Made && isView(Made->getType()) && Made->getNumArgs() &&
                 !Made->getConstructor()->isCopyOrMoveConstructor()
             ? Made
             : nullptr;
}

/// The buffer that a view shows from its first element on.
const EffectLowering::Expr *EffectLowering::viewed(const clang::Expr *A,
                                                   Event &What) {
  const CXXConstructExpr *Made = madeHere(A);
  if (!Made)
    return P.load(place(A->IgnoreParenImpCasts()));
  const Expr *Pointer = value(Made->getArg(0));
  if (Made->getNumArgs() == 2)
    if (const clang::Expr *Extent = onlyExtent(Made->getArg(1))) {
      What.Arguments.emplace_back(CallRole::Count, value(Extent));
      What.PerCount = 1;
    }
  return Pointer;
}

/// The names in the arguments of `mesh.axis("dp")`, `mesh.flatten({…})`.
static void collectNames(const clang::Stmt *S, std::string &Out) {
  if (const auto *Text = dyn_cast<clang::StringLiteral>(S))
    Out += " " + Text->getBytes().str();
  for (const clang::Stmt *Child : S->children())
    if (Child)
      collectNames(Child, Out);
}

/// The axis of these names on the mesh that the call is a method of.
const EffectLowering::Expr *EffectLowering::axisOf(const CallSite &C) {
  Expr Axis;
  Axis.Kind = ExprKind::Apply;
  Axis.Trust = Trust::Unknown;
  Axis.Name = "axis";
  for (const clang::Expr *A : C.Arguments)
    collectNames(A, Axis.Name);
  Axis.Operands.push_back(handleOf(C.Receiver));
  const Expr *At = temporary();
  assign(At, P.add(std::move(Axis)), C.Call->getBeginLoc());
  return At;
}

static CallKind askedBy(const CallSite &C) {
  return C.base() == "rank" ? CallKind::Rank : CallKind::Size;
}

/// The rank on, or the size of, an axis; null: of all there are.
const EffectLowering::Expr *EffectLowering::asked(const CallSite &C, CallKind K,
                                                  const Expr *Axis) {
  const bool IsRank = K == CallKind::Rank;
  Event What;
  What.Call =
      &callOf(K, CallForm::Blocking, IsRank ? CallRole::Rank : CallRole::Size);
  What.Name = C.Name;
  if (Axis)
    What.Arguments.emplace_back(CallRole::Comm, Axis);
  const Expr *Result = temporary();
  Stmt &S = emit(Kind::Event, C.Call->getBeginLoc());
  S.What = std::move(What);
  S.Target = Result;
  return P.load(Result);
}

//===--- Calls --------------------------------------------------------------//

/// A wait for what was started, or the question whether it is done.
const EffectLowering::Expr *EffectLowering::awaited(const CallSite &C) {
  const bool Waits = C.base() == "wait";
  Event What;
  What.Call =
      &callOf(Waits ? CallKind::Wait : CallKind::Test, CallForm::Blocking,
              Waits ? CallRole::Recv : CallRole::Output);
  What.Name = C.Name;
  What.Arguments.emplace_back(CallRole::Request, handleOf(C.Receiver));
  What.Spelled[CallRole::Request] = spelled(C.Receiver);
  const Expr *Result = temporary();
  Stmt &S = emit(Kind::Event, C.Call->getBeginLoc());
  S.What = std::move(What);
  S.Target = Result;
  return C.Call->getType()->isRecordType() ? P.address(Result) : P.load(Result);
}

/// The gradients' buckets, which are the same on all ranks, as one call.
const EffectLowering::Expr *EffectLowering::reduced(const CallSite &C) {
  Event What;
  const CallKind K = C.base() == "gather" ? CallKind::AllGather
                     : C.Name == "spmd::FullySharded::wait"
                         ? CallKind::ReduceScatter
                         : CallKind::AllReduce;
  What.Call = &callOf(K, CallForm::Blocking, CallRole::Status);
  What.Name = C.Name;
  What.Arguments.emplace_back(CallRole::Comm, handleOf(C.Receiver));
  emit(Kind::Event, C.Call->getBeginLoc()).What = std::move(What);
  return P.integer(0);
}

/// all_reduce(x, axis, P, R), all_reduce(in, out, axis, P, R), …
const EffectLowering::Expr *EffectLowering::collective(const CallSite &C,
                                                       CallKind K) {
  const std::string Result = className(C.Call->getType());
  const bool Starts = isWork(Result);
  Event What;
  What.Call = &callOf(K, Starts ? CallForm::Nonblocking : CallForm::Blocking,
                      Starts                            ? CallRole::Request
                      : C.Call->getType()->isVoidType() ? CallRole::Status
                                                        : CallRole::Recv);
  What.Name = C.Name;
  llvm::SmallVector<std::pair<const clang::Expr *, const Expr *>, 2> Buffers;
  for (unsigned I = 0; I != C.Arguments.size(); ++I) {
    const clang::Expr *A = C.Arguments[I];
    const auto Named = [&](llvm::StringRef Name) {
      return I < C.Callee->getNumParams() &&
             C.Callee->getParamDecl(I)->getName() == Name;
    };
    if (isView(A->getType()))
      Buffers.emplace_back(A, viewed(A, What));
    else if (isTensor(A->getType()))
      Buffers.emplace_back(A, storage(place(A->IgnoreParenImpCasts())));
    else if (commKind(A->getType()))
      What.Arguments.emplace_back(CallRole::Comm, handleOf(A));
    else if (Named("root"))
      What.Arguments.emplace_back(CallRole::Root, value(A));
  }
  // A tensor's result is another one; a view's is in its place.
  const bool InPlace =
      Buffers.size() == 1 && isView(Buffers[0].first->getType());
  for (unsigned I = 0; I != Buffers.size(); ++I) {
    const CallRole Role = I         ? CallRole::Recv
                          : InPlace ? CallRole::Buffer
                                    : CallRole::Send;
    What.Arguments.emplace_back(Role, Buffers[I].second);
    const CXXConstructExpr *View = madeHere(Buffers[I].first);
    What.Spelled[Role] = spelled(View ? View->getArg(0) : Buffers[I].first);
  }
  const Expr *Made = temporary();
  Stmt &S = emit(Kind::Event, C.Call->getBeginLoc());
  S.What = std::move(What);
  S.Target = Made;
  return C.Call->getType()->isRecordType() ? P.address(Made) : P.load(Made);
}

/// Null for what is none of the runtime's functions, or does more than its
/// arguments and its result show.
const EffectLowering::Expr *EffectLowering::runtimeCall(const CallSite &C) {
  const llvm::StringRef Name(C.Name);
  if (!Name.starts_with("spmd::"))
    return nullptr;
  if (C.Receiver) {
    if (Name == "spmd::Axis::rank" || Name == "spmd::Axis::size")
      return asked(C, askedBy(C), handleOf(C.Receiver));
    if (Name == "spmd::Mesh::axis" || Name == "spmd::Mesh::flatten" ||
        Name == "spmd::Mesh::group")
      return P.address(axisOf(C));
    if ((Name == "spmd::Mesh::rank" || Name == "spmd::Mesh::size") &&
        C.argument(0))
      return asked(C, askedBy(C), P.load(axisOf(C)));
    if (Name == "spmd::View::data")
      return P.load(place(C.Receiver));
    if (isWork(Name.rsplit("::").first) &&
        (C.base() == "wait" || C.base() == "done"))
      return awaited(C);
    if (Name == "spmd::DataParallel::wait" ||
        Name == "spmd::FullySharded::wait" ||
        Name == "spmd::FullySharded::gather")
      return reduced(C);
  }
  // As what reduces gradients.
  if (Name == "spmd::fully_sharded" && C.argument(1))
    return P.address(place(C.argument(1)));
  if (Name == "spmd::barrier")
    return collective(C, CallKind::Barrier);
  const std::optional<rules::TransferFact> T = typedOperator(Name);
  if (!T)
    return nullptr;
  if (T->K != rules::TransferKind::Redistribute) {
    if (const std::optional<CallKind> K = kindOf(T->K))
      return collective(C, *K);
  } else if (takesMesh(C)) {
    return nullptr;
  } else if (const std::optional<CallKind> K = redistributed(C)) {
    return collective(C, *K);
  }
  // What stays on the rank.
  for (const clang::Expr *A : C.Arguments)
    value(A);
  return C.Call->getType()->isRecordType() ? P.address(temporary())
                                           : P.integer(0);
}

} // namespace spmd::lint::effects
