// The losses as a picture.

#pragma once

#include "history.h"

#include <string>

namespace megatron {

/// An SVG document with a curve of loss over step.
std::string plot_losses(const History &history, const std::string &title);

} // namespace megatron
