//===- Std.cpp - Containers, smart pointers, tuples -----------------------===//

#include "../Contracts.h"
#include "../Elements.h"
#include "../IteratorLoops.h"
#include "../LowerCall.h"
#include "../LowerOperators.h"
#include "../Recognisers.h"
#include "../Stores.h"

#include "cxx/Constructors.h"
#include "cxx/Tuples.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// Wrappers and containers have one slot with what they hold.
static bool isTransparent(llvm::StringRef Class) {
  return llvm::StringSwitch<bool>(Class)
             .Cases({"std::vector", "std::array", "std::span", "std::optional",
                     "std::shared_ptr", "std::unique_ptr", "std::deque",
                     "std::list", "std::initializer_list",
                     "std::reference_wrapper", "c10::ArrayRef",
                     "c10::intrusive_ptr", "c10::optional", "c10::List",
                     "std::tuple", "std::pair", "std::map",
                     "std::unordered_map"},
                    true)
             .Cases({"torch::OrderedDict", "torch::nn::ModuleHolder",
                     "std::valarray", "__gnu_cxx::__normal_iterator",
                     "std::atomic", "thrust::device_vector",
                     "thrust::device_ptr"},
                    true)
             .Default(false) ||
         Class.contains("iterator") || Class.contains("__shared_ptr") ||
         Class.contains("_Optional_base") || Class.contains("OrderedDict");
}

/// `std::swap(a, b)` of two names: each takes what the other has. False where
/// it is not two names.
static bool exchange(ExprLowering &L, const Expr *A, const Expr *B,
                     const Expr *At) {
  const TypeClass Class = classify(A->getType());
  if (!isa<DeclRefExpr, MemberExpr>(strip(A)) ||
      !isa<DeclRefExpr, MemberExpr>(strip(B)) ||
      (Class != TypeClass::Tensor && Class != TypeClass::TensorList &&
       Class != TypeClass::Buffer))
    return false;
  const Operand X = L.operand(A), Y = L.operand(B);
  if (X.Slot == SlotId::None || Y.Slot == SlotId::None)
    return false;
  // What is declared of a pointer is what it pointed to first.
  if (Class == TypeClass::Buffer &&
      (L.slot(X.Slot).Declared || L.slot(Y.Slot).Declared)) {
    L.assign(X.Slot, At, DefineFact::Kind::Unknown);
    L.assign(Y.Slot, At, DefineFact::Kind::Unknown);
    return true;
  }
  const Operand Kept{L.temporary(), X.At};
  L.emit(BindFact{Kept.Slot, X, L.place(At)});
  L.emit(BindFact{X.Slot, Y, L.place(At)});
  L.emit(BindFact{Y.Slot, Kept, L.place(At)});
  return true;
}

enum class MemberCall : std::uint8_t {
  None,
  Same,
  Step, ///< to another element
  Size,
  Insert,
  Element,
  End, ///< the first or the last element
  Clear,
  Swap, ///< and others that change nothing else
};

static MemberCall memberCall(llvm::StringRef Name) {
  using M = MemberCall;
  return llvm::StringSwitch<M>(Name)
      .Cases({"begin", "end", "cbegin", "cend", "data", "get", "value",
              "operator*", "operator->", "first", "second", "rbegin", "rend",
              "release"},
             M::Same)
      .Cases({"operator++", "operator--", "operator+="}, M::Step)
      .Cases({"value_or", "vec", "load", "slice", "subspan", "key", "c_str",
              "operator+", "operator-", "find", "items"},
             M::Same)
      .Cases({"size", "empty", "capacity", "has_value", "operator bool",
              "length", "count", "use_count", "defined", "contains",
              "operator!=", "operator=="},
             M::Size)
      .Cases({"push_back", "emplace_back", "insert", "emplace", "push_front",
              "assign", "fill", "store", "try_emplace", "insert_or_assign",
              "resize"},
             M::Insert)
      .Cases({"operator[]", "at"}, M::Element)
      .Cases({"front", "back"}, M::End)
      .Cases({"clear", "reset", "pop_back"}, M::Clear)
      .Cases({"reserve", "shrink_to_fit", "swap", "pop_front", "erase"},
             M::Swap)
      .Default(M::None);
}

/// `v.assign(first, last)` of numbers: the container has no others then.
static bool assignRange(ExprLowering &L, const CallSite &C, SlotId Self) {
  if (C.base() != "assign" || C.Arguments.size() != 2 ||
      classify(C.Receiver->getType()) != TypeClass::Buffer ||
      C.argument(0)->getType()->isArithmeticType())
    return false;
  if (const Operand First = L.operandOrNone(C.argument(0));
      First.Slot != SlotId::None)
    L.emitOp(ScalarRules::get().Copy, {First}, C.Call, Self);
  return true;
}

/// Puts what the tuple \p A has into the container \p Self.
static void insertEntry(ExprLowering &L, SlotId Self, SlotId Entry,
                        const Expr *A, const Expr *At) {
  for (const std::string &Member : tupleMembers(A->getType()))
    if (const SlotId Field = L.Slots.findField(Entry, Member);
        Field != SlotId::None) {
      checkStore(L, Self, {Field, L.place(A)}, At, /*Element=*/Self);
      L.joinList(Self, {Field, L.place(A)}, At);
    }
}

/// `list.begin()`, also as of what is moved from.
static const Expr *listAtBound(llvm::StringRef Bound, const Expr *Iterator) {
  if (const auto *Call = dyn_cast<CallExpr>(strip(Iterator)))
    if (const CallSite C(Call); C.Name == "std::make_move_iterator")
      Iterator = C.argument(0);
  return listAt(Bound, Iterator);
}

/// `list.insert(list.end(), more.begin(), more.end())` of tensors.
static bool insertList(ExprLowering &L, const CallSite &C, SlotId Self) {
  const std::size_t N = C.Arguments.size();
  if ((C.base() != "insert" && C.base() != "assign") || N < 2 ||
      classify(C.Receiver->getType()) != TypeClass::TensorList)
    return false;
  const Expr *First = listAtBound("begin", C.Arguments[N - 2]);
  const Expr *Last = listAtBound("end", C.Arguments[N - 1]);
  const Operand More =
      First && Last && classify(First->getType()) == TypeClass::TensorList
          ? L.operandOrNone(First)
          : Operand();
  if (More.Slot == SlotId::None || L.value(Last) != More.Slot)
    return false;
  checkStore(L, Self, More, C.Call, /*Element=*/Self);
  if (C.base() == "assign")
    L.assign(Self, C.Call, DefineFact::Kind::Undefined);
  L.joinList(Self, More, C.Call);
  return true;
}

/// Puts the arguments into the container \p Self.
static void insert(ExprLowering &L, const CallSite &C, SlotId Self) {
  if (assignRange(L, C, Self) || insertList(L, C, Self))
    return;
  for (const Expr *A : C.Arguments) {
    if (isHandle(A->getType())) {
      const Operand V = L.operandOrNone(A);
      if (V.Slot == SlotId::None ||
          L.Body.eachLoops().filled().isFilling(C.Call))
        continue;
      checkStore(L, Self, V, C.Call, /*Element=*/Self);
      L.joinList(Self, V, C.Call);
      continue;
    }
    // A list in a list is copied into it, as a number is.
    const TypeClass Of = classify(A->getType());
    const bool Data = (Of == TypeClass::Scalar || Of == TypeClass::Buffer) &&
                      classify(C.Receiver->getType()) == TypeClass::Buffer &&
                      C.base() != "resize" && A == C.Arguments.back();
    if (!Data) {
      const SlotId V = L.value(A);
      if (V == SlotId::None)
        continue;
      // Whoever has the container has a handle to the module.
      if (isModule(A->getType()))
        L.emit(BindFact{L.temporary(), {V, L.place(A)}, L.place(A)});
      else if (isTuple(A->getType()))
        insertEntry(L, Self, V, A, C.Call);
      else if (A->getType()->isPointerType() &&
               A->getType()->getPointeeType()->isRecordType())
        L.Handed.note(L.ir(), C.Receiver, V);
    } else if (const Operand V = L.operandOrNone(A); V.Slot != SlotId::None) {
      L.emitOp(ScalarRules::get().Copy, {V}, C.Call, Self, /*Partial=*/true);
    }
  }
}

/// `x.begin() + n`, `it -= n`, `span.subspan(n)`: where the numbers of a part
/// begin. None if it is no such call.
static Recognised moveIterator(ExprLowering &L, const CallSite &C,
                               Operand Self) {
  const bool Moves =
      llvm::StringSwitch<bool>(C.base())
          .Cases({"operator+", "operator-", "operator+=", "operator-="},
                 isNumberIterator(C.Call->getType()))
          .Cases({"subspan", "slice"},
                 classify(C.Call->getType()) == TypeClass::Buffer)
          .Default(false);
  const Expr *By = C.argument(0);
  if (!Moves || !By || !By->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  const SlotId To = C.base().ends_with("=") ? Self.Slot : L.temporary();
  return movePointer(L, Self, By, To, C.Call);
}

/// A text is a list of characters, of which much else is asked.
static Recognised lowerString(ExprLowering &L, const CallSite &C) {
  const Operand Self = L.operand(C.Receiver);
  if (Self.Slot == SlotId::None)
    return std::nullopt;
  const llvm::StringRef Base = C.base();
  if (Base == "operator[]" || Base == "at")
    return element(L, Self, C.argument(0), C.Call);
  if (llvm::is_contained({"data", "c_str", "begin", "end"}, Base))
    return Self.Slot;
  if (llvm::is_contained({"size", "length", "empty", "operator==", "operator!=",
                          "find", "rfind", "compare"},
                         Base))
    return L.define(DefineFact::Kind::Constant, C.Call);
  if (Base == "resize" || Base == "reserve")
    return SlotId::None;
  if (!llvm::is_contained(
          {"push_back", "append", "operator+=", "insert", "assign"}, Base))
    return std::nullopt;
  for (const Expr *A : C.Arguments)
    if (!A->getType()->isIntegerType() || A->getType()->isCharType())
      if (const Operand V = L.operandOrNone(A); V.Slot != SlotId::None)
        L.emitOp(ScalarRules::get().Copy, {V}, C.Call, Self.Slot,
                 /*Partial=*/true);
  return C.Call->getType()->isVoidType() ? SlotId::None : Self.Slot;
}

static Recognised lowerMember(ExprLowering &L, const CallSite &C) {
  const llvm::StringRef Base = C.base();
  if (isa_and_nonnull<CXXMethodDecl>(C.Callee) && C.Receiver &&
      isStdClass(C.Receiver->getType(), "basic_string"))
    return lowerString(L, C);
  // What is referred to.
  if (isa_and_nonnull<CXXConversionDecl>(C.Callee) && C.Receiver &&
      className(C.Receiver->getType()) == "std::reference_wrapper")
    return L.value(C.Receiver);
  if (!isa_and_nonnull<CXXMethodDecl>(C.Callee) || !C.Receiver ||
      !isTransparent(llvm::StringRef(C.Name).rsplit("::").first))
    return std::nullopt;
  const Operand Self = L.operand(C.Receiver);
  const bool IsNone = Self.Slot == SlotId::None;
  const SlotId Returned =
      C.Call->getType()->isVoidType() ? SlotId::None : Self.Slot;
  if (const Recognised Moved = IsNone ? Recognised() : moveIterator(L, C, Self))
    return Moved;
  switch (memberCall(Base)) {
  case MemberCall::None:
    return std::nullopt;
  case MemberCall::Same:
    if (const SlotId Own = eachElement(L, C.Call); Own != SlotId::None)
      return Own;
    return Self.Slot;
  case MemberCall::Step:
    if (!IsNone)
      stepPointer(L, Self, C.Receiver, C.Call);
    return Self.Slot;
  case MemberCall::Size:
    return L.define(DefineFact::Kind::Constant, C.Call);
  case MemberCall::Element:
    return IsNone ? Self.Slot : element(L, Self, C.argument(0), C.Call);
  case MemberCall::End:
    return IsNone ? Self.Slot : element(L, Self, nullptr, C.Call);
  case MemberCall::Insert:
    if (!IsNone)
      insert(L, C, Self.Slot);
    return Returned;
  case MemberCall::Clear:
    if (!IsNone && Base != "pop_back" &&
        !(Base == "reset" && endsObject(C.Receiver, C.argument(0))) &&
        classify(C.Receiver->getType()) != TypeClass::Comm)
      L.assign(Self.Slot, C.Call, DefineFact::Kind::Undefined);
    return SlotId::None;
  case MemberCall::Swap:
    if (Base == "swap" && C.Arguments.size() == 1) {
      if (exchange(L, C.Receiver, C.argument(0), C.Call))
        return SlotId::None;
      for (const SlotId S : {Self.Slot, L.value(C.argument(0))})
        if (S != SlotId::None)
          L.emit(HavocFact{S, /*Rebinds=*/false, L.place(C.Call)});
      return Returned;
    }
    for (const Expr *A : C.Arguments)
      if (const Operand At = L.operandOrNone(A); Base == "erase" && !IsNone &&
                                                 At.Slot != SlotId::None &&
                                                 isNumberIterator(A->getType()))
        L.emitOp(ScalarRules::get().Copy, {At}, C.Call, Self.Slot,
                 /*Partial=*/true);
    return Returned;
  }
  return std::nullopt;
}

std::string tupleMember(QualType Tuple, std::uint64_t I) {
  if (className(Tuple) == "std::pair" && I < 2)
    return I ? "second" : "first";
  return std::to_string(I);
}

llvm::SmallVector<std::string, 4> tupleMembers(QualType Tuple) {
  static constexpr unsigned Most = 8;
  llvm::SmallVector<std::string, 4> Out;
  for (const QualType T : elementsOf(Tuple))
    Out.push_back(isHandle(T) || classify(T) == TypeClass::Scalar
                      ? tupleMember(Tuple, Out.size())
                      : "");
  Out.resize(std::min<std::size_t>(Out.size(), Most));
  llvm::erase(Out, "");
  return Out;
}

/// A tuple with a field for each of the call's arguments. Who does not see
/// which is asked for knows nothing of numbers.
static SlotId makeTuple(ExprLowering &L, const CallSite &C) {
  const bool HasNumber = llvm::any_of(C.Arguments, [](const Expr *A) {
    return classify(A->getType()) == TypeClass::Scalar;
  });
  const SlotId Tuple = L.define(HasNumber ? DefineFact::Kind::Unknown
                                          : DefineFact::Kind::Undefined,
                                C.Call);
  for (unsigned I = 0; I != C.Arguments.size(); ++I)
    if (Operand V = L.operandOrNone(C.Arguments[I]); V.Slot != SlotId::None)
      L.emit(BindFact{L.Slots.field(Tuple, tupleMember(C.Call->getType(), I)),
                      V, V.At});
  return Tuple;
}

Recognised lowerTuple(ExprLowering &L, const CallSite &C) {
  // One argument may be another tuple, some may be tags or allocators.
  if (!isTuple(C.Call->getType()) || C.Arguments.size() < 2)
    return std::nullopt;
  if (elementsOf(C.Call->getType()).size() != C.Arguments.size())
    return std::nullopt;
  return makeTuple(L, C);
}

bool isEntry(const Expr *E) {
  E = strip(E);
  if (const auto *X = dyn_cast<DeclRefExpr>(E)) {
    const auto *VD = dyn_cast<VarDecl>(X->getDecl());
    return VD && VD->isLocalVarDecl() && VD->getInit() &&
           isEntry(VD->getInit());
  }
  if (!isa<CXXMemberCallExpr, CXXOperatorCallExpr>(E))
    return false;
  const CallSite C(E);
  const llvm::StringRef Base = C.base();
  return C.Receiver &&
         isTransparent(llvm::StringRef(C.Name).rsplit("::").first) &&
         (Base == "operator*" || Base == "operator->" || Base == "operator[]" ||
          Base == "at" || Base == "front" || Base == "back");
}

SlotId entryValue(ExprLowering &L, SlotId Entry, const Expr *E,
                  const Expr *At) {
  // A container has one slot with all that its entries hold; a loop over them
  // has each in turn.
  const auto *Ref = dyn_cast<DeclRefExpr>(strip(E));
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  // Of several in each entry nobody knows which is which.
  return VD && VD->isCXXForRangeDecl() && tupleMembers(E->getType()).size() < 2
             ? Entry
             : element(L, {Entry, L.place(At)}, nullptr, At);
}

static Recognised lowerFree(ExprLowering &L, const CallSite &C) {
  llvm::StringRef Name(C.Name);
  const bool Std = Name.consume_front("std::");
  if (Std && Name == "get" && C.argument(0)) {
    // A tuple made here has a field per element. One from a call is one slot:
    // what is learnt of an element says nothing about the others.
    const SlotId Tuple = L.value(C.argument(0));
    const TemplateArgumentList *Args =
        C.Callee->getTemplateSpecializationArgs();
    if (Tuple != SlotId::None && Args && Args->size() &&
        Args->get(0).getKind() == TemplateArgument::Integral) {
      const std::string Member =
          tupleMember(C.argument(0)->getType(),
                      Args->get(0).getAsIntegral().getLimitedValue());
      if (const SlotId Field = L.Slots.findField(Tuple, Member);
          Field != SlotId::None)
        return Field;
      if (L.slot(Tuple).Declared && isHandle(C.Call->getType()))
        return L.Slots.field(Tuple, Member);
    }
    if (Tuple != SlotId::None && isHandle(C.Call->getType()) &&
        isEntry(C.argument(0)))
      return entryValue(L, Tuple, C.argument(0), C.Call);
    return Tuple == SlotId::None
               ? Tuple
               : L.emitOp(ScalarRules::get().Copy,
                          {{Tuple, L.place(C.argument(0))}}, C.Call);
  }
  if (Name == "__builtin_assume_aligned" && C.argument(0))
    return L.value(C.argument(0));
  if (Std &&
      (Name == "move" || Name == "forward" || Name == "dynamic_pointer_cast" ||
       Name == "static_pointer_cast" || Name == "ref" || Name == "cref" ||
       Name == "as_const" || Name == "addressof" || Name == "begin" ||
       Name == "end" || Name == "make_optional" || Name == "data" ||
       Name == "assume_aligned" || Name == "launder" || Name == "to_address"))
    return C.argument(0) ? L.value(C.argument(0)) : SlotId::None;
  if (Std && (Name == "next" || Name == "prev" || Name == "advance") &&
      C.Arguments.size() == 2 && isNumberIterator(C.argument(0)->getType()))
    if (const Operand From = L.operandOrNone(C.argument(0));
        From.Slot != SlotId::None)
      return movePointer(L, From, C.argument(1),
                         Name == "advance" ? From.Slot : L.temporary(), C.Call);
  if (Std && Name == "swap" && C.Arguments.size() == 2 &&
      exchange(L, C.argument(0), C.argument(1), C.Call))
    return SlotId::None;
  if (Std && (Name == "tie" || Name == "make_tuple" || Name == "make_pair" ||
              Name == "forward_as_tuple"))
    return makeTuple(L, C);
  if (Std && (Name == "make_unique" || Name == "make_shared") &&
      isOptimizer(elementType(C.Call->getType())))
    return lowerOptimizer(L, C.Arguments, C.Call);
  // Modules are what their members are declared: see drawParameters.
  if (Std && (Name == "make_unique" || Name == "make_shared") &&
      !isModule(elementType(C.Call->getType())))
    if (const CXXConstructorDecl *Ctor =
            constructorFor(elementType(C.Call->getType()), C.Arguments);
        Ctor && L.module().isKnown(Ctor)) {
      CallSite Made = C;
      Made.Callee = Ctor;
      return lowerKnownCall(L, Made, L.module().require(Ctor));
    }
  // A copy of a handle.
  if (Std && (Name == "make_unique" || Name == "make_shared") &&
      C.Arguments.size() == 1 && isTensor(C.Call->getType()) &&
      isTensor(C.argument(0)->getType()))
    return L.value(C.argument(0));
  return std::nullopt;
}

Recognised lowerStdCall(ExprLowering &L, const CallSite &C) {
  if (Recognised M = lowerMember(L, C))
    return M;
  // `it != end`, `a == b` of handles.
  const llvm::StringRef Base = C.base();
  if (llvm::StringRef(C.Name).starts_with("std::") &&
      (Base == "operator!=" || Base == "operator=="))
    return L.define(DefineFact::Kind::Constant, C.Call);
  return C.Receiver ? std::nullopt : lowerFree(L, C);
}

} // namespace spmd::lint::lower
