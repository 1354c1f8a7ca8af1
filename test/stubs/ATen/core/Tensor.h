// Stand-in for at::Tensor: names and signatures of libtorch 1.13, no bodies.
#pragma once

#include <ATen/core/OpLists.h>
#include <c10/core/ScalarType.h>
#include <c10/util/intrusive_ptr.h>
#include <memory>
#include <tuple>

namespace torch::autograd {
struct FunctionPostHook;
struct Node {
  std::string name() const;
  void add_post_hook(std::unique_ptr<FunctionPostHook> &&hook);
};
} // namespace torch::autograd

namespace at {

class Tensor;
using TensorList = ArrayRef<Tensor>;
using Dtype = ScalarType;
struct Generator {
  void set_current_seed(uint64_t Seed);
};
namespace indexing {
struct EllipsisIndexType final {};
inline constexpr EllipsisIndexType Ellipsis;
inline constexpr nullopt_t None = nullopt;
struct Slice final {
  Slice(optional<int64_t> Start = nullopt, optional<int64_t> Stop = nullopt,
        optional<int64_t> Step = nullopt);
};
struct TensorIndex final {
  TensorIndex(nullopt_t);
  TensorIndex(EllipsisIndexType);
  TensorIndex(const char *);
  TensorIndex(int64_t);
  TensorIndex(int);
  TensorIndex(bool);
  TensorIndex(Slice);
  TensorIndex(Tensor);
};
} // namespace indexing

template <typename T, size_t N> class TensorAccessor {
public:
  TensorAccessor<T, N - 1> operator[](int64_t i) const;
  int64_t size(int64_t i) const;
  T *data() const;
};
template <typename T> class TensorAccessor<T, 1> {
public:
  T &operator[](int64_t i) const;
  int64_t size(int64_t i) const;
  T *data() const;
};

class TensorBase {
public:
  TensorBase() = default;
  int64_t dim() const;
  int64_t ndimension() const;
  int64_t size(int64_t dim) const;
  int64_t stride(int64_t dim) const;
  int64_t storage_offset() const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  int64_t numel() const;
  size_t nbytes() const;
  size_t itemsize() const;
  int64_t element_size() const;
  ScalarType scalar_type() const;
  caffe2::TypeMeta dtype() const;
  Layout layout() const;
  Device device() const;
  int64_t get_device() const;
  TensorOptions options() const;
  const Storage &storage() const;
  bool defined() const;
  void reset();
  bool is_same(const TensorBase &other) const noexcept;
  bool is_alias_of(const TensorBase &other) const;
  size_t use_count() const noexcept;
  bool is_contiguous(MemoryFormat f = MemoryFormat::Contiguous) const;
  bool is_complex() const;
  bool is_floating_point() const;
  bool is_signed() const;
  bool is_cpu() const;
  bool is_cuda() const;
  bool is_sparse() const;
  bool is_meta() const;
  bool is_leaf() const;
  bool is_view() const;
  bool requires_grad() const;
  bool retains_grad() const;
  int64_t output_nr() const;
  int64_t _version() const;
  const std::string &name() const;
  void *data_ptr() const;
  template <typename T> T *data_ptr() const;
  template <typename T, size_t N> TensorAccessor<T, N> accessor() const &;
  const std::shared_ptr<torch::autograd::Node> &grad_fn() const;
  template <typename F> unsigned register_hook(F &&) const { return 0; }
  void print() const;
  std::string toString() const;
};

class Tensor : public TensorBase {
public:
  Tensor() = default;
  Tensor(const Tensor &) = default;
  Tensor(Tensor &&) = default;
  explicit Tensor(const TensorBase &);
  Tensor(TensorBase &&);
  ~Tensor();
  Tensor &operator=(const Tensor &x) &;
  Tensor &operator=(Tensor &&x) &;
  Tensor &operator=(Scalar v) &&;
  Tensor &operator=(const Tensor &rhs) &&;
  Tensor &operator=(Tensor &&rhs) &&;

  Tensor operator~() const;
  Tensor operator-() const;
  Tensor &operator+=(const Tensor &other);
  Tensor &operator+=(Scalar other);
  Tensor &operator-=(const Tensor &other);
  Tensor &operator-=(Scalar other);
  Tensor &operator*=(const Tensor &other);
  Tensor &operator*=(Scalar other);
  Tensor &operator/=(const Tensor &other);
  Tensor &operator/=(Scalar other);
  Tensor &operator&=(const Tensor &other);
  Tensor &operator|=(const Tensor &other);
  Tensor &operator^=(const Tensor &other);
  Tensor operator[](Scalar index) const;
  Tensor operator[](Tensor index) const;
  Tensor operator[](int64_t index) const;

#include <ATen/core/TensorMethods.inc>
};

} // namespace at
