//===- RedistributeCases.h - Specs, and what they mean ----------*- C++ -*-===//

#ifndef SPMD_TEST_UNIT_RUNTIME_CASES_REDISTRIBUTECASES_H
#define SPMD_TEST_UNIT_RUNTIME_CASES_REDISTRIBUTECASES_H

#include <spmd/spmd.h>

namespace spmd::test {

/// By rank, what it has, dense.
using Values = std::vector<std::vector<double>>;

/// A spec on the first axes of a mesh.
struct TestSpec {
  /// Of each tensor dim, the axes that cut it, outermost first.
  std::vector<std::vector<int>> Dims;
  /// Of each axis; V where it cuts a dim.
  std::vector<LocalType> Types;

  std::string str(const Shape &Whole, const Mesh &M) const;
  TestSpec dual() const;
  Shape localShape(const Shape &Whole, const Mesh &M) const;
  /// What this rank has of a tensor that is the same for all specs.
  std::vector<double> draw(const Shape &Whole, const Mesh &M) const;
  /// Empty when \p X has that meaning; else what is wrong.
  std::string check(const Shape &Whole, const std::vector<Mesh::Dim> &M,
                    const Values &X) const;
  /// The pairing of a cotangent of the dual's spec with a tangent of this one.
  double pair(const std::vector<Mesh::Dim> &M, const Values &Y,
              const Values &X) const;

private:
  /// [Begin, End) of each dim.
  std::vector<std::pair<std::int64_t, std::int64_t>>
  box(const Shape &Whole, const std::vector<int> &At,
      const std::vector<int> &Sizes) const;
};

/// All of them for \p Rank dims on \p Axes axes.
std::vector<TestSpec> allSpecs(std::size_t Rank, std::size_t Axes);

} // namespace spmd::test

#endif // SPMD_TEST_UNIT_RUNTIME_CASES_REDISTRIBUTECASES_H
