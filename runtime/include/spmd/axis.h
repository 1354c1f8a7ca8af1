//===- axis.h - One axis of the device mesh ---------------------*- C++ -*-===//

#ifndef SPMD_AXIS_H
#define SPMD_AXIS_H

#include "spmd/communicator.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace spmd {

/// Specialised by spmd/torch.h and spmd/nccl.h: makes a Communicator of a
/// foreign handle, so that the handle itself can be passed as an axis.
template <class Handle, class Enable = void> struct AxisSource;

namespace detail {
/// False of any text, so that the message is one line without numbers.
template <class Text> inline constexpr bool IsAnAxis = false;
} // namespace detail

/// One digit of a rank number: ranks that differ only in it are \c Stride
/// apart.
struct AxisDigit {
  int Size;
  int Stride;
};

/// A set of ranks that communicate: an axis of a mesh, several axes flattened,
/// a group of ranks, or a foreign communicator. Cheap to copy.
class Axis {
public:
  /// An axis of one rank, on which every collective is the identity.
  Axis() = default;

  /// An axis of a mesh; Mesh::axis and Mesh::flatten call this. \p Digits are
  /// outermost first, \p GlobalRank is this process's.
  Axis(std::string Name, std::vector<AxisDigit> Digits, int GlobalRank)
      : Described(shared({std::move(Name), std::move(Digits)})),
        Global(GlobalRank), Made(unconnected()) {
    for (AxisDigit D : digits()) {
      Size = Size * D.Size;
      Rank = Rank * D.Size + Global / D.Stride % D.Size;
    }
  }

  /// The one of \p Groups, lists of global ranks of which no two have a rank in
  /// common, that has \p GlobalRank; else that rank alone. Mesh::group calls
  /// this.
  Axis(std::string Name, std::vector<std::vector<int>> Groups, int GlobalRank)
      : Described(shared({std::move(Name), {}, std::move(Groups)})),
        Global(GlobalRank), Made(unconnected()) {
    for (const std::vector<int> &Group : groups())
      if (const auto At = std::find(Group.begin(), Group.end(), Global);
          At != Group.end()) {
        Size = static_cast<int>(Group.size());
        Rank = static_cast<int>(At - Group.begin());
      }
  }

  /// An axis over a foreign communicator; its global ranks are not known.
  Axis(std::string Name, std::shared_ptr<Communicator> Comm)
      : Described(shared({std::move(Name)})), Size(Comm->size()),
        Rank(Comm->rank()), Foreign(std::move(Comm)) {}

  /// Implicit, so that collectives take a process group or an ncclComm_t
  /// directly.
  template <class Handle, class = decltype(AxisSource<Handle>::communicator(
                              std::declval<const Handle &>()))>
  Axis(const Handle &H) : Axis("", AxisSource<Handle>::communicator(H)) {}

  /// For who writes the name of an axis in its place: does not compile.
  template <class Text, std::enable_if_t<std::is_convertible<
                            const Text &, std::string_view>::value> * = nullptr>
  Axis(const Text &) {
    static_assert(detail::IsAnAxis<Text>,
                  "spmd: an axis is not its name: take it of the mesh, as in "
                  "mesh.axis(\"dp\")");
  }

  /// Number of ranks on the axis.
  int size() const { return Size; }
  /// This process's coordinate on the axis, 0 … size() - 1.
  int rank() const { return Rank; }
  /// "tp", "(dp,tp)" for flattened axes, "" for an unnamed foreign one.
  const std::string &name() const { return described().Label; }
  /// None of a group of ranks.
  const std::vector<AxisDigit> &digits() const { return described().Layout; }
  /// The lists that it is one of, if it is a group of ranks.
  const std::vector<std::vector<int>> &groups() const {
    return described().Groups;
  }
  /// This process's rank in the mesh.
  int globalRank() const { return Global; }

  /// Who moves its data: the foreign communicator, else the one that the
  /// installed backend makes at the first call, or at the first one after
  /// another was installed. Null on an axis of one rank that has no foreign
  /// one.
  Communicator *communicator() const { return connected().get(); }
  /// The same, for who needs it longer than the backend is installed.
  const std::shared_ptr<Communicator> &connected() const;
  /// The memory that local operators on this axis work on.
  Memory &memory() const;

  /// The lowest global rank on this axis; 0 for a foreign communicator.
  int firstRank() const {
    int First = Global;
    for (const std::vector<int> &Group : groups())
      if (std::find(Group.begin(), Group.end(), Global) != Group.end())
        First = *std::min_element(Group.begin(), Group.end());
    for (AxisDigit D : digits())
      First -= Global / D.Stride % D.Size * D.Stride;
    return First;
  }
  /// The global ranks on this axis, in axis order; empty for a foreign
  /// communicator.
  std::vector<int> members() const {
    if (Foreign)
      return {};
    for (const std::vector<int> &Group : groups())
      if (std::find(Group.begin(), Group.end(), Global) != Group.end())
        return Group;
    std::vector<int> Ranks{firstRank()};
    for (AxisDigit D : digits()) {
      std::vector<int> Next;
      Next.reserve(Ranks.size() * D.Size);
      for (int Outer : Ranks)
        for (int Digit = 0; Digit < D.Size; ++Digit)
          Next.push_back(Outer + Digit * D.Stride);
      Ranks = std::move(Next);
    }
    return Ranks;
  }

  /// Two axes overlap when they share a rank besides this one: a value must
  /// not be typed on both. False where either is foreign.
  bool overlaps(const Axis &Other) const {
    std::vector<int> Mine = members(), Theirs = Other.members(), Both;
    std::sort(Mine.begin(), Mine.end());
    std::sort(Theirs.begin(), Theirs.end());
    std::set_intersection(Mine.begin(), Mine.end(), Theirs.begin(),
                          Theirs.end(), std::back_inserter(Both));
    return std::any_of(Both.begin(), Both.end(),
                       [this](int Rank) { return Rank != Global; });
  }

private:
  /// What backends made, shared by the copies of an axis.
  struct Connection;
  static std::shared_ptr<Connection> unconnected();

  /// Shared, so that a copy allocates nothing.
  struct Description {
    std::string Label;
    std::vector<AxisDigit> Layout = {};
    std::vector<std::vector<int>> Groups = {};
  };
  static std::shared_ptr<const Description> shared(Description Of) {
    return std::make_shared<Description>(std::move(Of));
  }
  const Description &described() const {
    static const Description None;
    return Described ? *Described : None;
  }

  std::shared_ptr<const Description> Described;
  int Global = 0;
  int Size = 1;
  int Rank = 0;
  std::shared_ptr<Communicator> Foreign;
  std::shared_ptr<Connection> Made;
};

namespace detail {
/// "axis 'tp' of 4 ranks", for messages.
inline std::string describe(const Axis &A) {
  const std::string Name = A.name().empty() ? std::string("an unnamed axis")
                                            : "axis '" + A.name() + "'";
  return Name + " of " + std::to_string(A.size()) +
         (A.size() == 1 ? " rank" : " ranks");
}
} // namespace detail

} // namespace spmd

#endif // SPMD_AXIS_H
