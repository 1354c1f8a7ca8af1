//===- TypedOperators.cpp - From the AST to an effect program: spmd:: -----===//

#include "TypedOperators.h"

#include "cxx/KnownCalls.h"
#include "lower/Recognisers.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace spmd::collectives;
using spmd::rules::CallForm;
using spmd::rules::CallKind;
using spmd::rules::CallRole;

namespace spmd::lint::effects {

const rules::CollectiveCall &TypedOperators::callOf(CallKind K, CallForm F,
                                                    CallRole Returns) {
  for (const rules::CollectiveCall &C : Api->Calls)
    if (C.Kind == K && C.Form == F && C.Returns == Returns)
      return C;
  rules::CollectiveCall New;
  New.Kind = K;
  New.Form = F;
  New.Returns = Returns;
  New.HasStreamOfAxis = true;
  New.Api = Api.get();
  Api->Calls.push_back(std::move(New));
  return Api->Calls.back();
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

bool TypedOperators::construct(const Expr *Into, const CXXConstructExpr *E) {
  const CallSite C(E);
  const clang::Expr *First = C.argument(0);
  if (C.Name == "spmd::View::View" && First) {
    for (const clang::Expr *A : llvm::drop_begin(C.Arguments))
      Exprs.value(A);
    Out.assign(Into, Exprs.value(First), E->getBeginLoc());
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
      Out.assign(Into, Exprs.handle(*On), E->getBeginLoc());
      return true;
    }
  // Ranks tell each other how many rows go where.
  if (C.Name == "spmd::Routing::Routing" && C.Arguments.size() > 2) {
    collective(C, CallKind::AllToAll);
    return true;
  }
  // A process group or a communicator of NCCL as an axis.
  if (C.Name == "spmd::Axis::Axis" && First && commKind(First->getType())) {
    Out.assign(Into, Exprs.handle(First), E->getBeginLoc());
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

const Expr *TypedOperators::viewed(const clang::Expr *A, Event &What) {
  const CXXConstructExpr *Made = madeHere(A);
  if (!Made)
    return P.load(Exprs.place(A->IgnoreParenImpCasts()));
  const Expr *Pointer = Exprs.value(Made->getArg(0));
  if (Made->getNumArgs() == 2)
    if (const clang::Expr *Extent = onlyExtent(Made->getArg(1))) {
      What.Arguments.emplace_back(CallRole::Count, Exprs.value(Extent));
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

const Expr *TypedOperators::axisOf(const CallSite &C) {
  std::string Name = "axis";
  for (const clang::Expr *A : C.Arguments)
    collectNames(A, Name);
  const Expr *At = P.temporary();
  Out.assign(At, P.apply(Name, Trust::Unknown, {Exprs.handle(C.Receiver)}),
             C.Call->getBeginLoc());
  return At;
}

static CallKind askedBy(const CallSite &C) {
  return C.base() == "rank" ? CallKind::Rank : CallKind::Size;
}

const Expr *TypedOperators::asked(const CallSite &C, CallKind K,
                                  const Expr *Axis) {
  const bool IsRank = K == CallKind::Rank;
  Event What;
  What.Call =
      &callOf(K, CallForm::Blocking, IsRank ? CallRole::Rank : CallRole::Size);
  What.Name = C.Name;
  if (Axis)
    What.Arguments.emplace_back(CallRole::Comm, Axis);
  return Out.event(std::move(What), C.Call);
}

//===--- Calls --------------------------------------------------------------//

const Expr *TypedOperators::awaited(const CallSite &C) {
  const bool Waits = C.base() == "wait";
  Event What;
  What.Call =
      &callOf(Waits ? CallKind::Wait : CallKind::Test, CallForm::Blocking,
              Waits ? CallRole::Recv : CallRole::Output);
  What.Name = C.Name;
  What.Arguments.emplace_back(CallRole::Request, Exprs.handle(C.Receiver));
  What.Spelled[CallRole::Request] = Out.spelled(C.Receiver);
  return Out.event(std::move(What), C.Call);
}

const Expr *TypedOperators::reduced(const CallSite &C) {
  Event What;
  const CallKind K = C.base() == "gather" ? CallKind::AllGather
                     : C.Name == "spmd::FullySharded::wait"
                         ? CallKind::ReduceScatter
                         : CallKind::AllReduce;
  What.Call = &callOf(K, CallForm::Blocking, CallRole::Status);
  What.Name = C.Name;
  What.Arguments.emplace_back(CallRole::Comm, Exprs.handle(C.Receiver));
  Out.emit(Kind::Event, C.Call->getBeginLoc()).What = std::move(What);
  return P.integer(0);
}

const Expr *TypedOperators::collective(const CallSite &C, CallKind K) {
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
    else if (isLibraryTensor(A->getType()))
      Buffers.emplace_back(A, P.storage(Exprs.place(A->IgnoreParenImpCasts())));
    else if (commKind(A->getType()))
      What.Arguments.emplace_back(CallRole::Comm, Exprs.handle(A));
    else if (Named("root"))
      What.Arguments.emplace_back(CallRole::Root, Exprs.value(A));
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
    What.Spelled[Role] = Out.spelled(View ? View->getArg(0) : Buffers[I].first);
  }
  return Out.event(std::move(What), C.Call);
}

/// What has an axis and sends nothing, besides operators.
static bool staysOnRank(llvm::StringRef Name) {
  return Name == "spmd::out_partial" || Name == "spmd::scale" ||
         Name == "spmd::invariant_to_replicate" || Name == "spmd::assert_type";
}

const Expr *TypedOperators::local(const CallSite &C) {
  for (const clang::Expr *A : C.Arguments)
    Exprs.value(A);
  return C.Call->getType()->isRecordType() ? P.address(P.temporary())
                                           : P.integer(0);
}

const Expr *TypedOperators::lower(const CallSite &C) {
  const llvm::StringRef Name(C.Name);
  if (!Name.starts_with("spmd::"))
    return nullptr;
  if (C.Receiver) {
    if (Name == "spmd::Axis::rank" || Name == "spmd::Axis::size")
      return asked(C, askedBy(C), Exprs.handle(C.Receiver));
    if (Name == "spmd::Mesh::axis" || Name == "spmd::Mesh::flatten" ||
        Name == "spmd::Mesh::group")
      return P.address(axisOf(C));
    if ((Name == "spmd::Mesh::rank" || Name == "spmd::Mesh::size") &&
        C.argument(0))
      return asked(C, askedBy(C), P.load(axisOf(C)));
    if (Name == "spmd::View::data")
      return P.load(Exprs.place(C.Receiver));
    if (isWork(Name.rsplit("::").first) &&
        (C.base() == "wait" || C.base() == "done"))
      return awaited(C);
    if (meetsRanks(Name))
      return reduced(C);
  }
  // As what reduces gradients.
  if (Name == "spmd::fully_sharded" && C.argument(1))
    return P.address(Exprs.place(C.argument(1)));
  if (Name == "spmd::barrier")
    return collective(C, CallKind::Barrier);
  const std::optional<rules::TransferFact> T = typedOperator(Name);
  if (!T)
    return staysOnRank(Name) ? local(C) : nullptr;
  if (T->K != rules::TransferKind::Redistribute) {
    if (const std::optional<CallKind> K = kindOf(T->K))
      return collective(C, *K);
  } else if (takesMesh(C)) {
    return nullptr;
  } else if (const std::optional<CallKind> K = redistributed(C)) {
    return collective(C, *K);
  }
  return local(C);
}

} // namespace spmd::lint::effects
