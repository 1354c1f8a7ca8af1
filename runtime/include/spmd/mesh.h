//===- mesh.h - The device mesh ---------------------------------*- C++ -*-===//

#ifndef SPMD_MESH_H
#define SPMD_MESH_H

#include "spmd/axis.h"

namespace spmd {

namespace detail {
struct MeshState;
} // namespace detail

/// Named axes over ranks, row-major: the last axis is the one whose neighbours
/// have consecutive ranks. Cheap to copy: copies share their axes'
/// communicators, of which there is one for each set of flattened axes, and the
/// plans of redistribute, of which it keeps those that were used last.
///
///     spmd::Mesh Mesh({{"dp", 8}, {"tp", 4}}, Rank);
///     spmd::Axis Tp = Mesh.axis("tp");
class Mesh {
public:
  struct Dim {
    std::string Name;
    int Size;
  };

  /// How many plans of redistribute are kept; one more drops that which has
  /// not been used for longest.
  static constexpr std::size_t MaxPlans = 512;

  /// All ranks of the program. \p GlobalRank is this process's, 0 … size() - 1.
  /// An empty or repeated name, one of other than letters, digits and '_', a
  /// size below 1, more ranks than an int counts or a rank outside is an Error.
  Mesh(std::vector<Dim> Dims, int GlobalRank);

  /// Number of ranks.
  int size() const { return Total; }
  /// This process's rank in the mesh, 0 … size() - 1.
  int rank() const { return Self; }
  /// This process's rank in the program; rank() but for a part of a mesh, and
  /// for one whose axes were refolded in another order.
  int globalRank() const { return Global; }
  /// Size of the axis \p Name.
  int size(const std::string &Name) const { return Axes[find(Name)].Size; }
  /// This process's coordinate on the axis \p Name.
  int rank(const std::string &Name) const;
  const std::vector<Dim> &dims() const { return Axes; }
  bool has(const std::string &Name) const;

  /// The axis \p Name; an unknown name is an Error that lists the known ones.
  Axis axis(const std::string &Name) const;

  /// Several axes as one, outermost first: flatten({"dp", "tp"}) is named
  /// "(dp,tp)" and its rank is dp's times the size of tp plus tp's. A repeated
  /// name is an Error. Every operator takes it where it takes an axis, and does
  /// there in one call what one after the other would.
  Axis flatten(const std::vector<std::string> &Names) const;

  /// The ranks of each list as an axis, in the order of the list: groups that
  /// are no digits of the mesh, such as the first and the last stage of a
  /// pipeline, which share an embedding:
  ///
  ///     spmd::Axis Ends = Mesh.group("ends", {{0, 6}, {1, 7}});
  ///
  /// Every operator takes it where it takes an axis. All ranks give all lists;
  /// ranks are those of this mesh, and who is in no list is alone on the axis.
  /// A rank that is outside or occurs twice is an Error, and so is a name that
  /// an axis or another group has.
  Axis group(const std::string &Name,
             const std::vector<std::vector<int>> &Ranks) const;

  /// The mesh of these axes alone, in the order given: the ranks that have
  /// this one's coordinates on all other axes. Errors as of flatten.
  Mesh part(const std::vector<std::string> &Names) const;

  /// The same ranks with axes \p Into where \p Names were, as expert
  /// parallelism wants them: of dp=4, tp=2
  ///
  ///     Mesh.refold({"dp", "tp"}, {{"edp", 2}, {"ep", 4}})
  ///
  /// has ep over neighbours in (dp,tp), and edp over what is four apart in it.
  /// Axes that are not named stay. Sizes that do not multiply to those of
  /// \p Names, or cut an axis where it cannot be cut evenly, are an Error.
  Mesh refold(const std::vector<std::string> &Names,
              const std::vector<Dim> &Into) const;

  /// What copies share.
  detail::MeshState &state() const { return *State; }

private:
  Mesh(std::vector<Dim> Dims, std::vector<std::vector<AxisDigit>> Digits,
       int GlobalRank);
  static void checkNames(const std::vector<Dim> &Of, const char *Caller);
  std::size_t find(const std::string &Name) const;
  std::vector<AxisDigit> digitsOf(const std::vector<std::string> &Names,
                                  const char *Caller) const;
  template <class Ranks>
  Axis kept(const std::string &Label, const Ranks &Of) const;
  int globalRankOf(int Rank) const;

  std::vector<Dim> Axes;
  std::vector<std::vector<AxisDigit>> Digits; ///< of each axis
  int Global;
  int Self = 0;
  int Total = 1;
  std::shared_ptr<detail::MeshState> State;
};

} // namespace spmd

#endif // SPMD_MESH_H
