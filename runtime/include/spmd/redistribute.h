//===- redistribute.h - Change of type, same value --------------*- C++ -*-===//

#ifndef SPMD_REDISTRIBUTE_H
#define SPMD_REDISTRIBUTE_H

#include "spmd/collectives.h"
#include "spmd/local.h"
#include "spmd/mesh.h"

namespace spmd {

namespace detail {

/// The table's row from \p Src to \p Dst that keeps the denotation; null
/// between equal types. Expert-only rows count: asking for the meaning to be
/// kept is what makes them right.
constexpr const rules::Transition *keepingMeaning(LocalType Src,
                                                  LocalType Dst) {
  for (const rules::Transition &T : rules::Transitions)
    if (T.Src == Src && T.Dst == Dst && T.KeepsMeaning)
      return &T;
  return nullptr;
}

constexpr bool canRedistribute() {
  for (LocalType Src : rules::AllLocalTypes)
    for (LocalType Dst : rules::AllLocalTypes)
      if (Src != Dst && !keepingMeaning(Src, Dst))
        return false;
  return true;
}
static_assert(canRedistribute());

/// Runs the row for \p Src to \p Dst, or copies between equal placements.
inline void runRedistribute(const View &In, const View &Out, const Axis &A,
                            const Placement &Src, const Placement &Dst,
                            Site At) {
  const rules::Transition *Row = keepingMeaning(Src.Type, Dst.Type);
  if (!Row || Src == Dst)
    return runTransition(OperatorKind::Reinterpret, In, Out, A, Src, Dst, At);
  runTransition(Row->Op, In, Out, A, Src, Dst, At);
}

} // namespace detail

/// redistribute(x, axis, src, dst): the one operator of the table that takes
/// src to dst and keeps the denotation; a copy between equal types. For any two
/// types; shapes and errors are those of that operator, and so is its backward.
template <class Src, class Dst>
void redistribute(const View &in, const View &out, const Axis &axis, Src src,
                  Dst dst, Site at = Site::here()) {
  static_assert(detail::IsTag<Src>::Value && detail::IsTag<Dst>::Value,
                "spmd: src and dst must be spmd::R, I, V, P or S(i)");
  detail::checkAllToAll<Src, Dst>();
  detail::runRedistribute(in, out, axis, src, dst, at);
}

/// redistribute(x, mesh, "[8@(dp,tp)]", "[8@(tp,dp)]"): a plan over several
/// axes. On a mesh of one rank, or between equal specs, a copy; anything else
/// is an Error, the runtime has no planner.
inline void redistribute(const View &in, const View &out, const Mesh &mesh,
                         const std::string &src_spec,
                         const std::string &dst_spec, Site at = Site::here()) {
  if (mesh.size() != 1 && src_spec != dst_spec)
    detail::fail("spmd::redistribute from " + src_spec + " to " + dst_spec +
                 " over a mesh of " + std::to_string(mesh.size()) +
                 " ranks: the runtime has no planner");
  detail::runTransition(rules::OperatorKind::Reinterpret, in, out, Axis(), R, R,
                        at);
}

} // namespace spmd

#endif // SPMD_REDISTRIBUTE_H
