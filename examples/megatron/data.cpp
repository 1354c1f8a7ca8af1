#include "data.h"

#include "files.h"

#include <stdexcept>
#include <vector>

namespace megatron {

Corpus::Corpus(const Config &config, const Parallel &parallel)
    : sequence_(config.sequence), batch_(config.batch), dp_(parallel.dp) {
  text_ = read_file(config.data);
  if (int64_t(text_.size()) <= sequence_ + 1)
    throw std::runtime_error(
        config.data + " has " + std::to_string(text_.size()) +
        " bytes, a sequence of " + std::to_string(sequence_) + " needs " +
        std::to_string(sequence_ + 2));
}

Batch Corpus::batch(int64_t step) const {
  const int64_t share = batch_ / dp_.size();
  const int64_t positions = int64_t(text_.size()) - sequence_;
  std::vector<int64_t> bytes;
  bytes.reserve(share * (sequence_ + 1));
  for (int64_t i = 0; i < share; ++i) {
    // A large prime stride visits the text in a scattered order.
    const int64_t sample = step * batch_ + dp_.rank() * share + i;
    const int64_t start = sample * 1000003 % positions;
    for (int64_t j = 0; j <= sequence_; ++j)
      bytes.push_back(static_cast<unsigned char>(text_[start + j]));
  }
  const at::Tensor windows =
      torch::tensor(bytes, torch::kLong).view({share, sequence_ + 1});
  return {windows.narrow(1, 0, sequence_), windows.narrow(1, 1, sequence_)};
}

} // namespace megatron
