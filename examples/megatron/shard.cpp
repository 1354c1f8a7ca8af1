#include "shard.h"

#include "files.h"

#include <cstring>
#include <stdexcept>

namespace megatron {
namespace {

constexpr char magic[8] = {'m', 'e', 'g', 'a', 's', 'h', 'd', '1'};

/// FNV-1a: it finds accidents, not forgery.
uint64_t checksum(const char *bytes, size_t size) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 1099511628211u;
  return hash;
}

void put(std::string &bytes, uint64_t number) {
  bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
}

uint64_t number_at(const std::string &bytes, size_t offset) {
  uint64_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

size_t size_of(const at::Tensor &tensor) {
  return size_t(tensor.numel()) * sizeof(float);
}

size_t size_of(const std::vector<at::Tensor> &tensors) {
  size_t size = sizeof magic + 3 * sizeof(uint64_t);
  for (const at::Tensor &tensor : tensors)
    size += sizeof(uint64_t) + size_of(tensor);
  return size;
}

} // namespace

std::string pack(const std::vector<at::Tensor> &tensors, int64_t steps) {
  std::string bytes(magic, sizeof magic);
  bytes.reserve(size_of(tensors));
  put(bytes, uint64_t(steps));
  put(bytes, tensors.size());
  for (const at::Tensor &tensor : tensors) {
    const at::Tensor dense = tensor.detach().contiguous();
    put(bytes, uint64_t(dense.numel()));
    bytes.append(static_cast<const char *>(dense.data_ptr()), size_of(dense));
  }
  put(bytes, checksum(bytes.data(), bytes.size()));
  return bytes;
}

void unpack(const std::string &path, int64_t steps,
            const std::vector<at::Tensor> &tensors) {
  const std::string bytes = read_file(path);
  const auto require = [&](bool good, const std::string &what) {
    if (!good)
      throw std::runtime_error(path + " is damaged: " + what);
  };
  require(bytes.size() == size_of(tensors),
          "it has " + std::to_string(bytes.size()) + " bytes, not " +
              std::to_string(size_of(tensors)));
  const size_t end = bytes.size() - sizeof(uint64_t);
  require(number_at(bytes, end) == checksum(bytes.data(), end),
          "its checksum is wrong");
  size_t at = sizeof magic;
  require(std::memcmp(bytes.data(), magic, at) == 0, "it is no shard");
  require(number_at(bytes, at) == uint64_t(steps), "it is of another step");
  require(number_at(bytes, at += 8) == tensors.size(),
          "it has another number of tensors");
  for (const at::Tensor &tensor : tensors) {
    require(number_at(bytes, at += 8) == uint64_t(tensor.numel()),
            "a tensor has another size");
    at += size_of(tensor);
  }

  torch::NoGradGuard no_grad;
  at = sizeof magic + 3 * sizeof(uint64_t);
  for (const at::Tensor &tensor : tensors) {
    std::memcpy(tensor.data_ptr(), bytes.data() + at, size_of(tensor));
    at += size_of(tensor) + sizeof(uint64_t);
  }
}

} // namespace megatron
