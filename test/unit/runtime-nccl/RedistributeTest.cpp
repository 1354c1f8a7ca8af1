// redistribute over the NCCL communicator, on the stand-in.

#include "Devices.h"
#include "RedistributeCases.h"

#include <gtest/gtest.h>

namespace {

using spmd::Shape;
using spmd::View;
using spmd::test::TestSpec;

const std::vector<spmd::Mesh::Dim> TwoByTwo = {{"dp", 2}, {"tp", 2}};

/// What this rank has under \p Dst after it had it under \p Src, by a call that
/// is waited for at once or later.
std::vector<double> redistributed(const TestSpec &Src, const TestSpec &Dst,
                                  const Shape &Whole, const spmd::Mesh &M,
                                  bool Starts) {
  const std::string From = Src.str(Whole, M), To = Dst.str(Whole, M);
  const std::vector<double> X = Src.draw(Whole, M);
  const Shape In = Src.localShape(Whole, M), Out = Dst.localShape(Whole, M);
  std::vector<double> Y(static_cast<std::size_t>(Out.numel()));
  spmd::Memory &Device = M.axis("dp").memory();
  const std::size_t Bytes = Y.size() * sizeof(double);
  const auto Operand = Device.allocate(X.size() * sizeof(double) + 1);
  const auto Result = Device.allocate(Bytes + 1);
  Device.upload(Operand.get(), X.data(), X.size() * sizeof(double));
  const View Before(Operand.get(), spmd::DType::F64, In);
  const View After(Result.get(), spmd::DType::F64, Out);
  if (Starts)
    spmd::redistribute_async(Before, After, M, From, To).wait();
  else
    spmd::redistribute(Before, After, M, From, To);
  Device.download(Y.data(), Result.get(), Bytes);
  return Y;
}

void checkAll(const Shape &Whole) {
  const auto All = spmd::test::allSpecs(Whole.size(), 2);
  for (const bool Starts : {false, true}) {
    std::vector<spmd::test::Values> Results(All.size() * All.size());
    for (spmd::test::Values &V : Results)
      V.resize(4);
    spmd::test::onDevices(4, [&](int Rank, cudaStream_t) {
      const spmd::Mesh M(TwoByTwo, Rank);
      auto Result = Results.begin();
      for (const TestSpec &Src : All)
        for (const TestSpec &Dst : All)
          (*Result++)[static_cast<std::size_t>(Rank)] =
              redistributed(Src, Dst, Whole, M, Starts);
    });
    const spmd::Mesh M(TwoByTwo, 0);
    auto Result = Results.begin();
    for (const TestSpec &Src : All)
      for (const TestSpec &Dst : All)
        ASSERT_EQ(Dst.check(Whole, TwoByTwo, *Result++), "")
            << Src.str(Whole, M) << " to " << Dst.str(Whole, M)
            << (Starts ? ", started" : "");
  }
}

TEST(Redistribute, EveryPairOfVectorsIsExact) { checkAll({5}); }
TEST(Redistribute, EveryPairOfMatricesIsExact) { checkAll({4, 3}); }

} // namespace
