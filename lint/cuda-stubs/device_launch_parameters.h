#pragma once
#include "vector_types.h"
#ifdef __CUDA__
#include "device_functions.h"
#endif
