#pragma once
#include <torch/nn/functional.h>
#include <torch/nn/modules.h>
