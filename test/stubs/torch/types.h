// Stand-in for torch::Tensor and what torch adds to ATen's free functions.
#pragma once

#include <ATen/ATen.h>

namespace torch {

using namespace at;
using c10::nullopt;
using c10::optional;
using Dtype = at::ScalarType;

constexpr auto kUInt8 = at::kByte;
constexpr auto kInt8 = at::kChar;
constexpr auto kInt16 = at::kShort;
constexpr auto kInt32 = at::kInt;
constexpr auto kInt64 = at::kLong;
constexpr auto kFloat16 = at::kHalf;
constexpr auto kFloat32 = at::kFloat;
constexpr auto kFloat64 = at::kDouble;

#include <ATen/Factories.inc>

namespace detail {
struct TensorDataContainer {
  TensorDataContainer(int V);
  TensorDataContainer(int64_t V);
  TensorDataContainer(float V);
  TensorDataContainer(double V);
  TensorDataContainer(bool V);
  TensorDataContainer(std::initializer_list<TensorDataContainer> L);
  template <typename T> TensorDataContainer(const std::vector<T> &V);
  template <typename T> TensorDataContainer(at::ArrayRef<T> V);
};
} // namespace detail
Tensor tensor(detail::TensorDataContainer data, at::TensorOptions options = {});

void manual_seed(uint64_t seed);
void set_num_threads(int threads);
void save(const Tensor &value, const std::string &path);
template <typename Value> void load(Value &value, const std::string &path);

using at::NoGradGuard;
struct GradMode {
  static bool is_enabled();
};
struct AutoGradMode {
  AutoGradMode(bool enabled);
  ~AutoGradMode();
};
struct InferenceMode {
  InferenceMode(bool enabled = true);
  ~InferenceMode();
};

namespace cuda {
bool is_available();
size_t device_count();
void synchronize(int64_t device_index = -1);
} // namespace cuda

} // namespace torch
