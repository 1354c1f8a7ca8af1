//===- ModuleLowering.h - All functions of a translation unit ---*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_MODULELOWERING_H
#define SPMD_LINT_LOWER_MODULELOWERING_H

#include "Arenas.h"
#include "CountedMembers.h"
#include "GivenAxes.h"
#include "GivenOptions.h"
#include "GlobalArenas.h"
#include "HeldFunctions.h"
#include "HookedModules.h"
#include "ListsOfParts.h"
#include "PointerLists.h"
#include "Settings.h"

#include "cxx/FunctionFields.h"
#include "matchers/FileMatches.h"

#include "spmd/lint/Annotations.h"
#include "spmd/lint/Lowering.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace spmd::lint::lower {

class ModuleLowering {
public:
  ModuleLowering(clang::ASTContext &Ctx, const Config &Cfg,
                 const FileMatches &Found, OwnFiles &Own,
                 const LoweringOptions &Options);

  LoweredModule run();

  /// The callee's symbol when the module has, or now gets, its contract or
  /// body; empty for unknown code.
  std::string require(const clang::FunctionDecl *FD);
  /// The same of a body for the functions that \p Handed are, by parameter.
  std::string require(const clang::FunctionDecl *FD,
                      const HeldFunctions &Handed);
  /// True when calls of \p FD are analysed rather than taken as unknown.
  bool isKnown(const clang::FunctionDecl *FD);
  /// True for a function of the user's that another file may define, when
  /// there are other files.
  bool mayBeElsewhere(const clang::FunctionDecl *FD);
  std::string requireElsewhere(const clang::FunctionDecl *FD);
  /// True when the methods that override \p MD are to be found by linking.
  bool isDispatched(const clang::CXXMethodDecl *MD);
  std::string requireDispatch(const clang::CXXMethodDecl *MD);

  /// A field by its class too where a derived class may have another of its
  /// name.
  std::string memberName(const clang::FieldDecl *D);
  /// What tells a global from others of its name; mostly nothing.
  std::string globalName(const clang::VarDecl *D) const;
  bool isOwnCode(clang::SourceLocation Loc);
  /// A struct of the user's, held by value.
  bool isOwnStruct(clang::QualType T);

  AnnotationReader &annotations() { return Reader; }
  const Arenas &arenas() const { return Memories; }
  const GlobalArenas &globalArenas() const { return GlobalMemories; }
  const GivenOptions &options() const { return Objects; }
  const Settings &settings() const { return Chosen; }
  const CountedMembers &countedMembers() const { return Counted; }
  const PointerLists &pointerLists() const { return Pointers; }
  const ListsOfParts &listsOfParts() const { return Parts; }
  const GivenAxes &givenAxes() const { return Given; }
  HookedModules &hookedModules() { return Hooked; }
  /// The member whose parameters the member \p List lists; null if none.
  const clang::FieldDecl *listedModel(const clang::FieldDecl *List);
  /// By attribute, by the configuration for the declaration's name, or by what
  /// it becomes elsewhere.
  std::vector<std::string> axesOf(const clang::NamedDecl *D);
  /// What calls one of the functions that the file puts into the member that
  /// \p Call calls; \p Like is the first of them. Empty where others may be in
  /// it, or one is not seen.
  std::string requireChoice(const clang::Expr *Call,
                            const clang::FunctionDecl *&Like);
  /// \p RD, and the classes of the file that derive from it and override.
  llvm::SmallSetVector<const clang::CXXRecordDecl *, 8>
  familyOf(const clang::CXXRecordDecl *RD) const;
  /// Those whose ranks \p D counts.
  const std::vector<std::string> &sizeAxesOf(const clang::NamedDecl *D);
  /// spmd::local_map(fn, in, out) says what the parameters and results of a
  /// lambda are.
  void noteLocalMap(const clang::CallExpr *C);
  /// The mesh in force where \p D is declared, if \p In has another.
  std::shared_ptr<const rules::MeshSpec> otherMesh(const clang::Decl *D,
                                                   const clang::Decl *In);
  /// Axes given by the configuration for an expression's text.
  std::vector<std::string> configuredAxes(llvm::StringRef Expression) const;
  /// The rule of a [[spmd::op]] function; null without one.
  const rules::OpRule *ownRule(const clang::FunctionDecl *FD);

  /// A function that is linear in nothing, by its name in messages.
  const rules::OpRule &layerRule(llvm::StringRef Name,
                                 unsigned NumOperands = 3);

  /// One tensor of several: it is what each of them is.
  const rules::OpRule &elementRule();
  /// What is drawn at random: a copy, by another name.
  const rules::OpRule &drawRule();

  const rules::OpCatalogue &ops() const { return *Cfg.Ops; }
  const rules::CollectiveApis &apis() const { return *Cfg.Apis; }
  clang::ASTContext &context() const { return Ctx; }
  LoweredModule &module() { return Out; }

private:
  struct Entry {
    rules::Function *F = nullptr;
    bool HasBody = false;
  };

  const rules::OpRule &copyRule(const rules::OpRule *&Rule,
                                llvm::StringRef Name,
                                rules::OpRoles Roles = {});
  bool hasAnnotation(const clang::FunctionDecl *FD);
  std::vector<std::string> saidAxesOf(const clang::NamedDecl *D);
  void collectBodies();
  /// Communicators that \p FD can name though its body does not yet
  /// (AxisHandles.cpp).
  void addVisibleHandles(const clang::FunctionDecl *FD, FunctionSource &Source);
  rules::Function &add(const clang::FunctionDecl *FD, std::string Symbol);
  std::string symbolOf(const clang::FunctionDecl *FD) const;
  rules::Linkage linkageOf(const clang::FunctionDecl *FD) const;
  void declare(const clang::FunctionDecl *FD);
  /// A function that does what a call of who knows what may do, given what \p
  /// Like is given.
  rules::Function &addStandIn(const clang::FunctionDecl *Like,
                              std::string Symbol);
  /// The methods that a virtual call of \p MD reaches, of the classes that the
  /// file has; empty where one of them is not seen.
  llvm::ArrayRef<const clang::CXXMethodDecl *>
  reachedBy(const clang::CXXMethodDecl *MD);
  /// Of what class's fields \p MD, which is declared, may know.
  void noteClass(const clang::CXXMethodDecl *MD);
  void lowerBody(const clang::FunctionDecl *FD, rules::Function &F);

  clang::ASTContext &Ctx;
  const Config &Cfg;
  const FileMatches &Found;
  OwnFiles &Own;
  const LoweringOptions &Options;
  LoweredModule Out;
  rules::MeshSpec ConfiguredMesh;
  AnnotationReader Reader;
  llvm::DenseMap<const clang::FunctionDecl *, Entry> Entries;
  llvm::DenseMap<const clang::CXXMethodDecl *,
                 std::vector<const clang::CXXMethodDecl *>>
      Reached;
  FunctionFields InFields;
  /// Of virtual calls, by method, and of calls of what members hold.
  llvm::DenseMap<const clang::Decl *, rules::Function *> StandIns;
  std::vector<const clang::FunctionDecl *> Bodies;
  /// Bodies for certain functions that they are handed.
  std::map<std::pair<const clang::FunctionDecl *, HeldFunctions>,
           rules::Function *>
      Handed;
  std::vector<std::pair<const clang::FunctionDecl *, rules::Function *>>
      HandedBodies;
  Arenas Memories;
  GlobalArenas GlobalMemories;
  GivenOptions Objects;
  Settings Chosen;
  CountedMembers Counted;
  PointerLists Pointers;
  ListsOfParts Parts;
  GivenAxes Given;
  HookedModules Hooked;
  llvm::DenseMap<const clang::Decl *, unsigned> Instantiations;
  llvm::DenseMap<const clang::FunctionDecl *, const rules::OpRule *> OwnRules;
  llvm::StringMap<const rules::OpRule *> LayerRules;
  llvm::DenseMap<const clang::FieldDecl *, const clang::FieldDecl *> Listed;
  const rules::OpRule *ElementRule = nullptr, *DrawRule = nullptr;
  llvm::StringMap<std::vector<std::string>> ConfigAxes;
  llvm::DenseMap<const clang::NamedDecl *, std::vector<std::string>> SizeAxes;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_MODULELOWERING_H
