// Tensors of a device over NCCL, beside what the ranks of the host get: forward
// and backward, on other streams, and where their memory is had again. For two
// ranks.

#include "Ranks.h"

#include <spmd/data_parallel.h>
#include <spmd/torch.h>

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using spmd::Axis;
using spmd::I;
using spmd::Mesh;
using spmd::P;
using spmd::R;
using spmd::S;
using spmd::V;
using spmd::test::onRanks;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Axis dp(const Mesh &M) { return M.axis("dp"); }

/// From a tensor of 4 by 4.
struct TensorCase {
  const char *Name;
  std::function<at::Tensor(const at::Tensor &, const Mesh &)> Run;
};

const std::vector<TensorCase> Cases = {
    {"all_reduce to R",
     [](const at::Tensor &X, const Mesh &M) {
       return all_reduce(X, dp(M), P, R);
     }},
    {"all_reduce to I",
     [](const at::Tensor &X, const Mesh &M) {
       return all_reduce(X, dp(M), P, I);
     }},
    {"all_reduce_mean",
     [](const at::Tensor &X, const Mesh &M) {
       return all_reduce_mean(X, dp(M), P, R);
     }},
    {"all_gather", [](const at::Tensor &X,
                      const Mesh &M) { return all_gather(X, dp(M), S(0), R); }},
    {"all_gather of columns",
     [](const at::Tensor &X, const Mesh &M) {
       return all_gather(X.t(), dp(M), S(1), R);
     }},
    {"reduce_scatter",
     [](const at::Tensor &X, const Mesh &M) {
       return reduce_scatter(X, dp(M), P, S(1));
     }},
    {"all_to_all",
     [](const at::Tensor &X, const Mesh &M) {
       return all_to_all(X, dp(M), S(0), S(1));
     }},
    {"permute",
     [](const at::Tensor &X, const Mesh &M) {
       return permute(X, dp(M), V, V, spmd::shift(1));
     }},
    {"invariant_to_replicate",
     [](const at::Tensor &X, const Mesh &M) {
       return invariant_to_replicate(X, dp(M));
     }},
    {"convert", [](const at::Tensor &X,
                   const Mesh &M) { return convert(X, dp(M), R, S(1)); }},
    {"all_reduce_async",
     [](const at::Tensor &X, const Mesh &M) {
       return all_reduce_async(X, dp(M), P, R).wait();
     }},
    {"redistribute",
     [](const at::Tensor &X, const Mesh &M) {
       return redistribute(X, M, "[8@dp,4]", "[8,4@dp]");
     }},
};

at::Tensor operandOf(int Rank, int Times) {
  return (at::arange(16, at::kFloat) * 3 + Rank * 5 + Times * 2)
      .remainder(11)
      .view({4, 4});
}

struct Result {
  at::Tensor Out, Gradient;
};

/// Of \p X, wherever it is, with a gradient that differs between ranks.
Result resultOf(const TensorCase &C, const at::Tensor &X, const Mesh &M) {
  const at::Tensor In = X.detach().requires_grad_();
  const at::Tensor Out = C.Run(In, M);
  Out.backward((at::arange(Out.numel(), at::kFloat) + M.rank() + 1)
                   .view(Out.sizes())
                   .to(X.device(), X.scalar_type()));
  return {Out.detach(), In.grad()};
}

std::vector<Result> onHost(const TensorCase &C, int Times) {
  const auto Before = spmd::set_backend(nullptr);
  std::vector<Result> Of(2);
  spmd::run_local(2, [&](int Rank) {
    Of[static_cast<std::size_t>(Rank)] =
        resultOf(C, operandOf(Rank, Times), Mesh({{"dp", 2}}, Rank));
  });
  spmd::set_backend(Before);
  return Of;
}

c10::Device here() { return {at::kCUDA, c10::cuda::current_device()}; }

bool same(const at::Tensor &Expected, const at::Tensor &Of) {
  return Of.is_cuda() && at::equal(Expected, Of.cpu().to(at::kFloat));
}

class EveryTensorCase : public ::testing::TestWithParam<std::size_t> {
protected:
  const TensorCase &Case = Cases[GetParam()];
};

// Small whole numbers, which all of these types have.
TEST_P(EveryTensorCase, IsWhatTheHostGets) {
  const std::vector<Result> Expected = onHost(Case, 0);
  onRanks([&](const Mesh &M, cudaStream_t) {
    const Result &Mine = Expected[static_cast<std::size_t>(M.rank())];
    for (const at::ScalarType Type : {at::kFloat, at::kBFloat16, at::kHalf}) {
      const Result Got =
          resultOf(Case, operandOf(M.rank(), 0).to(here(), Type), M);
      EXPECT_TRUE(same(Mine.Out, Got.Out)) << Case.Name << ' ' << Type;
      EXPECT_TRUE(same(Mine.Gradient, Got.Gradient))
          << Case.Name << ' ' << Type;
    }
  });
}

TEST_P(EveryTensorCase, GoesToTheCurrentStream) {
  std::vector<std::vector<Result>> Expected;
  for (int Times = 0; Times < 8; ++Times)
    Expected.push_back(onHost(Case, Times));
  onRanks([&](const Mesh &M, cudaStream_t) {
    for (int Times = 0; Times < 8; ++Times) {
      const c10::cuda::CUDAStreamGuard On(c10::cuda::getStreamFromPool());
      // What the operand is made of comes late.
      at::Tensor Late = at::ones({2048, 2048}, here());
      for (int Product = 0; Product < 4; ++Product)
        Late = Late.mm(Late).clamp(1, 1);
      const at::Tensor X = operandOf(M.rank(), Times).to(here()) *
                           Late.select(0, 0).slice(0, 0, 4);
      const Result Got = resultOf(Case, X, M);
      const Result &Mine = Expected[static_cast<std::size_t>(Times)]
                                   [static_cast<std::size_t>(M.rank())];
      EXPECT_TRUE(same(Mine.Out, Got.Out)) << Case.Name;
      EXPECT_TRUE(same(Mine.Gradient, Got.Gradient)) << Case.Name;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryTensorCase,
                         ::testing::Range(std::size_t(0), Cases.size()));

// The allocator gives memory again as soon as its stream may write to it.
TEST(Tensors, AreKeptUntilTheOperatorIsDoneWithThem) {
  onRanks([](const Mesh &M, cudaStream_t) {
    const std::int64_t Count = 1 << 20;
    for (int Times = 0; Times < 50; ++Times) {
      const auto Made = c10::cuda::getStreamFromPool(),
                 Later = c10::cuda::getStreamFromPool();
      at::Tensor Sum;
      {
        const c10::cuda::CUDAStreamGuard On(Made);
        std::optional<spmd::TensorWork> Started;
        {
          const at::Tensor X =
              at::full({Count}, static_cast<float>(M.rank() + Times), here());
          Started.emplace(all_reduce_async(X, dp(M), P, R));
        }
        const at::Tensor Other = at::full({Count}, -1e6F, here());
        const c10::cuda::CUDAStreamGuard After(Later);
        Sum = Started->wait().clone();
      }
      Later.synchronize();
      EXPECT_TRUE(at::all(Sum == 2 * Times + 1).item<bool>()) << Times;
    }
  });
}

TEST(Tensors, OfTheHostAreRefused) {
  onRanks([](const Mesh &M, cudaStream_t) {
    EXPECT_THAT([&] { (void)all_reduce(at::ones({2}), dp(M), P, R); },
                ThrowsMessage<spmd::Error>(HasSubstr("is a tensor on cpu")));
  });
}

TEST(Tensors, OfParametersHaveTheMeansOfTheirGradients) {
  onRanks([](const Mesh &M, cudaStream_t) {
    for (const std::size_t Bytes : {std::size_t(1), spmd::DefaultBucketBytes}) {
      std::vector<at::Tensor> Parameters;
      for (int Layer = 0; Layer < 6; ++Layer)
        Parameters.push_back((at::arange(4096.0, here()).view({64, 64}) + Layer)
                                 .sin()
                                 .set_requires_grad(true));
      const auto Loss = [&] {
        at::Tensor H = at::full({8, 64}, 1.0 + M.rank(), here());
        for (const at::Tensor &W : Parameters)
          H = at::matmul(H, W).tanh();
        return H.sum();
      };
      const auto Take = [&] {
        std::vector<at::Tensor> Of;
        for (const at::Tensor &W : Parameters) {
          Of.push_back(W.grad().clone());
          W.mutable_grad().reset();
        }
        return Of;
      };
      Loss().backward();
      const std::vector<at::Tensor> Means =
          all_reduce_mean(Take(), dp(M), P, R);
      spmd::DataParallel Sync(Parameters, dp(M), P, R, Bytes);
      for (int Step = 0; Step < 3; ++Step) {
        Loss().backward();
        Sync.wait();
        const std::vector<at::Tensor> Got = Take();
        for (std::size_t Which = 0; Which < Means.size(); ++Which)
          EXPECT_TRUE(at::allclose(Means[Which], Got[Which]));
      }
    }
  });
}

} // namespace
