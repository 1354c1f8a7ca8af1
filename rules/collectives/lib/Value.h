//===- Value.h - What a rank has in a variable ------------------*- C++ -*-===//

#ifndef SPMD_COLLECTIVES_VALUE_H
#define SPMD_COLLECTIVES_VALUE_H

#include "spmd/collectives/EffectProgram.h"

#include "llvm/ADT/StringMap.h"

namespace spmd::collectives {

/// Part of an object: members and indices from the object on, interned.
using PathId = unsigned;
constexpr PathId WholeObject = 0;

struct Location {
  unsigned Object = 0;
  PathId Path = WholeObject;

  friend auto operator<=>(const Location &, const Location &) = default;
};

enum class ValueKind : std::uint8_t {
  Undefined,
  Integer,
  Real,
  Symbol, ///< Scale * the unknown integer Id + Integer
  Pointer,
  Comm, ///< Id: a communicator; see Communicators
  Name, ///< Id: of a constant
  Function,
  Request, ///< Id: of the rank's
  Group,   ///< Id: of ranks; see Groups.cpp
};

struct Value {
  ValueKind Kind = ValueKind::Undefined;
  /// Follows from the number of ranks, or from the caller's among them.
  bool OfRanks = false;
  /// The second.
  bool OfRank = false;
  unsigned Id = 0;
  std::int64_t Integer = 0, Scale = 1;
  double Real = 0;
  Location To;

  static Value integer(std::int64_t I, bool OfRanks = false) {
    Value V;
    V.Kind = ValueKind::Integer;
    V.Integer = I;
    V.OfRanks = OfRanks;
    return V;
  }
  static Value real(double R, bool OfRanks) {
    Value V;
    V.Kind = ValueKind::Real;
    V.Real = R;
    V.OfRanks = OfRanks;
    return V;
  }
  static Value of(ValueKind K, unsigned Id) {
    Value V;
    V.Kind = K;
    V.Id = Id;
    return V;
  }
  static Value pointer(Location To) {
    Value V;
    V.Kind = ValueKind::Pointer;
    V.To = To;
    return V;
  }
  bool isInteger() const { return Kind == ValueKind::Integer; }
  bool isNumber() const { return isInteger() || Kind == ValueKind::Real; }
  bool isSymbol() const { return Kind == ValueKind::Symbol; }

  friend bool operator==(const Value &, const Value &) = default;
};

/// What is said of a symbol: `3 * s + 1 < 0` is `s < 0`.
struct Relation {
  unsigned Symbol = 0;
  enum class Kind : std::uint8_t { Equal, Less } K = Kind::Equal;
  std::int64_t To = 0;
  bool Negated = false;
};

/// Unknown values by what makes them: two ranks that compute the same from the
/// same have one symbol.
class Symbols {
public:
  struct Entry {
    collectives::Trust Trust = Trust::Unknown;
    std::string Key;
    std::optional<Relation> Says; ///< 1 where that holds, else 0
    bool IsSize = false;          ///< never negative
    std::int64_t Modulus = 0;     ///< of a remainder; 0: it is none
  };

  Value get(llvm::StringRef Key, Trust T);
  Value relation(const Relation &R);
  void isSize(unsigned Id) { Entries[Id].IsSize = true; }
  void isRemainder(unsigned Id, std::int64_t Modulus) {
    Entries[Id].Modulus = Modulus;
  }
  const Entry &operator[](unsigned Id) const { return Entries[Id]; }

  /// Of constants.
  unsigned name(llvm::StringRef Name,
                std::optional<rules::CallConstant> Meaning);
  llvm::StringRef nameOf(unsigned Id) const { return Names[Id].first; }
  std::optional<rules::CallConstant> meaningOf(unsigned Id) const {
    return Names[Id].second;
  }
  bool means(const Value &V, rules::CallConstant C) const {
    return V.Kind == ValueKind::Name && Names[V.Id].second == C;
  }
  /// A text that equal values share.
  std::string textOf(const Value &V) const;

  //===--- Paths ------------------------------------------------------------//

  PathId field(PathId Of, llvm::StringRef Name);
  PathId element(PathId Of, std::int64_t Index);
  bool isElement(PathId P) const { return Paths[P].IsIndex; }
  std::int64_t indexOf(PathId P) const { return Paths[P].Index; }
  PathId parent(PathId P) const { return Paths[P].Parent; }
  bool isWithin(PathId P, PathId Whole) const;
  /// The part of \p Whole that \p P, which is within it, is in.
  PathId stepTo(PathId P, PathId Whole) const;
  /// An element of which the index is not known.
  bool isSomeElement(PathId P) const {
    return !Paths[P].IsIndex && P != WholeObject && SomeIndex[Paths[P].Index];
  }
  /// \p P, in \p From, at the same place in \p To.
  PathId moved(PathId P, PathId From, PathId To);
  std::string pathText(PathId P, PathId From = WholeObject) const;

private:
  struct Path {
    PathId Parent = 0;
    bool IsIndex = false;
    std::int64_t Index = 0; ///< or of a field's name
  };
  PathId intern(Path P);

  llvm::StringMap<unsigned> ByKey, NameIds, FieldIds;
  std::vector<bool> SomeIndex; ///< by the number of a field's name
  std::vector<Entry> Entries;
  std::vector<std::pair<std::string, std::optional<rules::CallConstant>>> Names;
  std::vector<Path> Paths{Path{}};
  /// By twice the parent, one more for an index, and by the index or name.
  llvm::DenseMap<std::pair<unsigned, std::int64_t>, PathId> PathIds;
  /// By four times the symbol and what is said of it, and by the number.
  llvm::DenseMap<std::pair<unsigned, std::int64_t>, unsigned> RelationIds;
};

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_VALUE_H
