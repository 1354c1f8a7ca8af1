#pragma once
#include "../../lint/cuda-stubs/nccl.h"
