//===- Link.h - Several modules as one program ------------------*- C++ -*-===//
//
// A file knows the bodies of its own functions only. Linked, calls reach the
// bodies in other files, a virtual call reaches all methods that override the
// one it names, and what no file defines is unknown code.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_IR_LINK_H
#define SPMD_IR_LINK_H

#include "spmd/ir/Dispatch.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace spmd::rules {

/// How a function of one module stands to those of others.
struct Linkage {
  enum class Kind : std::uint8_t {
    External, ///< one definition in the program
    Shared,   ///< the same definition in many files: inline, templates
    Local,    ///< another function than any of that symbol elsewhere
  };
  Kind K = Kind::External;
  /// No definition here: the only block says what unknown code may do to the
  /// parameters.
  bool Assumed = false;
  /// Stands for a virtual call of this method.
  std::string DispatchOf;
  /// The methods of bases that this one overrides, directly or not.
  std::vector<std::string> Overrides;
};

/// By symbol; a function without an entry is External.
using Linkages = llvm::StringMap<Linkage>;

struct LinkUnit {
  const Module *M = nullptr;
  const Linkages *Symbols = nullptr;
  std::string File;
  const ClassFamilies *Classes = nullptr;
};

/// A place in the module that it was lowered in.
struct OriginalPlace {
  const Function *In = nullptr;
  PlaceId At = PlaceId::None;
};

struct Program {
  Module M; ///< its rules are the units' own: these must outlive it
  OriginalPlace original(const Function *F, PlaceId At) const;

  /// By function of M: what each place was. Absent for what linking made.
  llvm::DenseMap<const Function *, std::vector<OriginalPlace>> Places;
};

/// Functions of which two files have different definitions are taken as
/// unknown. Units are linked in the order of their files, whichever comes
/// first.
Program linkModules(std::vector<LinkUnit> Units);

/// Gives every caller a slot for the fields and globals that only its callees
/// mention: what a method does to a field must reach the next method called on
/// the same object. \p OnCopy hears of each place that a caller got so.
void addCalleeFields(Module &M,
                     llvm::function_ref<void(
                         Function &Caller, const Function &Callee, PlaceId Old)>
                         OnCopy);

} // namespace spmd::rules

#endif // SPMD_IR_LINK_H
