//===- AxisAlgebra.h - Axes as layouts of ranks -----------------*- C++ -*-===//
//
// An axis is a digit of the rank, written in mixed radix: `dp` of dp=2,tp=4 is
// rank / 4 % 2. A flattened or strided group is several digits. Names do not
// matter: (dp,tp) of dp=2,tp=4 and ep of ep=8 are the same, and so are a spec
// on the one and on the other.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_TYPES_AXISALGEBRA_H
#define SPMD_TYPES_AXISALGEBRA_H

#include "spmd/types/TypeSpec.h"

#include <cstdint>

namespace spmd::rules {

/// Ranks that differ in rank / Stride % Size.
struct RankDigit {
  std::int64_t Size = 1, Stride = 1;

  friend bool operator==(const RankDigit &, const RankDigit &) = default;
};

/// An axis, flattened axes or a part of one. Kept as few digits as can be, so
/// that equal layouts number their ranks alike.
class RankLayout {
public:
  RankLayout() = default; ///< of size one
  RankLayout(RankDigit D) { append(D); }

  llvm::ArrayRef<RankDigit> digits() const { return Digits; }
  std::int64_t size() const;
  /// Which of size() a rank is.
  std::int64_t indexOf(std::int64_t Rank) const;

  /// \p Minor varies faster.
  friend RankLayout operator*(const RankLayout &Major, const RankLayout &Minor);
  /// x:(Pre)Size: of the ranks along the axis, Size after the first Pre major
  /// ones. Nothing when they do not divide it.
  std::optional<RankLayout> part(std::int64_t Pre, std::int64_t Size) const;
  /// The same ranks, numbered as the mesh numbers them.
  RankLayout inOrder() const;

  friend bool operator==(const RankLayout &, const RankLayout &) = default;

private:
  void append(RankDigit D);

  llvm::SmallVector<RankDigit, 2> Digits; ///< outermost first
};

/// No digit of one shares a radix with a digit of the other: the two are axes
/// of one mesh. What has size one is orthogonal to everything.
bool orthogonal(const RankLayout &A, const RankLayout &B);

/// Named axes of one set of ranks. Those that a mesh is made of do not overlap;
/// groups that are added do.
class RankMesh {
public:
  struct Axis {
    std::string Name;
    RankLayout Layout;
    std::size_t Parts = 1; ///< of which it is flattened in the end
  };

  /// As ranks are numbered, the first axis outermost, and the flattened ones;
  /// an error when a size is not given.
  static llvm::Expected<RankMesh> of(const MeshSpec &M);
  /// Another name for \p Of, outermost first: `dp_cp` for (dp,cp).
  llvm::Error flatten(llvm::StringRef Name, llvm::ArrayRef<std::string> Of);

  std::int64_t ranks() const { return Ranks; }
  llvm::ArrayRef<Axis> axes() const { return Axes; }
  const Axis *find(llvm::StringRef Name) const;
  /// Of flattened axes; an error when one is not of the mesh, or two overlap.
  llvm::Expected<RankLayout> layoutOf(llvm::ArrayRef<std::string> Names) const;
  /// "dp" or "(dp,tp)", or parts such as "ep:(2)4"; empty when some rank digit
  /// is of no axis.
  std::string print(const RankLayout &L) const;

private:
  friend llvm::Error checkFlattened(const MeshSpec &M);
  static constexpr std::size_t MostParts = 64;
  llvm::Error addFlattened(const MeshSpec &M, std::size_t &Place);

  std::int64_t Ranks = 1;
  llvm::SmallVector<Axis, 4> Axes;
};

/// An error, at its place in the payload, when a flattened axis of \p M is of
/// axes that there are not, or that overlap.
llvm::Error checkFlattened(const MeshSpec &M);
/// The axes that \p Axis is flattened of, outermost first, down to those that
/// are not; itself when it is none.
std::vector<std::string> partsOf(const MeshSpec &M, llvm::StringRef Axis);
/// \p T with those parts in place of flattened axes: equal layouts are equal.
TypeSpec withParts(const TypeSpec &T, const MeshSpec &M);
/// The first two of \p Names that overlap: each rank has one place on both.
std::optional<std::pair<std::size_t, std::size_t>>
overlapping(llvm::ArrayRef<std::string> Names, const MeshSpec &M);

/// The coarsest digits of which the axes of both are made, outermost first;
/// nothing when there are none, as for 2 x 3 and 3 x 2 ranks.
std::optional<llvm::SmallVector<RankDigit, 6>>
commonRefinement(const RankMesh &A, const RankMesh &B);

/// \p T on another mesh over the same ranks, so that every rank has the same
/// block. An error says which axes are not whole axes there, or which size is
/// cut otherwise there; names are taken to divide evenly.
llvm::Expected<TypeSpec> remap(const TypeSpec &T, const RankMesh &From,
                               const RankMesh &To);

} // namespace spmd::rules

#endif // SPMD_TYPES_AXISALGEBRA_H
