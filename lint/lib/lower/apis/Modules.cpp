//===- Modules.cpp - torch::nn modules and torch::optim -------------------===//
//
// A module is an object; its parameters, its own and those of the modules in
// it, are one list, a field of it. An optimizer has the list it was made with:
// a step reads the gradient of each of its tensors and changes the tensor.
//
//===----------------------------------------------------------------------===//

#include "DeclaredParameters.h"
#include "LearningRate.h"
#include "ModuleCopies.h"
#include "ModuleParts.h"
#include "OptimizedModel.h"
#include "OptimizedModels.h"
#include "OptimizedParts.h"
#include "OptimizedShare.h"
#include "OverriddenSteps.h"
#include "StepClosures.h"

#include "../Recognisers.h"
#include "../UnknownCode.h"

#include "cxx/KnownCalls.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

/// Whether \p Made holds no module: `nullptr`, or a pointer by default. A
/// module and its holder make one by default.
static bool holdsNone(const CXXConstructExpr *Made) {
  const std::string Name = className(Made->getType());
  const bool IsPointer = Name == "std::shared_ptr" || Name == "std::unique_ptr";
  const bool ByDefault =
      !Made->getNumArgs() || isa<CXXDefaultArgExpr>(Made->getArg(0));
  return ByDefault ? IsPointer : isAbsent(Made);
}

bool makesModule(const Expr *E) {
  E = E ? strip(E) : nullptr;
  if (!E || E->getType().isNull() || !isModule(E->getType()))
    return false;
  if (const auto *Made = dyn_cast<CXXConstructExpr>(E)) {
    if (Made->getNumArgs() == 1 && isModule(Made->getArg(0)->getType()))
      return makesModule(Made->getArg(0));
    return !holdsNone(Made) &&
           !Made->getConstructor()->isCopyOrMoveConstructor();
  }
  const auto *Call = dyn_cast<CallExpr>(E);
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E)) {
    const CallSite Of(Member);
    if (Of.base() == "ptr")
      return makesModule(Of.Receiver);
    // Both return what they are given.
    if (Of.base() == "register_module" || Of.base() == "replace_module")
      return makesModule(Of.argument(1));
  }
  const std::string Name = Call ? CallSite(Call).Name : std::string();
  return isa<CXXNewExpr>(E) || Name == "std::make_shared" ||
         Name == "std::make_unique";
}

void drawParameters(ExprLowering &L, SlotId Module, QualType T,
                    const Expr *At) {
  const SlotId List = L.Slots.parametersOf(Module);
  if (List == SlotId::None || beginsWithConstants(T))
    return;
  // With a generator that is in the same state on all ranks, what is declared
  // of them stays; else each rank has an element of its own.
  ViewFact Drawn;
  Drawn.Dst = L.temporary();
  Drawn.Src = {List, L.place(At)};
  Drawn.Offset = {L.Slots.generator(), PlaceId::None};
  Drawn.K = ViewFact::Kind::Element;
  Drawn.At = L.place(At);
  L.emit(Drawn);
  L.emitOp(L.module().drawRule(), {{Drawn.Dst, Drawn.At}}, At, List);
}

/// Of an optimizer, its learning rate.
static constexpr const char *RateMember = "learning rate";

/// The learning rate of an optimizer that is made with \p Arguments, if it is
/// no constant.
static const Expr *changingRate(const ExprLowering &L,
                                llvm::ArrayRef<const Expr *> Arguments) {
  const Expr *Rate =
      Arguments.size() > 1 ? learningRateIn(Arguments[1]) : nullptr;
  Expr::EvalResult Constant;
  return Rate && !Rate->isValueDependent() &&
                 !Rate->EvaluateAsRValue(Constant, L.context())
             ? Rate
             : nullptr;
}

/// An optimizer of the parameters that the first argument lists.
SlotId lowerOptimizer(ExprLowering &L, llvm::ArrayRef<const Expr *> Arguments,
                      const Expr *At) {
  const SlotId Made = L.define(DefineFact::Kind::Undefined, At);
  const Operand Of =
      Arguments.empty() ? Operand() : L.operandOrNone(Arguments[0]);
  for (const Expr *A : Arguments)
    L.value(A);
  if (Of.Slot != SlotId::None)
    L.emit(BindFact{L.Slots.parametersOf(Made), Of, L.place(At)});
  const Expr *Rate = changingRate(L, Arguments);
  if (const Operand By = Rate ? L.operandOrNone(Rate) : Operand();
      By.Slot != SlotId::None)
    L.emit(BindFact{L.Slots.field(Made, RateMember), By, By.At});
  return Made;
}

static SlotId elementOf(ExprLowering &L, Operand List, Operand Number) {
  ViewFact One;
  One.K = ViewFact::Kind::Element;
  One.Dst = L.temporary();
  One.Src = List;
  One.Offset = {Number.Slot, Number.At};
  One.At = List.At;
  L.emit(One);
  return One.Dst;
}

/// What a step by \p Rate makes of \p List hangs on: where the rate differs
/// between ranks, each gets other tensors; one that nobody knows is the same on
/// all.
static Operand choiceOf(ExprLowering &L, Operand List, Operand Rate) {
  return {elementOf(L, List, Rate), Rate.At};
}

/// The parameters of \p List change by \p Gradients, in steps of \p Rate.
static void emitStep(ExprLowering &L, Operand List, Operand Gradients,
                     Operand Rate, const Expr *At) {
  llvm::SmallVector<Operand, 3> Operands{List, Gradients};
  if (Rate.Slot != SlotId::None)
    Operands.push_back(choiceOf(L, List, Rate));
  L.emitOp(L.module().layerRule("step"), Operands, At, List.Slot);
}

/// The optimizer, if it is a member of the object, which is made by now.
static const FieldDecl *memberOptimizer(ExprLowering &L, const CallSite &C) {
  const Expr *Of = C.Receiver;
  if (const auto *Arrow =
          dyn_cast<CXXOperatorCallExpr>(Of->IgnoreParenImpCasts()))
    Of = Arrow->getArg(0);
  return isa<CXXConstructorDecl>(L.function()) ? nullptr : memberOfThis(Of);
}

/// The model of an optimizer that is a member, as the constructors say.
static const FieldDecl *modelOfMember(ExprLowering &L, const CallSite &C) {
  const FieldDecl *Field = memberOptimizer(L, C);
  return Field ? optimizedModel(Field) : nullptr;
}

/// The number of a tensor in the share: it follows from what has decided.
static Operand numberInShare(ExprLowering &L, const OptimizedShare &Share,
                             const Expr *At) {
  Operand Out{SlotId::None, L.place(At), /*Scalar=*/true};
  for (const FieldDecl *By : Share.ChosenBy) {
    const Operand Of{L.Slots.ownField(By), Out.At, /*Scalar=*/true};
    Out.Slot = Out.Slot == SlotId::None
                   ? L.emitOp(ScalarRules::get().Copy, {Of}, At)
                   : L.emitOp(ScalarRules::get().Compare, {Out, Of}, At);
  }
  return Out;
}

/// Each rank updates another tensor of the list, by its own gradient.
static void stepShare(ExprLowering &L, const OptimizedShare &Share,
                      const Expr *At) {
  const Operand List{L.Slots.ownField(Share.List), L.place(At)};
  const Operand Gradients{L.gradientOf(List, At), List.At};
  const Operand Number = numberInShare(L, Share, At);
  const SlotId One = elementOf(L, List, Number);
  // No expression names the gradients.
  L.emitOp(L.module().layerRule("step"),
           {{One, List.At}, {elementOf(L, Gradients, Number), PlaceId::None}},
           At, One);
}

/// The list of an optimizer, with what the constructors of its class say of it
/// where it is a member.
static SlotId optimizedList(ExprLowering &L, const CallSite &C) {
  const SlotId List = L.Slots.parametersOf(L.value(C.Receiver));
  if (List == SlotId::None || L.slot(List).Declared)
    return List;
  const PlaceId At = L.place(C.Receiver);
  const auto Of = [&](const FieldDecl *Model) {
    return Operand{
        L.Slots.parametersOf(L.Slots.ownField(Model), Model->getType()), At};
  };
  if (const FieldDecl *Model = modelOfMember(L, C)) {
    L.emit(BindFact{List, Of(Model), At});
  } else if (const FieldDecl *Field = memberOptimizer(L, C)) {
    const ModelFields Models = optimizedModels(Field);
    const SlotId All = Models.size() > 1
                           ? L.define(DefineFact::Kind::Undefined, C.Receiver)
                           : SlotId::None;
    for (const FieldDecl *Model : Models)
      if (All != SlotId::None)
        L.joinList(All, Of(Model), C.Receiver);
    if (All != SlotId::None)
      L.emit(BindFact{List, {All, At}, At});
  }
  return List;
}

/// The optimizer itself, of one that is behind a pointer.
static const Expr *pointedTo(const Expr *Optimizer) {
  const Expr *E = strip(Optimizer);
  if (const auto *Arrow = dyn_cast<CXXOperatorCallExpr>(E);
      Arrow && (Arrow->getOperator() == OO_Arrow ||
                (Arrow->getOperator() == OO_Star && Arrow->getNumArgs() == 1)))
    return strip(Arrow->getArg(0));
  if (const auto *Star = dyn_cast<UnaryOperator>(E->IgnoreParenImpCasts());
      Star && Star->getOpcode() == UO_Deref)
    return strip(Star->getSubExpr());
  return E;
}

/// What \p Made, `SGD(...)` or `std::make_unique<SGD>(...)`, is made with.
static llvm::ArrayRef<const Expr *> argumentsOf(const Expr *Made) {
  Made = Made ? strip(Made) : nullptr;
  // A pointer to the base class is made of one to the optimizer.
  while (const auto *Wrapped = dyn_cast_or_null<CXXConstructExpr>(Made)) {
    if (Wrapped->getNumArgs() != 1 ||
        !isOptimizer(elementType(Wrapped->getType())) ||
        !isOptimizer(elementType(strip(Wrapped->getArg(0))->getType())))
      break;
    Made = strip(Wrapped->getArg(0));
  }
  if (const auto *New = dyn_cast_or_null<CXXNewExpr>(Made))
    Made = New->getConstructExpr();
  if (const auto *Of = dyn_cast_or_null<CXXConstructExpr>(Made))
    return {Of->getArgs(), Of->getNumArgs()};
  if (const auto *Call = dyn_cast_or_null<CallExpr>(Made))
    return {Call->getArgs(), Call->getNumArgs()};
  return {};
}

/// What a local optimizer was made with.
static llvm::ArrayRef<const Expr *> givenToLocal(const Expr *Optimizer) {
  const auto *Ref = dyn_cast<DeclRefExpr>(pointedTo(Optimizer));
  const auto *VD = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return VD && VD->hasInit() && VD->isLocalVarDecl()
             ? argumentsOf(VD->getInit())
             : llvm::ArrayRef<const Expr *>();
}

/// What an optimizer was made with: a local one, or a member that all
/// constructors and methods make alike.
static llvm::ArrayRef<const Expr *> givenToOptimizer(ExprLowering &L,
                                                     const CallSite &C) {
  const FieldDecl *Field = memberOptimizer(L, C);
  if (!Field)
    return givenToLocal(C.Receiver);
  const auto Given = givenTo(Field);
  return Given && Given->size() == 1 ? argumentsOf((*Given)[0])
                                     : llvm::ArrayRef<const Expr *>();
}

/// The module whose parameters a local optimizer was made with.
static const Expr *moduleOf(const Expr *Optimizer) {
  const llvm::ArrayRef<const Expr *> Given = givenToLocal(Optimizer);
  if (Given.empty() || !isa<CXXMemberCallExpr>(strip(Given[0])))
    return nullptr;
  const CallSite List(strip(Given[0]));
  return List.base() == "parameters" ? List.Receiver : nullptr;
}

/// The rate of an optimizer whose options are seen here.
static Operand rateOf(ExprLowering &L, const CallSite &C) {
  if (!changingRate(L, givenToOptimizer(L, C)))
    return {};
  return {L.Slots.field(L.value(C.Receiver), RateMember), PlaceId::None,
          /*Scalar=*/true};
}

/// What is said of some parameters only, their gradients must fit by
/// themselves.
static void checkParts(ExprLowering &L, const CallSite &C) {
  llvm::SmallVector<SlotId, 8> Parts;
  if (const FieldDecl *Model = modelOfMember(L, C))
    Parts = differentParts(L, L.Slots.ownField(Model), Model->getType());
  else if (const Expr *Module = moduleOf(C.Receiver))
    Parts = differentParts(L, L.value(Module), strip(Module)->getType());
  else if (const auto Given = givenToLocal(C.Receiver); !Given.empty())
    Parts = partsGiven(L, Given[0]);
  for (const SlotId Part : Parts) {
    const SlotId Gradients = L.gradientOf({Part, L.place(C.Call)}, C.Call);
    L.emitOp(L.module().layerRule("step"),
             {{Part, PlaceId::None}, {Gradients, PlaceId::None}}, C.Call);
  }
}

static SlotId lowerStep(ExprLowering &L, const CallSite &C) {
  const bool RanAll = runClosures(L, C);
  for (const Expr *A : C.Arguments)
    L.value(A);
  const FieldDecl *Field = memberOptimizer(L, C);
  const std::optional<OptimizedShare> Share =
      Field ? optimizedShare(Field) : std::nullopt;
  const SlotId List = Share ? SlotId::None : optimizedList(L, C);
  if (List != SlotId::None && (!RanAll || mayReduceFirst(L, C)))
    loseGradient(L, List, C.Call);
  checkParts(L, C);
  if (Share) {
    stepShare(L, *Share, C.Call);
  } else if (List != SlotId::None) {
    // No expression names the gradients.
    const SlotId Gradients = L.gradientOf({List, L.place(C.Call)}, C.Call);
    emitStep(L, {List, PlaceId::None}, {Gradients, PlaceId::None}, rateOf(L, C),
             C.Call);
  }
  return C.Call->getType()->isVoidType()
             ? SlotId::None
             : L.define(DefineFact::Kind::Unknown, C.Call);
}

/// The list that it was made with, which others may have, stays as it is.
static void addToList(ExprLowering &L, SlotId List, Operand More,
                      const Expr *At) {
  const SlotId All = L.define(DefineFact::Kind::Undefined, At);
  L.joinList(All, {List, L.place(At)}, At);
  L.joinList(All, More, At);
  L.emit(BindFact{List, {All, L.place(At)}, L.place(At)});
}

static Recognised lowerOptimizerMethod(ExprLowering &L, const CallSite &C) {
  if (isOptimizerStep(C))
    return lowerStep(L, C);
  const llvm::StringRef Base = C.base();
  const SlotId List = L.Slots.parametersOf(L.value(C.Receiver));
  if (Base == "add_param_group" && C.argument(0)) {
    if (const Operand More = L.operandOrNone(C.argument(0));
        More.Slot != SlotId::None && List != SlotId::None)
      addToList(L, List, More, C.Call);
    return SlotId::None;
  }
  if (Base == "param_groups" || Base == "parameters")
    return List;
  if (Base == "zero_grad")
    L.clearGradientsOf({optimizedList(L, C), L.place(C.Receiver)}, C.Call);
  for (const Expr *A : C.Arguments)
    L.value(A);
  return C.Call->getType()->isVoidType()
             ? SlotId::None
             : L.define(DefineFact::Kind::Unknown, C.Call);
}

/// A new rate for the next steps of what \p Group has.
static Recognised lowerNewRate(ExprLowering &L, const CallSite &C,
                               const Expr *Group) {
  const Operand List = L.operandOrNone(Group);
  const Operand Rate = L.operandOrNone(C.Arguments[0]);
  if (List.Slot != SlotId::None && Rate.Slot != SlotId::None)
    L.emitOp(L.module().layerRule("step"),
             {{List.Slot, PlaceId::None}, choiceOf(L, List, Rate)}, C.Call,
             List.Slot);
  return C.Call->getType()->isVoidType() ? SlotId::None : L.value(C.Receiver);
}

/// `outer->register_module("name", inner)`: of its own members a module lists
/// all parameters anyway.
static SlotId lowerRegistered(ExprLowering &L, const CallSite &C) {
  const SlotId Given = L.value(C.Arguments[1]);
  const Expr *Outer = strip(C.Receiver), *Inner = strip(C.Arguments[1]);
  if (!isa<CXXThisExpr>(Outer) && isModule(Inner->getType()))
    L.joinList(L.Slots.parametersOf(L.value(Outer)),
               {L.Slots.parametersOf(Given), L.place(Inner)}, C.Call);
  return Given;
}

/// A module with tensors of its own, which are as those of \p Of.
static SlotId lowerClone(ExprLowering &L, SlotId Of, const Expr *At) {
  const SlotId Copy = L.define(DefineFact::Kind::Unknown, At);
  const SlotId All = L.Slots.parametersOf(Of), Own = L.Slots.parametersOf(Copy);
  if (All == SlotId::None || Own == SlotId::None)
    return Copy;
  const PlaceId Here = L.place(At);
  const SlotId Made = L.emitOp(ScalarRules::get().Copy, {{All, Here}}, At);
  L.emit(BindFact{Own, {Made, Here}, Here});
  // What it is from here on, nobody knows, but that it is none of the others.
  if (changesCopy(L.function(), At))
    L.emit(HavocFact{Made, /*Rebinds=*/false, Here});
  return Copy;
}

/// `m->parameters()`, of all modules in `m`.
static SlotId listParameters(ExprLowering &L, const CallSite &C, SlotId Self) {
  const Expr *List = listOfSome(L.function(), C.Receiver);
  const SlotId All =
      List ? L.Slots.parametersOf(L.value(List), strip(List)->getType())
           : SlotId::None;
  return All != SlotId::None
             ? L.emitOp(ScalarRules::get().Copy, {{All, L.place(C.Receiver)}},
                        C.Call)
             : L.Slots.parametersOf(Self, strip(C.Receiver)->getType());
}

static Recognised lowerModuleMethod(ExprLowering &L, const CallSite &C) {
  const llvm::StringRef Base = C.base();
  if (Base.starts_with("register_") && C.Arguments.size() > 1)
    return lowerRegistered(L, C);
  const SlotId Self = L.value(C.Receiver);
  enum { None, Parameters, Clears, Quiet, Same };
  const int K = llvm::StringSwitch<int>(Base)
                    .Cases({"parameters", "named_parameters"}, Parameters)
                    .Case("zero_grad", Clears)
                    .Cases({"to", "train", "eval", "name", "is_training",
                            "pretty_print", "save", "modules", "children",
                            "named_modules", "named_children"},
                           Quiet)
                    .Cases({"as", "shared_from_this"}, Same)
                    .Default(None);
  if (K == None)
    return std::nullopt;
  if (K == Same)
    return Self;
  for (const Expr *A : C.Arguments)
    L.value(A);
  if (K == Parameters)
    return listParameters(L, C, Self);
  if (K == Clears)
    L.clearGradientsOf({L.Slots.parametersOf(Self), L.place(C.Receiver)},
                       C.Call);
  if (C.Call->getType()->isVoidType())
    return SlotId::None;
  return L.define(classify(C.Call->getType()) == TypeClass::Scalar
                      ? DefineFact::Kind::Constant
                      : DefineFact::Kind::Unknown,
                  C.Call);
}

/// `model.parameters()` of a class of the user's whose body is elsewhere.
static bool listsParameters(const CallSite &C) {
  return (C.base() == "parameters" || C.base() == "named_parameters") &&
         C.Arguments.empty() && C.Callee && !C.Callee->hasBody() &&
         classify(C.Call->getType()) == TypeClass::TensorList;
}

/// `layer->reset_parameters()` of a layer of the library's.
static bool drawsAnew(const ExprLowering &L, const CallSite &C) {
  return (C.base() == "reset" || C.base() == "reset_parameters") &&
         llvm::StringRef(C.Name).starts_with("torch::nn::") &&
         isModule(C.Receiver->getType()) && !L.module().isKnown(C.Callee);
}

Recognised lowerModuleCall(ExprLowering &L, const CallSite &C) {
  const llvm::StringRef Name(C.Name);
  if (!C.Receiver)
    return std::nullopt;
  if (Name.starts_with("torch::nn::") && C.base() == "clone" &&
      isModule(strip(C.Receiver)->getType()) && !L.module().isKnown(C.Callee))
    return lowerClone(L, L.value(C.Receiver), C.Call);
  if (listsParameters(C))
    return L.Slots.parametersOf(L.value(C.Receiver));
  if (Name == "torch::nn::Module::forward")
    return L.module().isKnown(C.Callee)
               ? std::nullopt
               : Recognised(lowerWhole(L, C, "forward"));
  if (Name.starts_with("torch::nn::AnyModule::") && C.base() == "forward")
    return lowerWhole(L, C, "forward");
  if (drawsAnew(L, C)) {
    drawParameters(L, L.value(C.Receiver), C.Receiver->getType(), C.Call);
    return SlotId::None;
  }
  if (Name.starts_with("torch::nn::Module::"))
    return lowerModuleMethod(L, C);
  // A list of modules is one object with what they all have.
  if (Name.starts_with("torch::nn::ModuleListImpl::") ||
      Name.starts_with("torch::nn::ModuleDictImpl::") ||
      (Name.starts_with("torch::nn::ModuleHolder::") &&
       C.base() != "operator()")) {
    for (const Expr *A : C.Arguments)
      L.value(A);
    return C.base() == "size" ? L.define(DefineFact::Kind::Constant, C.Call)
                              : L.value(C.Receiver);
  }
  if (const Expr *Group = groupOfNewRate(C))
    return lowerNewRate(L, C, Group);
  if (Name == "torch::optim::OptimizerParamGroup::params")
    return L.value(C.Receiver);
  if (isOptimizerMethod(C))
    return lowerOptimizerMethod(L, C);
  return std::nullopt;
}

} // namespace spmd::lint::lower
