#pragma once
#include "../../lint/cuda-stubs/cuda_fp16.h"
