//===- BufferParts.cpp - Pointers to places in one allocation -------------===//

#include "BufferParts.h"

#include "PointerOrigins.h"
#include "PointerPlaces.h"
#include "PointerUses.h"

#include "cxx/TypeClass.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace spmd::lint::lower {

namespace {

using Part = BufferParts::Part;
using Extent = BufferParts::Extent;

/// A place in a buffer, in bytes behind its beginning.
struct Place {
  const VarDecl *Buffer = nullptr;
  SymbolicCount Offset;
};

/// A buffer with places that variables point to.
struct Buffer {
  std::vector<SymbolicCount> Begins; ///< of each part, the first at zero
  std::optional<SymbolicCount> Size;
  std::int64_t ElementSize = 1;
  bool HasFirstName = false; ///< a variable but the buffer's own points there
  bool HasNames = false;     ///< variables point to others
  bool IsUnordered = false;  ///< nobody knows which of two comes first
  bool IsNamed = false;      ///< what is in it is asked for by its own name
  /// The parts are where others end: at one place on all ranks.
  bool AreSizes = false;

  /// How much there is from part \p From up to \p To, or the end.
  std::optional<SymbolicCount> between(std::size_t From, std::size_t To) const {
    if (To < Begins.size())
      return Begins[To] - Begins[From];
    return Size ? std::optional(*Size - Begins[From]) : std::nullopt;
  }
};

class Finder {
public:
  Finder(const FunctionDecl *FD, const Constancy &Constant)
      : FD(FD), Ctx(FD->getASTContext()), Constant(Constant) {
    Found.TraverseStmt(FD->getBody());
  }

  /// Whether \p VD points to one place throughout.
  bool isKept(const VarDecl *VD) const;
  std::optional<Place> placeOf(const Expr *E, unsigned Depth = 0) const;
  void findBuffers();
  void joinParts();
  /// The part of a known buffer at \p Of.
  Part partAt(const Place &Of) const;
  /// What is meant where \p Call is given the part \p Of.
  Extent extentIn(const CallExpr *Call, const Part &Of, bool ByOwnName) const;
  Extent extentOf(const ArraySubscriptExpr *E, const Part &Of,
                  bool ByOwnName) const;
  void noteOwnName(const Expr *E) {
    const VarDecl *VD = variableOf(E);
    if (const auto B = VD ? Buffers.find(VD) : Buffers.end();
        B != Buffers.end())
      B->second.IsNamed = true;
  }

  const FunctionDecl *FD;
  const ASTContext &Ctx;
  const Constancy &Constant;
  PointerUses Found;
  llvm::MapVector<const VarDecl *, Buffer> Buffers;

private:
  /// What numbers a call is given besides.
  struct Extents {
    bool IsOne = false, IsAll = false; ///< one part, or the buffer, has so many
    unsigned To = 0;        ///< those up to this one have so many; 0: none
    bool HasOthers = false; ///< it is given another part, too
  };
  Extents extentsIn(const CallExpr *Call, const Part &Of) const;
  void forEachGiven(
      llvm::function_ref<void(const CallExpr *, const Part &)> Do) const;
  void addPart(const Place &Of, bool HasName);
  std::optional<SymbolicCount> count(const Expr *E) const {
    return symbolicCount(E, Ctx, Constant);
  }
  std::optional<SymbolicCount> sizeOf(const VarDecl *VD) const;
  std::int64_t bytes(QualType T) const {
    return T->isIncompleteType() || T->isFunctionType() || T->isVoidType()
               ? 1
               : Ctx.getTypeSizeInChars(T).getQuantity();
  }
  /// \p Number of elements, or of bytes, as bytes.
  SymbolicCount inBytes(const SymbolicCount &Number, const Buffer &B) const {
    return Number.IsOfBytes ? Number : Number * SymbolicCount(B.ElementSize);
  }
  Extent unknownExtent(const Buffer &B, bool ByOwnName) const {
    // Who has a name for each has one for the first part.
    return !B.HasFirstName ? Extent::GoesOn
           : ByOwnName     ? Extent::Whole
           : B.IsNamed     ? Extent::Beginning
                           : Extent::GoesOn;
  }
};

} // namespace

bool Finder::isKept(const VarDecl *VD) const {
  const PointerUses::Pointer P = Found.Of.lookup(VD);
  return P.Sets + isa<ParmVarDecl>(VD) <= 1 && !Found.Other.contains(VD);
}

std::optional<Place> Finder::placeOf(const Expr *E, unsigned Depth) const {
  constexpr unsigned MaxDepth = 8;
  E = bare(E);
  if (!E || Depth > MaxDepth)
    return std::nullopt;
  const VarDecl *Vector = vectorOf(E);
  if (const VarDecl *VD = Vector ? Vector : bufferAt(E)) {
    if (!isKept(VD))
      return std::nullopt;
    const PointerUses::Pointer P = Found.Of.lookup(VD);
    if (P.Value)
      if (auto Of = placeOf(P.Value, Depth + 1))
        return Of;
    return Place{VD, {}};
  }
  const Expr *Pointer = nullptr, *Steps = nullptr;
  bool Back = false;
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
    const bool First = B->getLHS()->getType()->isPointerType();
    Pointer = First ? B->getLHS() : B->getRHS();
    Steps = First ? B->getRHS() : B->getLHS();
    Back = B->getOpcode() == BO_Sub;
  } else if (const Expr *Of = addressed(E)) {
    Of = Of->IgnoreParens();
    const auto *Call = dyn_cast<CXXOperatorCallExpr>(Of);
    if (const auto *At = dyn_cast<ArraySubscriptExpr>(Of)) {
      Pointer = At->getBase();
      Steps = At->getIdx();
    } else if (Call && Call->getOperator() == OO_Subscript) {
      Pointer = Call->getArg(0);
      Steps = Call->getArg(1);
    }
  }
  if (!Pointer || numberIn(Pointer->getType()).isNull())
    return std::nullopt;
  auto Of = placeOf(Pointer, Depth + 1);
  const auto By = Of ? count(Steps) : std::nullopt;
  if (!By)
    return std::nullopt;
  const SymbolicCount Bytes =
      *By * SymbolicCount(bytes(numberIn(Pointer->getType())));
  Of->Offset = Back ? Of->Offset - Bytes : Of->Offset + Bytes;
  return Of;
}

/// How much memory \p VD is, or was allocated.
std::optional<SymbolicCount> Finder::sizeOf(const VarDecl *VD) const {
  if (const auto *T = Ctx.getAsArrayType(VD->getType())) {
    const SymbolicCount Element(bytes(T->getElementType()));
    if (const auto *Known = dyn_cast<ConstantArrayType>(T))
      return Element * SymbolicCount(Known->getZExtSize());
    const auto *Variable = dyn_cast<VariableArrayType>(T);
    const auto Number = Variable && Variable->getSizeExpr()
                            ? count(Variable->getSizeExpr())
                            : std::nullopt;
    return Number ? std::optional(*Number * Element) : std::nullopt;
  }
  const Expr *Init = VD->getInit() ? VD->getInit()->IgnoreImplicit() : nullptr;
  if (const auto *Made = dyn_cast_or_null<CXXConstructExpr>(Init)) {
    const auto Number =
        Made->getNumArgs() ? count(Made->getArg(0)) : std::nullopt;
    return Number ? std::optional(*Number *
                                  SymbolicCount(bytes(numberIn(VD->getType()))))
                  : std::nullopt;
  }
  const PointerUses::Pointer P = Found.Of.lookup(VD);
  const Expr *Value = bare(P.Value);
  if (const auto *New = dyn_cast_or_null<CXXNewExpr>(Value);
      New && New->getArraySize()) {
    const auto Number = count(*New->getArraySize());
    return Number ? std::optional(*Number *
                                  SymbolicCount(bytes(New->getAllocatedType())))
                  : std::nullopt;
  }
  const auto *Call = Value ? dyn_cast<CallExpr>(Value) : P.Allocation;
  if (!Call)
    return std::nullopt;
  std::optional<SymbolicCount> Out; // of calloc, what both make
  for (const Expr *A : Call->arguments())
    if (const auto Number = count(A))
      Out = !Out || (Number->IsOfBytes && !Out->IsOfBytes)
                ? (Out ? *Out * *Number : *Number)
                : Out;
  return Out && Out->IsOfBytes ? Out : std::nullopt;
}

/// Notes that a part of a buffer begins at \p Of.
void Finder::addPart(const Place &Of, bool HasName) {
  Buffer &B = Buffers[Of.Buffer];
  if (Of.Offset.isZero()) {
    B.HasFirstName |= HasName;
    return;
  }
  B.HasNames |= HasName;
  if (B.Begins.empty())
    B.Begins.emplace_back(); // where the buffer does
  const auto At = llvm::find_if(B.Begins, [&](const SymbolicCount &Other) {
    return Other == Of.Offset || (Other - Of.Offset).isSurelyPositive();
  });
  if (At != B.Begins.end() && *At == Of.Offset)
    return;
  if (At == B.Begins.begin() ||
      !(Of.Offset - *std::prev(At)).isSurelyPositive())
    B.IsUnordered = true;
  else
    B.Begins.insert(At, Of.Offset);
}

void Finder::findBuffers() {
  for (const auto &[VD, P] : Found.Of)
    if (P.Value && isKept(VD) && !isa<ParmVarDecl>(VD))
      if (const auto Of = placeOf(P.Value))
        addPart(*Of, /*HasName=*/true);
  for (const CallExpr *Call : Found.Calls)
    for (const Expr *A : Call->arguments())
      if (A->getType()->isPointerType() && !bufferAt(A))
        if (const auto Of = placeOf(A))
          addPart(*Of, /*HasName=*/false);
  Buffers.remove_if([&](const auto &Of) {
    // What one iteration has is another one in the next.
    const Expr *Value = Found.Of.lookup(Of.first).Value;
    return Of.second.IsUnordered || Of.second.Begins.size() < 2 ||
           (Constant.isPerTurn(Of.first) && Value &&
            !isa<CallExpr>(bare(Value)));
  });
  for (auto &[VD, B] : Buffers) {
    B.ElementSize = bytes(numberIn(VD->getType()));
    B.Size = sizeOf(VD);
    B.AreSizes = llvm::all_of(B.Begins,
                              [](const SymbolicCount &Begin) {
                                return Begin.isNumber();
                              }) ||
                 (B.Size && (*B.Size - B.Begins.back()).isSurelyPositive());
  }
}

void Finder::forEachGiven(
    llvm::function_ref<void(const CallExpr *, const Part &)> Do) const {
  for (const CallExpr *Call : Found.Calls)
    for (const Expr *A : Call->arguments()) {
      const auto At = A->getType()->isPointerType() ? placeOf(A) : std::nullopt;
      if (const Part P = At ? partAt(*At) : Part())
        Do(Call, P);
    }
}

static bool getsCommunicator(const CallExpr *Call) {
  return llvm::any_of(Call->arguments(), [](const Expr *A) {
    return commKind(A->IgnoreParenImpCasts()->getType()).has_value();
  });
}

/// Several parts that one call is of are one, if no other is of one of them
/// alone; else nobody can tell them apart.
void Finder::joinParts() {
  struct Several {
    const VarDecl *Buffer;
    unsigned From, To;
  };
  std::vector<Several> Spans;
  forEachGiven([&](const CallExpr *Call, const Part &P) {
    const Extents Given = extentsIn(Call, P);
    Buffer &B = Buffers.find(P.Buffer)->second;
    B.AreSizes |= P.Number == 0 && Given.IsOne;
    const bool IsKnown = llvm::any_of(Spans, [&](const Several &S) {
      return S.Buffer == P.Buffer && S.From == P.Number && S.To == Given.To;
    });
    if (Given.To && !Given.IsOne && !IsKnown)
      Spans.push_back({P.Buffer, P.Number, Given.To});
  });
  llvm::SmallPtrSet<const VarDecl *, 2> Mixed;
  forEachGiven([&](const CallExpr *Call, const Part &P) {
    const Extents Given = extentsIn(Call, P);
    for (const Several &S : Spans)
      if (S.Buffer == P.Buffer && P.Number >= S.From && P.Number < S.To &&
          (P.Number != S.From || Given.To != S.To) && !Given.IsAll &&
          (Given.IsOne || Given.To || getsCommunicator(Call)))
        Mixed.insert(P.Buffer);
  });
  for (const VarDecl *VD : Mixed)
    Buffers.erase(VD);
  // From the last one on, so that the numbers of the others stay.
  llvm::sort(Spans, [](const Several &A, const Several &B) {
    return A.From > B.From;
  });
  for (const Several &S : Spans)
    if (const auto B = Buffers.find(S.Buffer); B != Buffers.end())
      if (auto &Begins = B->second.Begins; S.To <= Begins.size())
        Begins.erase(Begins.begin() + S.From + 1, Begins.begin() + S.To);
}

Part Finder::partAt(const Place &Of) const {
  const auto Found = Buffers.find(Of.Buffer);
  if (Found == Buffers.end())
    return {};
  const Buffer &B = Found->second;
  for (std::size_t I = 0; I != B.Begins.size(); ++I) {
    // What is behind the beginning of the first part may reach further.
    const bool IsIn = Of.Offset == B.Begins[I] ||
                      (I != 0 && (Of.Offset - B.Begins[I]).isSurelyPositive() &&
                       (I + 1 == B.Begins.size() ||
                        (B.Begins[I + 1] - Of.Offset).isSurelyPositive()));
    if (IsIn)
      return {Of.Buffer, static_cast<unsigned>(I)};
  }
  return {};
}

/// Of how much \p Call, which is given the part \p Of, says to be.
Finder::Extents Finder::extentsIn(const CallExpr *Call, const Part &Of) const {
  const Buffer &B = Buffers.find(Of.Buffer)->second;
  Extents Out;
  llvm::SmallVector<SymbolicCount, 4> Numbers;
  for (const Expr *A : Call->arguments()) {
    if (A->getType()->isPointerType()) {
      const auto Other = placeOf(A);
      const Part P = Other ? partAt(*Other) : Part();
      Out.HasOthers |= P.Buffer == Of.Buffer && P.Number != Of.Number;
      continue;
    }
    if (const auto Number = count(A))
      Numbers.push_back(inBytes(*Number, B));
  }
  for (unsigned To = Of.Number + 1; To <= B.Begins.size(); ++To) {
    const auto Between = B.between(Of.Number, To);
    if (!Between || !llvm::is_contained(Numbers, *Between))
      continue;
    if (To == Of.Number + 1)
      Out.IsOne = true;
    else if (Of.Number == 0 && To == B.Begins.size())
      Out.IsAll = true;
    else
      Out.To = To;
  }
  // Rows and columns.
  const auto One = B.between(Of.Number, Of.Number + 1);
  for (std::size_t I = 0; One && I != Numbers.size(); ++I)
    for (std::size_t J = 0; J != I; ++J)
      Out.IsOne |=
          Numbers[I] * Numbers[J] == *One * SymbolicCount(B.ElementSize);
  return Out;
}

Extent Finder::extentIn(const CallExpr *Call, const Part &Of,
                        bool ByOwnName) const {
  const Extents Given = extentsIn(Call, Of);
  if (Given.IsOne != Given.IsAll)
    return Given.IsOne ? Extent::Beginning : Extent::Whole;
  return Given.HasOthers
             ? Extent::Beginning
             : unknownExtent(Buffers.find(Of.Buffer)->second, ByOwnName);
}

/// The same of an element of what begins there.
Extent Finder::extentOf(const ArraySubscriptExpr *E, const Part &Of,
                        bool ByOwnName) const {
  const Buffer &B = Buffers.find(Of.Buffer)->second;
  const Extent Unknown =
      B.HasNames ? unknownExtent(B, ByOwnName) : Extent::Whole;
  const VarDecl *Counter = variableOf(E->getIdx());
  const Expr *Bound = Counter ? Found.BoundOf.lookup(Counter) : nullptr;
  const auto Number = Bound ? count(Bound) : count(E->getIdx());
  if (!Number)
    return Unknown;
  const SymbolicCount Up = inBytes(*Number, B);
  if (!Bound)
    return (B.Begins[1] - Up).isSurelyPositive() ? Extent::Beginning
                                                 : Extent::Whole;
  return Up == B.Begins[1]         ? Extent::Beginning
         : B.Size && Up == *B.Size ? Extent::Whole
                                   : Unknown;
}

BufferParts::BufferParts(const FunctionDecl *FD, const Constancy &Constant) {
  Finder Of(FD, Constant);
  Of.findBuffers();
  Of.joinParts();
  // A place that is where nothing ends may be another one on each rank.
  Of.Buffers.remove_if([](const auto &B) {
    return !B.second.AreSizes || B.second.Begins.size() < 2;
  });
  if (Of.Buffers.empty())
    return;
  for (const CallExpr *Call : Of.Found.Calls)
    for (const Expr *A : Call->arguments())
      if (Call->getNumArgs() > 1)
        Of.noteOwnName(A);
  for (const ArraySubscriptExpr *E : Of.Found.Elements)
    Of.noteOwnName(E->getBase());
  const PointerPlaces Kept(FD, Constant);
  for (const ParmVarDecl *P : Kept.parameters())
    Of.Buffers.erase(P);
  const auto Note = [&](const Expr *E, auto &&ExtentOf) {
    const auto At = Of.placeOf(E);
    const Part P = At ? Of.partAt(*At) : Part();
    if (P && P.Number == 0)
      Mentions[bare(E)] = {P.Buffer,
                           ExtentOf(P, variableOf(E) == P.Buffer ||
                                           vectorOf(bare(E)) == P.Buffer)};
  };
  for (const CallExpr *Call : Of.Found.Calls)
    for (const Expr *A : Call->arguments())
      if (A->getType()->isPointerType())
        Note(A, [&](const Part &P, bool ByOwnName) {
          return Of.extentIn(Call, P, ByOwnName);
        });
  for (const ArraySubscriptExpr *E : Of.Found.Elements)
    Note(E->getBase(), [&](const Part &P, bool ByOwnName) {
      return Of.extentOf(E, P, ByOwnName);
    });
  for (const auto &[VD, P] : Of.Found.Of)
    if (P.Value && !isa<ParmVarDecl>(VD) && Of.isKept(VD))
      if (const auto At = Of.placeOf(P.Value))
        if (const Part Is = Of.partAt(*At))
          Variables[VD] = Is;
  for (const Expr *E : Of.Found.Sums)
    if (const auto At = Of.placeOf(E))
      if (const Part Is = Of.partAt(*At); Is && Is.Number != 0)
        Places[E] = Is;
}

} // namespace spmd::lint::lower
