// Tensors as the bytes of one file: a head, each tensor's length and numbers,
// and a checksum of all before it.

#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

namespace megatron {

std::string pack(const std::vector<at::Tensor> &tensors, int64_t steps);

/// Copies the numbers in the file \p path into \p tensors. Throws
/// std::runtime_error, and changes none, unless the file is whole and has
/// tensors of these lengths, saved after \p steps steps.
void unpack(const std::string &path, int64_t steps,
            const std::vector<at::Tensor> &tensors);

} // namespace megatron
