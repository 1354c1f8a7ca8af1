//===- Declare.cpp - What an annotation says of a value -------------------===//

#include "Declare.h"

#include "llvm/ADT/StringExtras.h"

using namespace spmd::rules;

namespace spmd::sharding {

llvm::Error graphError(PlaceId At, const llvm::Twine &Message) {
  return llvm::make_error<GraphError>(Note{At, Message.str()});
}

/// From the digits of the name: bf16 has two bytes, f32 and no name four.
static int bytesOf(llvm::StringRef DType) {
  unsigned Bits = 32;
  const llvm::StringRef Digits = DType.ltrim("abcdefghijklmnopqrstuvwxyz");
  if (Digits.take_while(llvm::isDigit).getAsInteger(10, Bits) || Bits < 8)
    return DType == "bool" ? 1 : 4;
  return static_cast<int>(Bits / 8);
}

static bool isInteger(llvm::StringRef DType) {
  return DType == "bool" || DType.starts_with("i") || DType.starts_with("u");
}

static llvm::Expected<std::int64_t>
sizeOf(llvm::StringRef Written, PlaceId At,
       const llvm::StringMap<std::int64_t> &Sizes) {
  std::int64_t Out = 1;
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  Written.split(Parts, '*');
  for (llvm::StringRef Part : Parts) {
    Part = Part.trim();
    std::int64_t N = 0;
    if (Part.getAsInteger(10, N)) {
      auto It = Sizes.find(Part);
      if (It == Sizes.end())
        return graphError(At, "the size of '" + Part +
                                  "' is not known: give it as --size=" + Part +
                                  "=<number>, or under Sizes in .spmd-tidy");
      N = It->second;
    }
    if (N <= 0 || Out > (std::int64_t(1) << 50) / N)
      return graphError(At, "'" + Written + "' is no size of a tensor");
    Out *= N;
  }
  return Out;
}

llvm::Error declare(Value &V, const TypeSpec &T,
                    const llvm::StringMap<std::int64_t> &Sizes) {
  if (!T.Global)
    return llvm::Error::success();
  for (const DimSpec &D : T.Global->Dims) {
    llvm::Expected<std::int64_t> Size = sizeOf(D.Extent, V.At, Sizes);
    if (!Size)
      return Size.takeError();
    V.Sizes.push_back(*Size);
    V.Written.push_back(D.Extent);
  }
  V.HasDims = true;
  V.DType = T.Global->DType;
  V.ElementBytes = bytesOf(V.DType);
  V.Differentiable = !isInteger(V.DType);
  return llvm::Error::success();
}

} // namespace spmd::sharding
