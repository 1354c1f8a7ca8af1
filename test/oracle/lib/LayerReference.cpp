//===- LayerReference.cpp - Terms of layers and losses --------------------===//

#include "ReferenceRun.h"

#include "spmd/oracle/LayerKernels.h"

using namespace spmd::rules;

namespace spmd::oracle {

MaybeTensor runBatch(const ReferenceRun &R) {
  const auto Asked = R.Call.numbers(0);
  if (!Asked || Asked->empty())
    return std::nullopt;
  const OpArgument *A = R.Call.argument(R.Shape.Parameters[0].Name);
  const bool Listed = A && std::holds_alternative<SizeList>(*A->Value);
  const auto Rank = static_cast<int>(R.spoken(0).Dims.size());
  const int N = Listed               ? static_cast<int>(Asked->size())
                : Asked->front() < 0 ? Rank + Asked->front()
                                     : Asked->front();
  if (N < 0 || N > Rank)
    return std::nullopt;
  std::vector<Tensor> Mixed = R.Operands;
  for (const SpecCall::Spoken &S : R.Spoken) {
    const auto Own = static_cast<int>(R.Operands[S.Actual].Dims.size());
    Index Inner;
    for (int D = std::max(0, Own - N); D != Own; ++D)
      Inner.push_back(D);
    Mixed[S.Actual] = reduceDims(R.Operands[S.Actual], Inner, false, true);
  }
  const MaybeTensor Outer = valueOf(R.Call, Mixed);
  if (!Outer)
    return std::nullopt;
  Shape Dims = Outer->Dims;
  for (int D = Rank - N; D != Rank; ++D)
    Dims.push_back(R.spoken(0).Dims[static_cast<unsigned>(D)]);
  return tabulate(Dims, [&](const Index &I) {
    const Index Where(
        I.begin(), I.begin() + static_cast<std::ptrdiff_t>(Outer->Dims.size()));
    std::size_t Position = 0;
    for (std::size_t D = Outer->Dims.size(); D != I.size(); ++D)
      Position = Position * 16 + static_cast<std::size_t>(I[D]);
    return times(weight(Position, 0), at(*Outer, Where));
  });
}

/// Per channel, in terms of the batch when training.
MaybeTensor runChannels(const ReferenceRun &R) {
  const Tensor *Input = R.at(0);
  if (!Input || Input->Dims.size() < 2)
    return std::nullopt;
  std::vector<Tensor> Aligned = R.Operands;
  for (const SpecCall::Spoken &S : R.Spoken) {
    Tensor &X = Aligned[S.Actual];
    if (S.Position != 0) {
      if (X.Dims != Shape{Input->Dims[1]})
        return std::nullopt;
      X.Dims.insert(X.Dims.end(), Input->Dims.size() - 2, 1);
    } else if (R.Call.flag(0)) {
      Index Others = allDims(X);
      Others.erase(Others.begin() + 1);
      X = mixAlong(X, Others);
    }
  }
  return valueOf(R.Call, Aligned);
}

/// A function of all classes, with ones at the target's class where the target
/// is one, per sample; then as for any loss.
MaybeTensor runClassify(const ReferenceRun &R) {
  const Tensor *Input = R.at(0), *Target = R.at(1);
  const auto Reduction = R.Call.numbers(0);
  if (!Input || !Target || !Reduction || Input->Dims.empty())
    return std::nullopt;
  const int At = Input->Dims.size() == 1 ? 0 : 1;
  std::vector<Tensor> Aligned = R.Operands;
  for (const SpecCall::Spoken &S : R.Spoken) {
    Tensor &X = Aligned[S.Actual];
    if (S.Position == 1 && X.Dims.size() + 1 == Input->Dims.size()) {
      X.Dims.insert(X.Dims.begin() + At, 1);
      const Tensor Classes = X;
      for (std::size_t D = 0; D != X.Dims.size(); ++D)
        if (static_cast<int>(D) != At && X.Dims[D] != Input->Dims[D])
          return std::nullopt;
      X = tabulate(Input->Dims, [&](const Index &I) {
        Index Sample = I;
        Sample[static_cast<unsigned>(At)] = 0;
        return Number(at(Classes, Sample) == I[static_cast<unsigned>(At)]);
      });
    } else if (S.Position > 1) {
      if (X.Dims != Shape{Input->Dims[static_cast<unsigned>(At)]})
        return std::nullopt;
      X.Dims.insert(X.Dims.end(),
                    Input->Dims.size() - 1 - static_cast<std::size_t>(At), 1);
    } else if (X.Dims != Input->Dims) {
      return std::nullopt;
    }
  }
  const MaybeTensor Terms = valueOf(R.Call, Aligned);
  if (!Terms)
    return std::nullopt;
  const Tensor Samples = reduceDims(*Terms, {At}, /*Keep=*/false, /*Mix=*/true);
  if (Reduction->front() == 0)
    return Samples;
  return reduceDims(Samples, allDims(Samples), /*Keep=*/false,
                    /*Mix=*/Reduction->front() == 1);
}

MaybeTensor runConvolve(const ReferenceRun &R) {
  const Tensor *Input = R.at(0), *Weight = R.at(1);
  if (!Input || !Weight)
    return std::nullopt;
  Convolution How;
  const auto Number = [&](llvm::StringRef Name, int &Into) {
    const OpArgument *A = R.Call.argument(Name);
    if (const auto *V = A ? std::get_if<SizeValue>(&*A->Value) : nullptr)
      Into = static_cast<int>(V->Number);
  };
  Number("stride", How.Stride);
  Number("padding", How.Padding);
  Number("dilation", How.Dilation);
  if (const auto Groups = R.Call.numbers(0))
    How.Groups = Groups->front();
  How.Transposed = R.Call.flag(1);
  return convolve(*Input, *Weight, R.at(2), How);
}

MaybeTensor runAttend(const ReferenceRun &R) {
  const Tensor *Query = R.at(0), *Key = R.at(1), *Value = R.at(2);
  if (!Query || !Key || !Value)
    return std::nullopt;
  return attend(*Query, *Key, *Value, R.at(3),
                {R.Call.flag(0), R.Call.flag(1)});
}

MaybeTensor runEinsum(const ReferenceRun &R) {
  const auto Equation = R.Call.text(0);
  return Equation ? einsum(*Equation, R.Operands) : std::nullopt;
}

} // namespace spmd::oracle
