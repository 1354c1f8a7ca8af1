// Stand-in for libtorch's umbrella header: the names and signatures of 1.13
// that tests use, parsed in milliseconds. Nothing here has a body.
#pragma once
#include <torch/autograd.h>
#include <torch/nn.h>
#include <torch/optim.h>
#include <torch/types.h>
