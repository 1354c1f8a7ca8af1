//===- redistribute.h - Change of type, same value --------------*- C++ -*-===//

#ifndef SPMD_REDISTRIBUTE_H
#define SPMD_REDISTRIBUTE_H

#include "spmd/collectives.h"
#include "spmd/local.h"
#include "spmd/mesh.h"
#include "spmd/spec.h"
#include "spmd/work.h"

namespace spmd {

namespace detail {

/// Index of the table's row from \p Src to \p Dst that keeps the denotation;
/// NumTransitions between equal types. Expert-only rows count: asking for the
/// meaning to be kept is what makes them right.
constexpr std::size_t keepingMeaning(LocalType Src, LocalType Dst) {
  std::size_t Row = 0;
  for (; Row < rules::NumTransitions; ++Row) {
    const rules::Transition &T = rules::Transitions[Row];
    if (T.Src == Src && T.Dst == Dst && T.KeepsMeaning)
      break;
  }
  return Row;
}

constexpr bool canRedistribute() {
  for (LocalType Src : rules::AllLocalTypes)
    for (LocalType Dst : rules::AllLocalTypes)
      if (Src != Dst && keepingMeaning(Src, Dst) == rules::NumTransitions)
        return false;
  return true;
}
static_assert(canRedistribute());

template <class Src, class Dst> constexpr void checkRedistribute() {
  static_assert(IsTag<Src>::Value && IsTag<Dst>::Value,
                "spmd: src and dst must be spmd::R, I, V, P or S(i)");
  checkAllToAll<Src, Dst>();
}
/// Anything for what is no tag: one message is enough.
template <class Tag> Placement placementOf(const Tag &T) {
  if constexpr (IsTag<Tag>::Value)
    return T;
  else
    return {LocalType::R};
}

/// The operator of the row for \p Src to \p Dst; reinterpret, a copy, between
/// equal placements.
inline OperatorKind redistributeBy(const Placement &Src, const Placement &Dst) {
  const std::size_t Row = keepingMeaning(Src.Type, Dst.Type);
  return Row == rules::NumTransitions || Src == Dst
             ? OperatorKind::Reinterpret
             : rules::Transitions[Row].Op;
}

/// A plan as what this rank does; kept by the mesh.
class Redistribution;
/// For a local operand of shape \p In; errors are those of redistribute.
std::shared_ptr<const Redistribution> planned(const Mesh &M,
                                              std::string_view Src,
                                              std::string_view Dst,
                                              const Shape &In, Site At);
const Shape &resultShape(const Redistribution &R);
/// Whether the result is the operand.
bool isIdentity(const Redistribution &R);
/// Whether what has failed may still read and write its buffers.
bool mayHold(const Redistribution &R);
/// What is done to the gradient.
const Redistribution &dual(const Redistribution &R, const Mesh &M);
void run(const Redistribution &R, const View &X, const View &Y, Site At);
/// The same; its first step that communicates is started.
[[nodiscard]] Work startRedistribution(std::shared_ptr<const Redistribution> R,
                                       const View &X, const View &Y, Site At);

} // namespace detail

/// redistribute(x, axis, src, dst): the one operator of the table that takes
/// src to dst and keeps the denotation; a copy between equal types. For any two
/// types; diagram, shapes, errors, cost and backward are those of that
/// operator.
template <class Src, class Dst>
void redistribute(const View &in, const View &out, const Axis &axis, Src src,
                  Dst dst, Site at = Site::here()) {
  detail::checkRedistribute<Src, Dst>();
  const Placement From = detail::placementOf(src),
                  To = detail::placementOf(dst);
  detail::runTransition(detail::redistributeBy(From, To), in, out, axis, From,
                        To, at);
}

/// The local shape of what redistribute makes of a local shape.
inline Shape redistributed(const Shape &in, const Mesh &mesh,
                           std::string_view src_spec, std::string_view dst_spec,
                           Site at = Site::here()) {
  return detail::resultShape(
      *detail::planned(mesh, src_spec, dst_spec, in, at));
}

/// redistribute(x, mesh, "[8@dp, 16]{tp: P}", "[8@(dp,tp), 16]"): any spec to
/// any other, by the planner's steps: all axes at once on flattened
/// communicators, reductions first and on shards, then one exchange that brings
/// each rank the elements that it lacks; `spmd-tidy --explain-plan` shows them.
///
///     [A0, B0]      [A0, A1]     "[2@a, 2]" to "[2, 2@a]", backward
///     [A1, B1]  =>  [B0, B1]     "[2, 2@a]" to "[2@a, 2]"
///
///     +[A0, A1]      [A0 + B0]     "[2]{a: P}" to "[2@a]", backward
///     +[B0, B1]  =>  [A1 + B1]     "[2@a]" to "[2]{a: R}"
///
/// A spec says of an axis which dim it cuts, or R, I or P in braces; both say
/// it. On axes that neither names, or both name V, nothing happens: values may
/// differ. A dim that has a number in one of the specs is cut as torch.chunk
/// cuts, evenly or not; one that has a name or `_` in both has the size that it
/// has when all shards are as large as \p in's. \p out has the shape that
/// redistributed() says, and may be \p in where that is \p in's.
///
/// Backward: redistribute(g, mesh, dual(dst_spec), dual(src_spec)), to be
/// called on the gradient: R and P change places, I and V stay.
///
/// Cost: what the plan receives; on N ranks for a tensor of b bytes in all,
/// b(N - 1)/N for a gather or a scattered sum, b(N - 1)/N² for an all-to-all;
/// backward that of its own plan. Copies in memory into and out of runs where
/// shards are not dense. Plans are kept by the mesh, by specs
/// and shape, the last Mesh::MaxPlans of them: a call that is repeated plans,
/// parses and allocates nothing.
///
/// Errors: text that is no spec, an axis that the mesh has not or one spec
/// alone mentions, shapes that do not fit; those of the collectives.
inline void redistribute(const View &in, const View &out, const Mesh &mesh,
                         std::string_view src_spec, std::string_view dst_spec,
                         Site at = Site::here()) {
  detail::run(*detail::planned(mesh, src_spec, dst_spec, in.shape(), at), in,
              out, at);
}

} // namespace spmd

#endif // SPMD_REDISTRIBUTE_H
