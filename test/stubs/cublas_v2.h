#pragma once
#include "../../lint/cuda-stubs/cublas_v2.h"
