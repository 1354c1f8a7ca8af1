// Operators that are told more than types, on tensors of ranks as threads:
// forward, and the gradient against differences of a loss of all ranks.

#include "Messages.h"

#include <spmd/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

using spmd::Axis;
using spmd::I;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::V;
using spmd::rules::LocalType;

namespace {

constexpr int Ranks = 3;
using Tensors = std::vector<at::Tensor>;
using Operator = std::function<at::Tensor(const at::Tensor &, const Axis &)>;

/// Calls \p Body as each rank.
void onRanks(const std::function<void(std::size_t, const Axis &)> &Body) {
  spmd::run_local(Ranks, [&](int Rank) {
    Body(static_cast<std::size_t>(Rank),
         spmd::Mesh({{"a", Ranks}}, Rank).axis("a"));
  });
}

/// What each rank's loss weighs the result with: what is legal for the dual of
/// the result's type.
at::Tensor weights(LocalType Dst, std::size_t Rank, const at::Tensor &Y) {
  const double By = Dst == LocalType::I ? 1 : static_cast<double>(Rank) + 1;
  return torch::arange(static_cast<double>(Y.numel())).view(Y.sizes()) * By + 1;
}

/// The loss of all ranks together: of what is I, one rank's.
double loss(const Operator &F, LocalType Dst, const Tensors &X) {
  std::mutex Lock;
  double Sum = 0;
  onRanks([&](std::size_t Rank, const Axis &A) {
    const at::NoGradGuard Off;
    const at::Tensor Y = F(X[Rank], A);
    const double Mine = (Y * weights(Dst, Rank, Y)).sum().item<double>();
    const std::lock_guard<std::mutex> Held(Lock);
    if (Dst != LocalType::I || Rank == 0)
      Sum += Mine;
  });
  return Sum;
}

/// Compares the gradients with differences. What is I changes on all ranks at
/// once.
void check(const Operator &F, LocalType Src, LocalType Dst,
           const std::vector<std::int64_t> &Rows = {2, 2, 2}) {
  Tensors X;
  for (std::size_t Rank = 0; Rank < Ranks; ++Rank) {
    const double From = Src == LocalType::I ? 0 : static_cast<double>(Rank);
    X.push_back(
        (torch::arange(2.0 * static_cast<double>(Rows[Rank])) + 7 * From)
            .view({Rows[Rank], 2})
            .to(torch::kDouble));
  }
  Tensors G(Ranks);
  onRanks([&](std::size_t Rank, const Axis &A) {
    const at::Tensor Mine = X[Rank].clone().set_requires_grad(true);
    const at::Tensor Y = F(Mine, A);
    Y.backward(weights(Dst, Rank, Y).to(torch::kDouble));
    G[Rank] = Mine.grad();
  });
  const double Before = loss(F, Dst, X);
  for (std::size_t Rank = 0; Rank < Ranks; ++Rank)
    for (std::int64_t E = 0; E < X[Rank].numel(); ++E) {
      Tensors Moved;
      for (std::size_t Other = 0; Other < Ranks; ++Other) {
        Moved.push_back(X[Other].clone());
        if (Other == Rank || Src == LocalType::I)
          Moved.back().view(-1)[E] += 1;
      }
      EXPECT_NEAR(loss(F, Dst, Moved) - Before,
                  G[Rank].view(-1)[E].item<double>(), 1e-9)
          << "rank " << Rank << ", element " << E;
    }
}

TEST(Gradients, OfPermutations) {
  for (const spmd::Permutation &To :
       {spmd::shift(1), spmd::shift(-1, false),
        spmd::Permutation({2, spmd::Permutation::Nobody, 1})}) {
    check([&](const at::Tensor &X,
              const Axis &A) { return permute(X, A, V, V, To); },
          LocalType::V, LocalType::V);
    check([&](const at::Tensor &X,
              const Axis &A) { return permute_async(X, A, V, V, To).wait(); },
          LocalType::V, LocalType::V);
  }
}

TEST(Gradients, OfExchangesByCounts) {
  const auto Sent = [](int Rank) {
    return spmd::ChunkSizes{Rank, 1, 2 - Rank};
  };
  const auto Received = [](int Rank) {
    return Rank == 1   ? spmd::ChunkSizes{1, 1, 1}
           : Rank == 0 ? spmd::ChunkSizes{0, 1, 2}
                       : spmd::ChunkSizes{2, 1, 0};
  };
  check(
      [&](const at::Tensor &X, const Axis &A) {
        return all_to_all(X, A, V, V, Sent(A.rank()), Received(A.rank()));
      },
      LocalType::V, LocalType::V, {3, 3, 3});
  check(
      [&](const at::Tensor &X, const Axis &A) {
        return all_to_all_async(X, A, V, V, Sent(A.rank()), Received(A.rank()))
            .wait();
      },
      LocalType::V, LocalType::V, {3, 3, 3});
}

TEST(Gradients, OfRoots) {
  for (const int Root : {0, 2}) {
    check([&](const at::Tensor &X,
              const Axis &A) { return broadcast(X, A, V, R, Root); },
          LocalType::V, LocalType::R);
    check(
        [&](const at::Tensor &X, const Axis &A) {
          return broadcast_async(X, A, V, I, Root).wait();
        },
        LocalType::V, LocalType::I);
    check([&](const at::Tensor &X,
              const Axis &A) { return reduce(X, A, P, V, Root); },
          LocalType::P, LocalType::V);
    check([&](const at::Tensor &X,
              const Axis &A) { return reduce_async(X, A, P, V, Root).wait(); },
          LocalType::P, LocalType::V);
    check([&](const at::Tensor &X,
              const Axis &A) { return keep(X, A, I, V, Root); },
          LocalType::I, LocalType::V);
  }
}

TEST(Gradients, OfScatteredMeans) {
  check([](const at::Tensor &X,
           const Axis &A) { return reduce_scatter_mean(X, A, P, S(0)); },
        LocalType::P, LocalType::V, {3, 3, 3});
}

TEST(Extremes, HaveNoGradient) {
  onRanks([](std::size_t Rank, const Axis &A) {
    const at::Tensor X =
        torch::full({2}, static_cast<double>(Rank)).set_requires_grad(true);
    EXPECT_EQ(2, all_reduce_max(X.detach(), A, V, R)[0].item<double>());
    EXPECT_FALSE(all_reduce_min(X.detach(), A, V, I).requires_grad());
    EXPECT_EQ(
        0, all_reduce_min_async(X.detach(), A, V, I).wait()[1].item<double>());
    EXPECT_THAT(
        spmd::test::messageOf([&] { (void)all_reduce_max(X, A, V, R); }),
        testing::HasSubstr("this has no gradient, and the operand requires "
                           "one: give it x.detach()"));
    const at::NoGradGuard Off;
    EXPECT_EQ(2, all_reduce_max(X, A, V, R)[0].item<double>());
  });
}

// One call for what is of one type, whatever lies between.
TEST(Buckets, AreOneCallForEachElementType) {
  onRanks([](std::size_t Rank, const Axis &A) {
    const double Mine = static_cast<double>(Rank);
    const Tensors X = {torch::full({2, 2}, Mine),
                       torch::full({3}, Mine, torch::kDouble),
                       torch::full({}, Mine + 1), torch::empty({0})};
    const std::size_t Before = spmd::flight_record().size();
    const Tensors Y = all_reduce(X, A, P, R);
    EXPECT_EQ(Before + 2, spmd::flight_record().size());
    ASSERT_EQ(4U, Y.size());
    EXPECT_TRUE(at::equal(Y[0], torch::full({2, 2}, 3.0)));
    EXPECT_TRUE(at::equal(Y[1], torch::full({3}, 3.0, torch::kDouble)));
    EXPECT_TRUE(at::equal(Y[2], torch::full({}, 6.0)));
    EXPECT_EQ(at::IntArrayRef({0}), Y[3].sizes());
    spmd::BucketWork Mean = all_reduce_mean_async(X, A, P, I);
    EXPECT_EQ(1, Mean.wait()[0].sum().item<double>() / 4);
    EXPECT_EQ(2, Mean.wait()[2].item<double>());
    EXPECT_EQ(3, all_reduce_max(X, A, V, R)[2].item<double>());
    EXPECT_EQ(2, broadcast(X, A, V, I, 1)[2].item<double>());
    EXPECT_TRUE(all_reduce(Tensors(), A, P, R).empty());
  });
}

TEST(Buckets, HaveTheGradientsOfTheirTensors) {
  onRanks([](std::size_t Rank, const Axis &A) {
    const Tensors X = {torch::ones({2}).set_requires_grad(true),
                       torch::ones({2, 2}).set_requires_grad(true)};
    const Tensors Y = all_reduce(X, A, P, R);
    (Y[0].sum() + 2 * Y[1].sum())
        .backward(torch::tensor(static_cast<double>(Rank)));
    EXPECT_TRUE(at::equal(X[0].grad(), torch::full({2}, 3.0)));
    EXPECT_TRUE(at::equal(X[1].grad(), torch::full({2, 2}, 6.0)));
  });
}

TEST(Outputs, AreWrittenWhereTheyAre) {
  onRanks([](std::size_t Rank, const Axis &A) {
    const at::Tensor X = torch::full({2, 3}, static_cast<double>(Rank));
    const at::Tensor Whole = torch::zeros({3, 12}).t().slice(0, 0, 6);
    all_gather(X, Whole, A, S(0), R);
    EXPECT_EQ(2 * 3 * 3, Whole.sum().item<double>());
    const at::Tensor Next = torch::empty({2, 3});
    permute(X, Next, A, V, V, spmd::shift(1));
    EXPECT_EQ(static_cast<double>((Rank + 2) % 3), Next[1][2].item<double>());
    all_reduce(X, X, A, P, R);
    EXPECT_EQ(3, X[0][0].item<double>());
    const at::Tensor W = torch::ones({2}).set_requires_grad(true);
    EXPECT_THAT(
        spmd::test::messageOf(
            [&] { all_reduce(W, torch::empty({2}), A, P, R); }),
        testing::HasSubstr("what is written to a given tensor has no "
                           "gradient: take the result that is returned, or say "
                           "at::NoGradGuard"));
  });
}

TEST(Permute, OnOneRankMayLoseItsValue) {
  const Axis A = spmd::Mesh({{"a", 1}}, 0).axis("a");
  const at::Tensor X = torch::ones({2}).set_requires_grad(true);
  const at::Tensor Y = permute(X, A, V, V, spmd::shift(1, false));
  EXPECT_EQ(0, Y.sum().item<double>());
  Y.sum().backward();
  EXPECT_EQ(0, X.grad().sum().item<double>());
}

} // namespace
