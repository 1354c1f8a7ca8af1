#pragma once
#include "../../lint/cuda-stubs/cuda_runtime_api.h"
