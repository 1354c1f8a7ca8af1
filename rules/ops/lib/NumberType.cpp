//===- NumberType.cpp - What C++ types of numbers are ---------------------===//

#include "spmd/ops/NumberType.h"

#include "llvm/ADT/StringSwitch.h"

namespace spmd::rules {

std::optional<NumberType> numberType(llvm::StringRef Name, NumberSizes Sizes) {
  using Kind = NumberType::Kind;
  const auto Of = [](Kind K, unsigned Bits) { return NumberType{K, Bits}; };
  return llvm::StringSwitch<std::optional<NumberType>>(Name)
      .Cases({"signed char", "int8_t"}, Of(Kind::Signed, 8))
      .Cases({"unsigned char", "uint8_t"}, Of(Kind::Unsigned, 8))
      .Cases({"short", "int16_t"}, Of(Kind::Signed, 16))
      .Cases({"unsigned short", "uint16_t"}, Of(Kind::Unsigned, 16))
      .Cases({"int", "int32_t"}, Of(Kind::Signed, 32))
      .Cases({"unsigned", "uint32_t"}, Of(Kind::Unsigned, 32))
      .Cases({"long", "ptrdiff_t"}, Of(Kind::Signed, Sizes.Long))
      .Case("unsigned long", Of(Kind::Unsigned, Sizes.Long))
      .Cases({"long long", "int64_t"}, Of(Kind::Signed, 64))
      .Cases({"unsigned long long", "uint64_t"}, Of(Kind::Unsigned, 64))
      .Case("float", Of(Kind::Real, 32))
      .Case("double", Of(Kind::Real, 64))
      .Case("long double", Of(Kind::Real, Sizes.LongDouble))
      .Default(std::nullopt);
}

} // namespace spmd::rules
