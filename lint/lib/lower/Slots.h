//===- Slots.h - Names of storage -------------------------------*- C++ -*-===//
//
// A pointer and what it points to are one slot: aliases are bindings in the IR.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LINT_LOWER_SLOTS_H
#define SPMD_LINT_LOWER_SLOTS_H

#include "FactWriter.h"

#include "llvm/ADT/SmallSet.h"

#include <map>

namespace spmd::lint::lower {

class GlobalArenas;

/// What \p Field is called in its class.
std::string memberText(const rules::Slot &Field);

/// The slot of each variable and member that a function names, made with what
/// is declared of it when it is first asked for.
class SlotTable {
public:
  explicit SlotTable(FactWriter &L) : L(L), F(L.ir()) {}

  SlotId variable(const clang::VarDecl *VD);
  /// \p VD is another name of what \p S is.
  void name(const clang::VarDecl *VD, SlotId S) {
    Variables[VD->getCanonicalDecl()] = S;
  }
  /// Whether \p VD is a list that is another name of the buffer that all its
  /// pointers lie in.
  bool isListOfParts(const clang::VarDecl *VD);
  /// What the pointer at \p Number of \p List, which \p Name says, leads to.
  SlotId placeInList(const clang::VarDecl *List, std::int64_t Number,
                     llvm::StringRef Name);
  /// Those of the list \p P.
  llvm::SmallVector<SlotId, 4> placesInList(const clang::VarDecl *P) const;
  /// A part of \p Buffer, of which \p Name is a name.
  SlotId partOf(const clang::VarDecl *Buffer, unsigned Number,
                llvm::StringRef Name) {
    return local(PartsOfBuffers[Buffer->getCanonicalDecl()][Number], Name);
  }
  SlotId parameter(const clang::ParmVarDecl *P);
  SlotId self();
  SlotId result();
  /// The state of the random generator that all code of the program shares.
  SlotId generator();
  SlotId field(SlotId Base, llvm::StringRef Name,
               const clang::ValueDecl *D = nullptr);
  /// A member of the object that the method is called on.
  SlotId ownField(const clang::FieldDecl *Field) {
    return field(self(), Field->getName(), Field);
  }
  /// The field if it was mentioned before.
  SlotId findField(SlotId Base, llvm::StringRef Member) const;
  /// The struct that an iteration of \p Loop has, which is called \p Element.
  SlotId turn(const clang::Stmt *Loop, const clang::Expr *Element);
  SlotId element(SlotId List, std::uint64_t Number) {
    return field(List, "[" + std::to_string(Number) + "]");
  }
  /// The list of all parameters of a module, or of an optimizer.
  SlotId parametersOf(SlotId Object) {
    return Object == SlotId::None ? Object
                                  : field(Object, rules::ParametersMember);
  }
  /// The same of a \p Module whose members say what they are.
  SlotId parametersOf(SlotId Object, clang::QualType Module);
  /// Whether more is said of some parameters in the list \p List of a
  /// \p Module than of all of them.
  bool hasDifferentParts(SlotId List, clang::QualType Module);
  void bindArenas();
  /// Whether \p S is a part of the memory that it points into: what an
  /// annotation promises to be the same on all ranks is believed of it alone.
  bool isPartOfMemory(SlotId S) const;
  /// The globals that hold what those that the function names point into.
  std::vector<const clang::VarDecl *>
  globalMemories(const GlobalArenas &Known) const;
  /// Members that list the parameters of another one are names of that list.
  void bindParameterLists();
  /// Says which models have no layer in common.
  void markApart();
  /// Those of variables that are numbers or flags.
  llvm::SmallSet<SlotId, 8> numbers() const;

private:
  SlotId memoryOf(SlotId S);
  SlotId named(const char *Name, rules::SlotKind Kind);
  /// \p Known, or a new slot that it becomes.
  SlotId local(std::optional<SlotId> &Known, llvm::StringRef Name);
  bool isOutermost(const clang::VarDecl *VD) const;
  bool isCaptured(const clang::VarDecl *VD) const;
  void describe(rules::Slot &S, const clang::ValueDecl *D);
  bool isRead(SlotId S) const;
  void inherit(rules::Slot &S, const clang::ValueDecl *D) const;
  void noteHandle(SlotId S, const clang::ValueDecl *D);
  std::string textOf(SlotId S) const;

  FactWriter &L;
  rules::Function &F;
  /// Lists of parameters of which is known what they have in common, and those
  /// in which some have more.
  llvm::DenseSet<SlotId> CommonOf, DifferentParts;
  SlotId Result = SlotId::None, Generator = SlotId::None;
  llvm::DenseMap<const clang::ValueDecl *, SlotId> Variables;
  llvm::DenseMap<const clang::Stmt *, SlotId> Turns; ///< by loop
  llvm::DenseMap<const clang::VarDecl *, std::map<std::int64_t, SlotId>>
      PlacesInLists;
  llvm::DenseMap<const clang::VarDecl *,
                 std::map<unsigned, std::optional<SlotId>>>
      PartsOfBuffers;
  llvm::StringMap<SlotId> Fields; ///< by base and member
  llvm::DenseMap<SlotId, const clang::FieldDecl *> FieldOf;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_SLOTS_H
