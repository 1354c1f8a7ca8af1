#include "data.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace zero {

Data::Data(const std::string &path, const Shape &shape,
           const Parallel &parallel)
    : shape_(shape), parallel_(parallel) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "zero: cannot read %s: %s\n", path.c_str(),
                 std::strerror(errno));
    std::exit(2);
  }
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  if (bytes.size() <= static_cast<std::size_t>(shape.sequence)) {
    std::fprintf(stderr, "zero: %s has fewer than %d bytes to read\n",
                 path.c_str(), shape.sequence + 1);
    std::exit(2);
  }
  for (char byte : bytes)
    text_.push_back(static_cast<unsigned char>(byte));
  CUDACHECK(cudaMalloc(&batch_.tokens, shape.rows() * sizeof(int)));
  CUDACHECK(cudaMalloc(&batch_.targets, shape.rows() * sizeof(int)));
}

Data::~Data() {
  cudaFree(batch_.tokens);
  cudaFree(batch_.targets);
}

const Batch &Data::next() {
  const std::size_t starts = text_.size() - shape_.sequence;
  const std::size_t first =
      (micro_step_++ * parallel_.size + parallel_.rank) * shape_.batch;
  for (int b = 0; b < shape_.batch; ++b) {
    // A large prime stride visits the text in a scattered order.
    const int *window = text_.data() + (first + b) * 1000003 % starts;
    const std::size_t at = static_cast<std::size_t>(b) * shape_.sequence;
    const std::size_t size = shape_.sequence * sizeof(int);
    CUDACHECK(cudaMemcpyAsync(batch_.tokens + at, window, size,
                              cudaMemcpyHostToDevice, parallel_.stream));
    CUDACHECK(cudaMemcpyAsync(batch_.targets + at, window + 1, size,
                              cudaMemcpyHostToDevice, parallel_.stream));
  }
  return batch_;
}

} // namespace zero
