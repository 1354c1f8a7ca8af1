//===- ArenaSetups.cpp - Calls that lay out an allocation -----------------===//

#include "ArenaSetups.h"

#include "MemberLists.h"

#include "cxx/KnownTypes.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/SmallSet.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

namespace {

/// What a body calls, and whether it points some of the pointers anywhere, by
/// assigning them or by their addresses.
class Body : public RecursiveASTVisitor<Body> {
public:
  Body(const FunctionDecl *FD, const ArenaSetups::Pointers &Pointers)
      : Pointers(Pointers) {
    TraverseStmt(FD->getBody());
  }

  bool VisitBinaryOperator(BinaryOperator *E) {
    Sets |= E->getOpcode() == BO_Assign && isPointer(E->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    Sets |= E->getOpcode() == UO_AddrOf && isPointer(E->getSubExpr());
    return true;
  }
  /// `n->s[i] = (Slot){w, g}`.
  bool VisitInitListExpr(InitListExpr *E) {
    const RecordDecl *RD = E->getType()->getAsRecordDecl();
    Sets |= RD && llvm::any_of(Pointers, [RD](const ValueDecl *D) {
              const auto *Field = dyn_cast<FieldDecl>(D);
              return Field && declaresSameEntity(Field->getParent(), RD);
            });
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    if (const FunctionDecl *Callee = E->getDirectCallee())
      Calls.push_back(Callee);
    return true;
  }

  std::vector<const FunctionDecl *> Calls;
  bool Sets = false;

private:
  bool isPointer(const Expr *E) const {
    E = E->IgnoreParenCasts();
    if (const PointerMember List = memberListAt(E))
      return Pointers.contains(List.Field);
    if (const auto *M = dyn_cast<MemberExpr>(E))
      return Pointers.contains(M->getMemberDecl());
    const auto *D = dyn_cast<DeclRefExpr>(E);
    return D &&
           Pointers.contains(cast<ValueDecl>(D->getDecl()->getCanonicalDecl()));
  }

  const ArenaSetups::Pointers &Pointers;
};

/// Whether functions point some of the pointers anywhere, or have it done.
class Setters {
public:
  explicit Setters(const ArenaSetups::Pointers &Pointers)
      : Pointers(Pointers) {}

  bool contains(const FunctionDecl *FD) {
    const FunctionDecl *Body = nullptr;
    if (!FD->hasBody(Body))
      return false;
    // Of one that calls itself, what else it does decides.
    if (const auto [At, New] = Is.try_emplace(Body, false); !New)
      return At->second;
    const lower::Body Of(Body, Pointers);
    const bool Sets =
        Of.Sets || llvm::any_of(Of.Calls, [this](const FunctionDecl *Callee) {
          return contains(Callee);
        });
    return Is[Body] = Sets;
  }

private:
  const ArenaSetups::Pointers &Pointers;
  llvm::DenseMap<const FunctionDecl *, bool> Is;
};

} // namespace

/// The struct that \p List, an array, a pointer or a vector, has of each.
static const RecordDecl *elementOf(QualType List) {
  const QualType Of = List->isArrayType()
                          ? QualType(List->getArrayElementTypeNoTypeQual(), 0)
                      : List->isPointerType() ? List->getPointeeType()
                                              : elementType(List);
  const RecordDecl *RD = Of.isNull() ? nullptr : Of->getAsRecordDecl();
  return RD ? RD->getDefinition() : nullptr;
}

llvm::SmallVector<const FieldDecl *, 2>
memoriesOfElements(const Arenas &Known, const FieldDecl *List) {
  llvm::SmallVector<const FieldDecl *, 2> Out;
  if (const RecordDecl *RD = elementOf(List->getType()))
    for (const FieldDecl *Pointer : RD->fields())
      if (const FieldDecl *Memory = Known.memoryOf(List, Pointer))
        Out.push_back(Memory);
  return Out;
}

ArenaSetups::ArenaSetups(ModuleLowering &M, const FunctionDecl *FD,
                         const Pointers &Of) {
  Setters Known(Of);
  for (const FunctionDecl *Callee : Body(FD, Of).Calls)
    if (M.isKnown(Callee) && Known.contains(Callee))
      Symbols.insert(M.require(Callee));
}

/// Whether \p Call gets the object that has the pointer \p Part, or the struct
/// in it.
static bool isGiven(const Function &F, const CallFact &Call, SlotId Part,
                    SlotId Memory) {
  if (F.slot(Memory).Kind == SlotKind::Global)
    return true;
  llvm::SmallSet<SlotId, 2> Objects;
  for (SlotId S = Part; S != SlotId::None; S = F.slot(S).Base)
    Objects.insert(S);
  Objects.insert(Memory);
  return Objects.contains(Call.Receiver.Slot) ||
         llvm::any_of(Call.Arguments, [&](const Operand &A) {
           return A.Slot != SlotId::None && Objects.contains(A.Slot);
         });
}

/// Whether \p Part is a pointer in the elements of a list beside the memory.
static bool isOfElements(const Function &F, const ViewFact &Part) {
  const SlotId List = F.slot(Part.Dst).Base;
  return List != SlotId::None && List != F.slot(Part.Src.Slot).Base &&
         !F.slot(List).InPlace;
}

/// Whether \p Bind gives what \p Part is in another object, or memory: who
/// fills a list has its elements point there.
static bool givesMemory(const Function &F, const BindFact &Bind,
                        const ViewFact &Part) {
  return isOfElements(F, Part) &&
         (Bind.Dst == Part.Src.Slot || Bind.Dst == F.slot(Part.Src.Slot).Base);
}

/// Who puts a pointer into a list, all of which lie in memory that has a name,
/// says where the list lies.
static void bindFilled(Function &F, llvm::ArrayRef<ViewFact> Parts) {
  for (Block &B : F.Blocks)
    for (Fact &X : B.Facts)
      if (const auto *Bind = std::get_if<BindFact>(&X); Bind && Bind->Joins)
        for (const ViewFact &Part : Parts)
          if (Bind->Dst == Part.Dst) {
            X = Part;
            break;
          }
}

void ArenaSetups::bindBehind(Function &F,
                             llvm::ArrayRef<ViewFact> Parts) const {
  bindFilled(F, Parts);
  if (Symbols.empty() && llvm::none_of(Parts, [&F](const ViewFact &Part) {
        return isOfElements(F, Part);
      }))
    return;
  for (Block &B : F.Blocks) {
    llvm::SmallSet<SlotId, 2> Results;
    std::vector<Fact> Now;
    for (Fact &X : B.Facts) {
      const auto *Call = std::get_if<CallFact>(&X);
      const auto *Bind = std::get_if<BindFact>(&X);
      const bool Sets = Call && Symbols.contains(Call->Callee);
      if (Sets && Call->Dst != SlotId::None)
        Results.insert(Call->Dst);
      std::vector<Fact> Behind;
      for (const ViewFact &Part : Parts)
        if ((Sets && isGiven(F, *Call, Part.Dst, Part.Src.Slot)) ||
            (Bind && Bind->Dst == Part.Src.Slot &&
             Results.contains(Bind->Src.Slot)) ||
            (Bind && givesMemory(F, *Bind, Part)))
          Behind.emplace_back(Part);
      Now.push_back(std::move(X));
      llvm::append_range(Now, std::move(Behind));
    }
    B.Facts = std::move(Now);
  }
}

} // namespace spmd::lint::lower
