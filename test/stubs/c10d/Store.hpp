// The include path of libtorch before 1.12.
#pragma once
#include <torch/csrc/distributed/c10d/Store.hpp>
