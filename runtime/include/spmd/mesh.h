//===- mesh.h - The device mesh ---------------------------------*- C++ -*-===//

#ifndef SPMD_MESH_H
#define SPMD_MESH_H

#include "spmd/axis.h"

namespace spmd {

/// Named axes over the ranks of a program, row-major: the last axis is the one
/// whose neighbours have consecutive ranks.
///
///     spmd::Mesh Mesh({{"dp", 8}, {"tp", 4}}, Rank);
///     spmd::Axis Tp = Mesh.axis("tp");
class Mesh {
public:
  struct Dim {
    std::string Name;
    int Size;
  };

  /// \p GlobalRank is this process's, 0 … size() - 1. An empty or repeated
  /// name, a size below 1 or a rank outside is an Error.
  Mesh(std::vector<Dim> Dims, int GlobalRank)
      : Axes(std::move(Dims)), Global(GlobalRank) {
    for (std::size_t I = 0; I < Axes.size(); ++I) {
      if (Axes[I].Name.empty())
        detail::fail("spmd::Mesh: axis " + std::to_string(I) + " has no name");
      if (Axes[I].Size < 1)
        detail::fail("spmd::Mesh: axis '" + Axes[I].Name + "' has size " +
                     std::to_string(Axes[I].Size) + ", expected at least 1");
      for (std::size_t J = 0; J < I; ++J)
        if (Axes[I].Name == Axes[J].Name)
          detail::fail("spmd::Mesh: axis '" + Axes[I].Name + "' occurs twice");
      Total *= Axes[I].Size;
    }
    if (Global < 0 || Global >= Total)
      detail::fail("spmd::Mesh: rank " + std::to_string(Global) +
                   " is outside a mesh of " + std::to_string(Total) + " ranks");
  }

  /// Number of ranks.
  int size() const { return Total; }
  /// This process's rank.
  int rank() const { return Global; }
  /// Size of the axis \p Name.
  int size(const std::string &Name) const { return Axes[find(Name)].Size; }
  /// This process's coordinate on the axis \p Name.
  int rank(const std::string &Name) const { return axis(Name).rank(); }
  const std::vector<Dim> &dims() const { return Axes; }
  bool has(const std::string &Name) const {
    for (const Dim &D : Axes)
      if (D.Name == Name)
        return true;
    return false;
  }

  /// The axis \p Name; an unknown name is an Error that lists the known ones.
  Axis axis(const std::string &Name) const {
    return Axis(Name, {digit(find(Name))}, Global);
  }

  /// Several axes as one, outermost first: flatten({"dp", "tp"}) is named
  /// "(dp,tp)" and its rank is dp's times the size of tp plus tp's. A repeated
  /// name is an Error.
  Axis flatten(const std::vector<std::string> &Names) const {
    if (Names.size() == 1)
      return axis(Names[0]);
    std::string Label = "(";
    std::vector<AxisDigit> Digits;
    for (std::size_t I = 0; I < Names.size(); ++I) {
      for (std::size_t J = 0; J < I; ++J)
        if (Names[I] == Names[J])
          detail::fail("spmd::Mesh::flatten: axis '" + Names[I] +
                       "' occurs twice");
      Digits.push_back(digit(find(Names[I])));
      Label += (I ? "," : "") + Names[I];
    }
    return Axis(Label + ")", std::move(Digits), Global);
  }

private:
  std::size_t find(const std::string &Name) const {
    std::string Known;
    for (std::size_t I = 0; I < Axes.size(); ++I) {
      if (Axes[I].Name == Name)
        return I;
      Known += (I ? ", " : "") + Axes[I].Name;
    }
    detail::fail("spmd::Mesh: no axis '" + Name + "', the axes are " +
                 (Known.empty() ? "none" : Known));
  }

  AxisDigit digit(std::size_t Index) const {
    int Stride = 1;
    for (std::size_t I = Index + 1; I < Axes.size(); ++I)
      Stride *= Axes[I].Size;
    return {Axes[Index].Size, Stride};
  }

  std::vector<Dim> Axes;
  int Global;
  int Total = 1;
};

} // namespace spmd

#endif // SPMD_MESH_H
