//===- TypeSpec.h - What an annotation says ---------------------*- C++ -*-===//
//
// The payload grammars of the attributes: types, axes, meshes. Each parser
// reports the offset of its error within the payload, and reads back what its
// printer writes. Equality is of meaning: offsets do not take part.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TYPES_TYPESPEC_H
#define SPMD_TYPES_TYPESPEC_H

#include "spmd/types/LocalType.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spmd::rules {

/// One of R, I, V, P, S(i). S(i) is V that knows its tensor dim; a negative dim
/// counts from the last.
struct Atom {
  LocalType Type = LocalType::R;
  std::optional<int> ShardDim;

  friend bool operator==(const Atom &, const Atom &) = default;
};
std::string printAtom(const Atom &A); ///< "R", "S(-1)"

/// `axis: atom`, with the offset of the axis name in the payload.
struct AxisAtom {
  std::string Axis;
  Atom Value;
  std::size_t Offset = 0;

  friend bool operator==(const AxisAtom &A, const AxisAtom &B) {
    return A.Axis == B.Axis && A.Value == B.Value;
  }
};

/// One dim of a global type: a size, a name (or a product such as `3*H`), or
/// `_`, and the axes that shard it, outermost first.
struct DimSpec {
  std::string Extent;
  llvm::SmallVector<std::string, 2> Axes;

  friend bool operator==(const DimSpec &, const DimSpec &) = default;
};

/// The part of a global type that its local erasure does not have.
struct GlobalSpec {
  std::string DType; ///< empty when not given
  std::vector<DimSpec> Dims;

  friend bool operator==(const GlobalSpec &, const GlobalSpec &) = default;
};

/// A parsed type. For a global type, Axes is its local erasure: each axis of a
/// dim as S(dim), then the axes in braces.
struct TypeSpec {
  std::vector<AxisAtom> Axes;
  std::optional<GlobalSpec> Global;

  const AxisAtom *find(llvm::StringRef Axis) const;

  friend bool operator==(const TypeSpec &, const TypeSpec &) = default;
};
std::string printTypeSpec(const TypeSpec &T);

/// `weight: tp: S(0)`: the type of a tensor in an annotated object, by name.
struct MemberType {
  std::string Name;
  TypeSpec Type;

  friend bool operator==(const MemberType &, const MemberType &) = default;
};

/// `type`, `type -> type`, or `-> type`: what was there is overwritten. Of an
/// object also `name: type; name: type`.
struct TypeAnnotation {
  TypeSpec Entry;
  std::optional<TypeSpec> Exit;
  std::vector<MemberType> Members = {};

  const TypeSpec *findMember(llvm::StringRef Name) const;

  bool isOutput() const { return Exit && Entry == TypeSpec(); }

  friend bool operator==(const TypeAnnotation &,
                         const TypeAnnotation &) = default;
};
std::string printTypeAnnotation(const TypeAnnotation &A);

/// The name of the field that is the list of all tensors of an object.
inline constexpr llvm::StringLiteral ParametersMember = "parameters()";

/// What the annotation \p Of an object says of the tensor \p Member in it, of
/// all of them as ParametersMember; null where it says nothing.
std::shared_ptr<const TypeAnnotation>
memberAnnotation(const std::shared_ptr<const TypeAnnotation> &Of,
                 llvm::StringRef Member);

/// One axis of `[[spmd::mesh("dp=8:V, tp=4, dp_tp=(dp,tp)")]]`; size 0 when not
/// given.
struct MeshAxis {
  std::string Name;
  unsigned Size = 0;
  std::optional<Atom> Default;
  /// Another name for these, flattened, outermost first.
  std::vector<std::string> Of = {};
  std::size_t Offset = 0;

  friend bool operator==(const MeshAxis &A, const MeshAxis &B) {
    return A.Name == B.Name && A.Size == B.Size && A.Default == B.Default &&
           A.Of == B.Of;
  }
};
struct MeshSpec {
  std::vector<MeshAxis> Axes;
  const MeshAxis *find(llvm::StringRef Axis) const;

  friend bool operator==(const MeshSpec &, const MeshSpec &) = default;
};
std::string printMesh(const MeshSpec &M); ///< "dp=8:V, tp=4, x=(dp,tp)"

/// What is wrong with a payload, and where in it.
class PayloadError : public llvm::ErrorInfo<PayloadError> {
public:
  static char ID;
  PayloadError(std::size_t Offset, std::string Message)
      : Offset(Offset), Message(std::move(Message)) {}
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

  std::size_t Offset; ///< byte offset within the payload
  std::string Message;
};

/// "tp: V, dp: R", "bf16[B@dp, S, H@(cp,tp)]{ep: R}", "dp: P -> dp: I".
llvm::Expected<TypeAnnotation> parseTypeAnnotation(llvm::StringRef Payload);
/// The same without an arrow.
llvm::Expected<TypeSpec> parseTypeSpec(llvm::StringRef Payload);
/// "tp" or "(dp,tp)": the flattened axes, outermost first, and where in the
/// payload each stands.
llvm::Expected<std::vector<std::string>>
parseAxes(llvm::StringRef Payload,
          llvm::SmallVectorImpl<std::size_t> *Offsets = nullptr);
std::string printAxes(llvm::ArrayRef<std::string> Axes);
/// "dp=8:V, tp=4, x=(dp,tp)".
llvm::Expected<MeshSpec> parseMesh(llvm::StringRef Payload);

} // namespace spmd::rules

#endif // SPMD_TYPES_TYPESPEC_H
