//===- Fields.h - What is known, declared once ------------------*- C++ -*-===//
//
// A part of what is known about a value declares its fields in `fields()`:
// name, member and how two paths' contents join. Equality, hash, join and dump
// are made of that declaration here, so that none of them can leave one out.
// What only explains, such as where a type came from, is no field.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_INFERENCE_DOMAIN_FIELDS_H
#define SPMD_INFERENCE_DOMAIN_FIELDS_H

#include "spmd/types/LocalType.h"
#include "spmd/types/PartitionSpec.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>
#include <tuple>

namespace spmd::rules::inference {

template <typename Part, typename Member, typename Rule> struct Field {
  const char *Name;
  Member Part::*At;
  Rule Join;

  const Member &of(const Part &X) const { return X.*At; }
  Member &of(Part &X) const { return X.*At; }
};
template <typename Part, typename Member, typename Rule>
Field(const char *, Member Part::*, Rule) -> Field<Part, Member, Rule>;

template <typename T>
concept HasFields = requires { T::fields(); };

//===--- How the contents of a field join ---------------------------------===//

/// What holds on either path may hold: masks, sets and flags.
struct Either {
  bool operator()(bool A, bool B) const { return A || B; }
  template <typename T> T operator()(T A, T B) const { return A | B; }
};
/// What must hold holds on both.
struct Both {
  bool operator()(bool A, bool B) const { return A && B; }
  template <typename T> T operator()(T A, T B) const { return A & B; }
};
/// Known where both paths agree; \p Unknown otherwise.
template <typename T> struct Agree {
  T Unknown;
  T operator()(const T &A, const T &B) const { return A == B ? A : Unknown; }
};
template <typename T> Agree(T) -> Agree<T>;
/// Known where a path knows it.
struct Known {
  template <typename T> T *operator()(T *A, T *B) const { return A ? A : B; }
};
/// What no two paths bring.
struct Never {};
/// The greater one matters.
struct Most {
  template <typename T> T operator()(T A, T B) const { return A < B ? B : A; }
};
/// Parts and lists of parts, one by one.
struct Parts {
  template <HasFields T> T operator()(const T &A, const T &B) const {
    return join(A, B);
  }
  template <HasFields T, unsigned N>
  llvm::SmallVector<T, N> operator()(const llvm::SmallVector<T, N> &A,
                                     const llvm::SmallVector<T, N> &B) const {
    llvm::SmallVector<T, N> Out;
    Out.reserve(A.size());
    for (std::size_t I = 0; I != A.size(); ++I)
      Out.push_back(join(A[I], B[I]));
    return Out;
  }
};

/// A part that \p Part is made of, by inheritance.
template <typename Part, typename Of> struct Base {
  static constexpr const char *Name = "";
  Parts Join;

  const Of &of(const Part &X) const { return X; }
  Of &of(Part &X) const { return X; }
};

//===--- Equality, hash and dump of contents ------------------------------===//

using SpecPtr = std::shared_ptr<const PartitionSpec>;

template <typename T> bool isSame(const T &A, const T &B) { return A == B; }
inline bool isSame(const SpecPtr &A, const SpecPtr &B) {
  return A == B || (A && B && *A == *B);
}

template <HasFields T> llvm::hash_code hash_value(const T &X);

template <typename T> llvm::hash_code hashOf(const T &X) {
  if constexpr (requires { X.bits(); })
    return llvm::hash_value(X.bits());
  else if constexpr (HasFields<T>)
    return hash_value(X);
  else
    return llvm::hash_value(X);
}
template <typename T, unsigned N>
llvm::hash_code hashOf(const llvm::SmallVector<T, N> &X) {
  llvm::hash_code Out(X.size());
  for (const T &Of : X)
    Out = llvm::hash_combine(Out, hashOf(Of));
  return Out;
}
template <typename T> llvm::hash_code hashOf(const std::optional<T> &X) {
  return X ? llvm::hash_combine(true, hashOf(*X)) : llvm::hash_code(0);
}
inline llvm::hash_code hashOf(const SpecPtr &X) {
  llvm::hash_code Out(X && X->Positions);
  for (unsigned D = 0; X && D != X->rank(); ++D)
    Out =
        llvm::hash_combine(Out, X->Dims[D].Size.str(), hashOf(X->Dims[D].Axes));
  return Out;
}

inline std::string textOf(TypeSet X) {
  std::string Out;
  for (LocalType T : AllLocalTypes)
    if (X.contains(T))
      Out += letter(T);
  return Out;
}
template <typename T> std::string textOf(const T &X) {
  if constexpr (std::is_enum_v<T>)
    return std::to_string(static_cast<unsigned>(X));
  else if constexpr (std::is_pointer_v<T>)
    return X ? "some" : "none";
  else
    return std::to_string(X);
}
template <typename T> std::string textOf(const std::optional<T> &X) {
  return X ? textOf(*X) : "none";
}
inline std::string textOf(const SpecPtr &X) {
  std::string Out = X && X->Positions ? "positions [" : "[";
  for (unsigned D = 0; X && D != X->rank(); ++D) {
    Out += (D ? "," : "") + X->Dims[D].Size.str();
    if (X->Dims[D].Local.isKnown())
      Out += " of " + X->Dims[D].Local.str();
    for (AxisId A : X->Dims[D].Axes)
      Out += "@" + std::to_string(A);
  }
  return Out + "]";
}
template <HasFields T> std::string textOf(const T &X);
template <typename T, unsigned N>
std::string textOf(const llvm::SmallVector<T, N> &X) {
  std::string Out = "(";
  for (const T &Of : X)
    Out += (Out.size() == 1 ? "" : ", ") + textOf(Of);
  return Out + ")";
}

//===--- Of a part --------------------------------------------------------===//

template <HasFields T> bool operator==(const T &A, const T &B) {
  return std::apply(
      [&](const auto &...F) { return (isSame(F.of(A), F.of(B)) && ...); },
      T::fields());
}

template <HasFields T> llvm::hash_code hash_value(const T &X) {
  return std::apply(
      [&](const auto &...F) { return llvm::hash_combine(hashOf(F.of(X))...); },
      T::fields());
}

/// Each field by its own rule.
template <HasFields T> T joinFields(const T &A, const T &B) {
  T Out = A;
  std::apply(
      [&](const auto &...F) { ((F.of(Out) = F.Join(F.of(A), F.of(B))), ...); },
      T::fields());
  return Out;
}

/// The fields that are not as they are at first: "types=RI constant=1".
template <HasFields T> std::string textOf(const T &X) {
  static const T Default;
  std::string Out;
  const auto Add = [&](const auto &F) {
    if (!isSame(F.of(X), F.of(Default)))
      Out += (Out.empty() ? "" : " ") +
             (*F.Name ? std::string(F.Name) + "=" : "") + textOf(F.of(X));
  };
  std::apply([&](const auto &...F) { (Add(F), ...); }, T::fields());
  return Out;
}

} // namespace spmd::rules::inference

#endif // SPMD_INFERENCE_DOMAIN_FIELDS_H
