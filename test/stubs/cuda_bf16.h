#pragma once
#include "../../lint/cuda-stubs/cuda_bf16.h"
