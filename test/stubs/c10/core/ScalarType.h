// Stand-in for c10's element types, devices, scalars and tensor options.
#pragma once

#include <c10/util/ArrayRef.h>
#include <complex>

namespace c10 {

struct Half {
  uint16_t x;
  Half() = default;
  Half(float V);
  operator float() const;
};
struct BFloat16 {
  uint16_t x;
  BFloat16() = default;
  BFloat16(float V);
  operator float() const;
};
template <typename T> using complex = std::complex<T>;

enum class ScalarType : int8_t {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  ComplexHalf,
  ComplexFloat,
  ComplexDouble,
  Bool,
  QInt8,
  QUInt8,
  QInt32,
  BFloat16,
  QUInt4x2,
  QUInt2x4,
  Undefined,
  NumOptions
};
constexpr ScalarType kByte = ScalarType::Byte;
constexpr ScalarType kChar = ScalarType::Char;
constexpr ScalarType kShort = ScalarType::Short;
constexpr ScalarType kInt = ScalarType::Int;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kHalf = ScalarType::Half;
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double;
constexpr ScalarType kComplexFloat = ScalarType::ComplexFloat;
constexpr ScalarType kComplexDouble = ScalarType::ComplexDouble;
constexpr ScalarType kBool = ScalarType::Bool;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
const char *toString(ScalarType T);
size_t elementSize(ScalarType T);
bool isFloatingType(ScalarType T);
bool isIntegralType(ScalarType T, bool IncludeBool);

enum class Layout : int8_t { Strided, Sparse, SparseCsr, Mkldnn };
constexpr auto kStrided = Layout::Strided;
constexpr auto kSparse = Layout::Sparse;

enum class MemoryFormat : int8_t {
  Contiguous,
  Preserve,
  ChannelsLast,
  ChannelsLast3d
};

enum class DeviceType : int8_t {
  CPU,
  CUDA,
  MKLDNN,
  HIP = 6,
  XLA = 9,
  MPS = 13,
  Meta
};
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
constexpr DeviceType kMPS = DeviceType::MPS;
constexpr DeviceType kMeta = DeviceType::Meta;
using DeviceIndex = int8_t;
struct Device final {
  Device(DeviceType Type, DeviceIndex Index = -1);
  Device(const std::string &Name);
  DeviceIndex index() const noexcept;
  DeviceType type() const noexcept;
  bool has_index() const noexcept;
  bool is_cuda() const noexcept;
  bool is_cpu() const noexcept;
  std::string str() const;
  bool operator==(const Device &) const noexcept;
  bool operator!=(const Device &) const noexcept;
};

class Scalar {
public:
  Scalar();
  Scalar(uint8_t V);
  Scalar(int8_t V);
  Scalar(int16_t V);
  Scalar(int32_t V);
  Scalar(int64_t V);
  Scalar(long long V);
  Scalar(float V);
  Scalar(double V);
  Scalar(Half V);
  Scalar(BFloat16 V);
  Scalar(std::complex<float> V);
  Scalar(std::complex<double> V);
  template <typename T, typename std::enable_if<std::is_same<T, bool>::value,
                                                bool>::type = true>
  Scalar(T V);
  template <typename T> T to() const;
  float toFloat() const;
  double toDouble() const;
  int toInt() const;
  int64_t toLong() const;
  bool toBool() const;
  bool isFloatingPoint() const;
  bool isIntegral(bool IncludeBool) const;
  Scalar operator-() const;
};

struct Storage {
  void *data() const;
  size_t nbytes() const;
};

} // namespace c10

namespace caffe2 {
class TypeMeta final {
public:
  size_t itemsize() const noexcept;
  c10::ScalarType toScalarType() const;
};
bool operator==(TypeMeta, TypeMeta) noexcept;
bool operator!=(TypeMeta, TypeMeta) noexcept;
bool operator==(TypeMeta, c10::ScalarType) noexcept;
bool operator!=(TypeMeta, c10::ScalarType) noexcept;
} // namespace caffe2

namespace c10 {

ScalarType typeMetaToScalarType(caffe2::TypeMeta);

struct TensorOptions {
  TensorOptions();
  TensorOptions(Layout L);
  TensorOptions(ScalarType T);
  TensorOptions(caffe2::TypeMeta T);
  TensorOptions(MemoryFormat F);
  template <typename T, typename = std::enable_if_t<
                            std::is_same<std::decay_t<T>, Device>::value ||
                            std::is_same<std::decay_t<T>, DeviceType>::value ||
                            std::is_convertible<T, std::string>::value>>
  TensorOptions(T &&D);
  TensorOptions device(optional<Device> D) const noexcept;
  template <typename... Args> TensorOptions device(Args &&...) const noexcept;
  TensorOptions dtype(optional<ScalarType> T) const noexcept;
  TensorOptions dtype(caffe2::TypeMeta T) const noexcept;
  TensorOptions layout(optional<Layout> L) const noexcept;
  TensorOptions requires_grad(optional<bool> B) const noexcept;
  TensorOptions pinned_memory(optional<bool> B) const noexcept;
  TensorOptions memory_format(optional<MemoryFormat> F) const noexcept;
  Device device() const noexcept;
  caffe2::TypeMeta dtype() const noexcept;
  bool requires_grad() const noexcept;
};
TensorOptions dtype(ScalarType T);
TensorOptions dtype(caffe2::TypeMeta T);
TensorOptions device(Device D);
TensorOptions layout(Layout L);
TensorOptions requires_grad(bool B = true);

#define TORCH_CHECK(cond, ...) ((void)(cond))
#define TORCH_INTERNAL_ASSERT(cond, ...) ((void)(cond))
#define AT_ASSERT(cond) ((void)(cond))
#define TORCH_WARN(...) ((void)0)

} // namespace c10
