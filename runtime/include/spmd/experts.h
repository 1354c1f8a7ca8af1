//===- experts.h - Rows to experts and back ---------------------*- C++ -*-===//
//
// A mixture of experts over an axis of which each rank has some: rows go to the
// ranks of their experts, however many each gets, and what comes of them goes
// back to where they were.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_EXPERTS_H
#define SPMD_EXPERTS_H

#include "spmd/torch.h"

#include <numeric>

namespace spmd {

/// Which expert each row of a tensor goes to. Rank r of an axis of N has the
/// experts from r * experts / N on.
///
///     spmd::Routing Route(expert_of, experts, ep);
///     at::Tensor Here = spmd::dispatch(x, ep, spmd::V, spmd::V, Route);
///     …                      // Route.rows()[e] rows of this rank's expert e
///     x = spmd::combine(Here, ep, spmd::V, spmd::V, Route);
///
/// A row that goes to several experts is there several times in x.
class Routing {
public:
  /// \p expert_of has a whole number for each row, of 0 … \p experts - 1. All
  /// ranks of \p axis make it: they tell each other how many rows each expert
  /// gets, in one exchange, for which a device is waited for.
  Routing(const at::Tensor &expert_of, std::int64_t experts, const Axis &axis,
          Site at = Site::here())
      : Ranks(axis.size()) {
    const auto Fail = [&](const std::string &Why) {
      detail::fail(
          (at.Line ? at.File + (":" + std::to_string(at.Line)) + ": " : "") +
          "spmd::Routing over " + detail::describe(axis) + ": " + Why);
    };
    if (experts < 1 || experts % Ranks)
      Fail(std::to_string(experts) + " experts cannot be as many on each rank");
    if (!expert_of.defined() || expert_of.dim() != 1 ||
        !at::isIntegralType(expert_of.scalar_type(), /*includeBool=*/false))
      Fail("expert_of is no list of whole numbers");
    const at::Tensor Of = expert_of.detach().to(at::kLong);
    if (Of.numel() && (Of.min().item<std::int64_t>() < 0 ||
                       Of.max().item<std::int64_t>() >= experts))
      Fail("expert_of names an expert that is none of " +
           std::to_string(experts));
    // Rows of one expert stay in their order.
    Order = at::argsort(Of * Of.numel() + at::arange(Of.numel(), Of.options()));
    const at::Tensor Mine =
        at::bincount(Of, {}, experts).view({Ranks, experts / Ranks});
    const at::Tensor Theirs = all_to_all(Mine, axis, V, V, at).cpu();
    Sent = sumsOf(Mine.cpu().contiguous());
    Received = sumsOf(Theirs.contiguous());
    group(Theirs.contiguous(), Of.device());
  }

  /// How many rows each of this rank's experts has of what dispatch returns,
  /// one expert after the other.
  const ChunkSizes &rows() const { return Rows; }

  /// What dispatch and combine do.
  at::Tensor sorted(const at::Tensor &X) const {
    return X.index_select(0, Order);
  }
  at::Tensor unsorted(const at::Tensor &X) const { return inverse(X, Order); }
  at::Tensor grouped(const at::Tensor &X) const {
    return X.index_select(0, ByExpert);
  }
  at::Tensor ungrouped(const at::Tensor &X) const {
    return inverse(X, ByExpert);
  }
  const ChunkSizes &sent() const { return Sent; }
  const ChunkSizes &received() const { return Received; }

  /// An Error unless \p X has the rows that are \p Expected on \p A.
  void check(const char *Caller, const at::Tensor &X, const Axis &A,
             const ChunkSizes &Expected, Site At) const {
    const std::int64_t Rows =
        std::accumulate(Expected.begin(), Expected.end(), std::int64_t(0));
    std::string Why;
    if (A.size() != Ranks)
      Why = "the routing is of an axis of " + std::to_string(Ranks);
    else if (!X.defined() || X.dim() < 1 || X.size(0) != Rows)
      Why = "the operand has not the " + std::to_string(Rows) +
            " rows of the routing";
    else
      return;
    detail::fail(
        (At.Line ? At.File + (":" + std::to_string(At.Line)) + ": " : "") +
            Caller + " over " + detail::describe(A) + ": " + Why,
        {Caller, A.name(), "V", "V", "", "", At, Why});
  }

private:
  static ChunkSizes sumsOf(const at::Tensor &Counts) {
    const at::Tensor Sums = Counts.sum(1);
    const std::int64_t *const At = Sums.data_ptr<std::int64_t>();
    return ChunkSizes(At, At + Sums.numel());
  }
  /// What has come rank by rank, and in each by experts, expert by expert.
  void group(const at::Tensor &Counts, at::Device On) {
    const std::int64_t Each = Counts.size(1);
    const auto *const Of = Counts.data_ptr<std::int64_t>();
    std::vector<std::int64_t> Begins(static_cast<std::size_t>(Ranks * Each));
    std::exclusive_scan(Of, Of + Ranks * Each, Begins.begin(), std::int64_t(0));
    std::vector<std::int64_t> Index;
    for (std::int64_t E = 0; E < Each; ++E) {
      const std::size_t Before = Index.size();
      for (std::int64_t R = 0; R < Ranks; ++R)
        for (std::int64_t I = 0; I < Of[R * Each + E]; ++I)
          Index.push_back(Begins[static_cast<std::size_t>(R * Each + E)] + I);
      Rows.push_back(static_cast<std::int64_t>(Index.size() - Before));
    }
    ByExpert =
        at::from_blob(Index.data(), {static_cast<std::int64_t>(Index.size())},
                      at::kLong)
            .clone()
            .to(On);
  }
  static at::Tensor inverse(const at::Tensor &X, const at::Tensor &Index) {
    return X.index_select(0, at::argsort(Index));
  }

  std::int64_t Ranks;
  ChunkSizes Sent, Received, Rows;
  at::Tensor Order, ByExpert;
};

/// dispatch(x, axis, V, V, routing): each row to the rank of its expert, where
/// rows of one expert lie together, in the order of ranks and rows. Cost: what
/// others send, and two copies; backward a combine.
///
///     [a1, b0, c1]  =>  [b0, d0]      experts 0 and 1, one a rank
///     [d0, e1]          [a1, c1, e1]
template <class Src, class Dst>
[[nodiscard]] at::Tensor dispatch(const at::Tensor &x, const Axis &axis,
                                  Src src, Dst dst, const Routing &routing,
                                  Site at = Site::here()) {
  routing.check("spmd::dispatch", x, axis, routing.sent(), at);
  return routing.grouped(all_to_all(routing.sorted(x), axis, src, dst,
                                    routing.sent(), routing.received(), at));
}

/// combine(y, axis, V, V, routing): what came of each row, to where dispatch
/// had it from. Cost as that; backward a dispatch.
template <class Src, class Dst>
[[nodiscard]] at::Tensor combine(const at::Tensor &y, const Axis &axis, Src src,
                                 Dst dst, const Routing &routing,
                                 Site at = Site::here()) {
  routing.check("spmd::combine", y, axis, routing.received(), at);
  return routing.unsorted(all_to_all(routing.ungrouped(y), axis, src, dst,
                                     routing.received(), routing.sent(), at));
}

} // namespace spmd

#endif // SPMD_EXPERTS_H
