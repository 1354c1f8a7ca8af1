//===- Verifier.cpp - What every module keeps to --------------------------===//

#include "spmd/ir/Verifier.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace spmd::rules {

char VerifierError::ID = 0;

void VerifierError::log(llvm::raw_ostream &OS) const {
  OS << '@' << Part.In->Symbol;
  if (Part.Slot)
    OS << ", slot " << index(*Part.Slot) << " '"
       << Part.In->slot(*Part.Slot).Name << '\'';
  if (Part.Block)
    OS << ", b" << *Part.Block;
  if (Part.Fact) {
    OS << ", fact " << *Part.Fact;
    const PlaceId At = placeOf(Part.In->Blocks[*Part.Block].Facts[*Part.Fact]);
    if (index(At) < Part.In->Places.size() && At != PlaceId::None)
      OS << " at " << Part.In->Places[index(At)].Line << ':'
         << Part.In->Places[index(At)].Column;
  }
  OS << ": " << Message;
}

std::error_code VerifierError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

namespace {

/// The first failure sticks.
class FunctionVerifier {
public:
  explicit FunctionVerifier(const Function &F) : F(F), Part{&F, {}, {}, {}} {}

  llvm::Error run() {
    signature();
    for (std::uint32_t I = 0; I != F.Slots.size() && Wrong.empty(); ++I) {
      Part = {&F, SlotId(I), {}, {}};
      slot(I);
    }
    for (std::uint32_t B = 0; B != F.Blocks.size() && Wrong.empty(); ++B)
      block(B);
    if (Wrong.empty())
      return llvm::Error::success();
    return llvm::make_error<VerifierError>(Part, Wrong);
  }

private:
  void expect(bool Holds, const llvm::Twine &What) {
    if (!Holds && Wrong.empty())
      Wrong = ("expected " + What).str();
  }
  bool isSlot(SlotId S) const { return index(S) < F.Slots.size(); }
  bool isPlace(PlaceId P) const { return index(P) < F.Places.size(); }

  //===--- Declarations ---------------------------------------------------===//

  void signature() {
    expect(!F.Symbol.empty(), "a function to have a symbol");
    expect(F.NumParameters <= F.Slots.size(), "a slot for each parameter");
    expect(isPlace(PlaceId::None) && isPlace(F.ResultAt),
           "the places that are mentioned");
    expect(
        F.ThisSlot == SlotId::None ||
            (isSlot(F.ThisSlot) && F.slot(F.ThisSlot).Kind == SlotKind::This),
        "the receiver to be a slot of kind 'this'");
    if (F.Result)
      annotation(*F.Result);
    axes(F.ResultAxes);
    mesh(F.Mesh.get());
    expect(F.ObjectOf.size() <= F.Slots.size(), "objects to be slots");
    for (SlotId S : F.ObjectOf)
      expect(index(S) < F.ObjectOf.size() && F.ObjectOf[index(S)] == S,
             "each object to be known by one of its slots");
  }

  void slot(std::uint32_t I) {
    const Slot &S = F.Slots[I];
    expect((I < F.NumParameters) == (S.Kind == SlotKind::Parameter),
           "parameters, and nothing else, between the brackets");
    expect(S.Kind != SlotKind::This || F.ThisSlot == SlotId(I),
           "one receiver only");
    expect(S.Kind != SlotKind::Temporary || isBare(S),
           "a temporary to have no name and no declaration");
    if (S.Kind == SlotKind::Field) {
      expect(isSlot(S.Base) && (index(S.Base) < I || isTemporary(S.Base)),
             "the field of a slot that is declared before it");
      expect(!S.Member.empty(), "the name of a member");
    } else {
      expect(S.Base == SlotId::None, "no base: only a field has one");
    }
    if (S.Declared)
      annotation(*S.Declared);
    expect(!S.Outermost || S.Kind == SlotKind::Local, "'outermost' of a local");
    expect(!S.Inherited || (S.Declared && S.Kind == SlotKind::Field),
           "an inherited annotation of a field");
    axes(S.DeclaredAxes);
    mesh(S.Mesh.get());
    expect(isPlace(S.DeclaredAt), "a place of the function");
  }
  /// All that a temporary may be: the text form does not declare them.
  static bool isBare(const Slot &S) {
    return S.Name.empty() && !S.ByReference && !S.Escapes && !S.Owned &&
           !S.Outermost && !S.InPlace && !S.Integer && !S.Apart &&
           !S.Declared && S.DeclaredAxes.empty() && !S.Mesh &&
           S.DeclaredAt == PlaceId::None;
  }
  bool isTemporary(SlotId S) const {
    return F.slot(S).Kind == SlotKind::Temporary;
  }

  void annotation(const TypeAnnotation &A) {
    type(A.Entry);
    if (A.Exit)
      type(*A.Exit);
  }
  void type(const TypeSpec &T) {
    llvm::StringSet<> Seen;
    for (const AxisAtom &A : T.Axes) {
      // What is whole may be R or I.
      const bool IsOther =
          A.Value == Atom{LocalType::I, std::nullopt} &&
          T.find(A.Axis)->Value == Atom{LocalType::R, std::nullopt};
      expect(!A.Axis.empty() && (Seen.insert(A.Axis).second || IsOther),
             "a type to name each axis once, not '" + A.Axis + "' twice");
      expect(!A.Value.ShardDim || A.Value.Type == LocalType::V,
             "only V to be sharded, on axis '" + A.Axis + "'");
    }
    if (!T.Global)
      return;
    for (const DimSpec &D : T.Global->Dims)
      for (const std::string &Axis : D.Axes)
        expect(Seen.contains(Axis),
               "the type on axis '" + Axis + "', which shards a dim");
  }
  void axes(llvm::ArrayRef<std::string> Names) {
    for (const std::string &Name : Names)
      expect(!Name.empty(), "each axis to have a name");
  }
  void mesh(const MeshSpec *M) {
    llvm::StringSet<> Seen;
    if (M)
      for (const MeshAxis &A : M->Axes)
        expect(!A.Name.empty() && Seen.insert(A.Name).second,
               "a mesh to name each axis once, not '" + A.Name + "' twice");
  }

  //===--- Bodies ---------------------------------------------------------===//

  void block(std::uint32_t B) {
    const Block &Of = F.Blocks[B];
    for (std::uint32_t I = 0; I != Of.Facts.size() && Wrong.empty(); ++I) {
      Part = {&F, {}, B, I};
      parts(Of.Facts[I]);
      // Each kind reads what is in range by now.
      if (Wrong.empty())
        std::visit([this](const auto &X) { fact(X); }, Of.Facts[I]);
    }
    if (!Wrong.empty())
      return;
    Part = {&F, {}, B, {}};
    for (BlockId S : Of.Successors)
      expect(index(S) < F.Blocks.size(),
             "a block of the function: there is no block b" +
                 llvm::Twine(index(S)));
    expect(Of.Condition.Slot == SlotId::None || isSlot(Of.Condition.Slot),
           "a condition that is a slot of the function");
    expect(isPlace(Of.Condition.At), "a place of the function");
    expect(!Of.Test || isParameterOrNone(Of.Test->Parameter),
           "a parameter that is tested");
  }
  bool isParameterOrNone(SlotId S) const {
    return S == SlotId::None || index(S) < F.NumParameters;
  }

  void parts(const Fact &X) {
    forEachSlot(X, [&](SlotId S, SlotAccess) {
      expect(isSlot(S),
             "a slot of the function, not number " + llvm::Twine(index(S)));
    });
    forEachPlace(
        X, [&](PlaceId P) { expect(isPlace(P), "a place of the function"); });
  }
  void value(const Operand &O, llvm::StringRef What) {
    expect(O.Slot != SlotId::None, What);
  }
  void result(SlotId Dst) {
    expect(Dst != SlotId::None, "'%name =' before what is defined");
  }

  void fact(const DefineFact &X) {
    using Kind = DefineFact::Kind;
    result(X.Dst);
    expect((X.K == Kind::Declared) == (X.Type != nullptr),
           "a type, where the value is as declared");
    expect(X.isOfAxis() == (X.Axis != SlotId::None),
           "an axis, where the value is a rank on it, or how many there are");
    expect((X.K == Kind::Axes) == !X.AxisNames.empty(),
           "the names of axes, where the value is a communicator over them");
    if (X.Type)
      type(*X.Type);
    axes(X.AxisNames);
  }
  void fact(const BindFact &X) {
    result(X.Dst);
    value(X.Src, "a slot to bind to");
    expect(!(X.Refers && X.Joins), "a reference or a list, not both");
  }
  void fact(const ViewFact &X) {
    result(X.Dst);
    value(X.Src, "a slot to look into");
  }
  void fact(const OpFact &X) {
    if (!X.Rule)
      return expect(false, "an op that has a rule");
    const llvm::StringRef Name = X.Rule->Name;
    const auto &Formals = X.Rule->Formals;
    expect(X.FormalOf.size() == X.Operands.size(),
           "each operand to be one of the rule's");
    llvm::SmallVector<unsigned, 4> Given(Formals.size(), 0);
    for (std::size_t I = 0; I != X.Operands.size() && Wrong.empty(); ++I) {
      value(X.Operands[I], "a slot as operand of '" + Name.str() + "'");
      expect(X.FormalOf[I] < Formals.size(),
             "no more operands than '" + Name + "' has");
      if (Wrong.empty())
        ++Given[X.FormalOf[I]];
    }
    for (std::size_t I = 0; I != Formals.size() && Wrong.empty(); ++I)
      expect(Given[I] < 2 || Formals[I].Variadic,
             "one operand '" + Formals[I].Name + "' of '" + Name + "'");
    expect(!X.PartialWrite || X.WritesTo != SlotId::None,
           "storage of which a part is written");
    for (const OpArgument &A : X.Arguments)
      expect(!A.Name.empty(), "an argument of '" + Name + "' to have a name");
  }
  void fact(const TransferFact &X) {
    const std::string Name(transferName(X.K));
    value(X.Src, "what '" + Name + "' takes");
    expect(X.Axis.Slot != SlotId::None || (X.FromType && X.ToType),
           "an axis after 'on', or types of all axes after 'from' and 'to'");
    expect(!(X.From && X.FromType) && !(X.To && X.ToType),
           "a type on the axis or one of all axes, not both");
    for (const auto &T : {X.FromType, X.ToType})
      if (T)
        type(*T);
    for (const std::optional<Atom> &A : {X.From, X.To})
      expect(!A || !A->ShardDim || A->Type == LocalType::V,
             "only V to be sharded");
  }
  void fact(const AssertFact &X) {
    value(X.Value, "a value that must have the type");
    if (X.Type)
      type(*X.Type);
    mesh(X.Mesh.get());
  }
  void fact(const CallFact &X) {
    // A variadic function gets more arguments than it has parameters.
    expect(!X.Callee.empty(), "the symbol of a function to call");
    for (const GivenNumber &Given : X.Numbers) {
      expect(Given.Argument < X.Arguments.size(), "a number that is given");
      expect(isParameterOrNone(Given.Same), "a parameter that is handed on");
    }
    if (!X.Backward)
      return;
    result(X.Dst);
    value(X.Backward->Output, "what the forward pass made");
    expect(X.Arguments.size() > 1 && X.Arguments[1].Slot != SlotId::None,
           "the gradients of the outputs as second argument");
  }
  void fact(const GradientFact &X) {
    result(X.Dst);
    value(X.Src, "a value that has a gradient");
  }
  /// Without a loss where the pass begins with a given gradient.
  void fact(const BackwardFact &) {}
  void fact(const HavocFact &X) {
    expect(X.Slot != SlotId::None, "a slot that unknown code may write");
  }
  void fact(const NullFact &X) {
    expect(X.Slot != SlotId::None, "a slot that names nothing");
  }
  void fact(const ReturnFact &) {}
  void fact(const PointFact &X) {
    expect(!X.Name.empty(), "the name of a point");
    for (const Operand &O : X.Of)
      value(O, "what is looked at");
  }

  const Function &F;
  IRPart Part;
  std::string Wrong;
};

} // namespace

llvm::Error verifyModule(const Module &M) {
  llvm::StringSet<> Known;
  for (const auto &F : M.Functions)
    if (!Known.insert(F->Symbol).second)
      return llvm::make_error<VerifierError>(IRPart{F.get(), {}, {}, {}},
                                             "expected one function '@" +
                                                 F->Symbol + "', not two");
  for (const auto &F : M.Functions)
    if (llvm::Error E = FunctionVerifier(*F).run())
      return E;
  return llvm::Error::success();
}

} // namespace spmd::rules
