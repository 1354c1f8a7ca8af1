// Included by force where no CUDA toolkit is installed: nvcc includes the
// runtime in every CUDA source without being asked.
#pragma once
#include "cuda_runtime.h"
