#pragma once
#include "../../lint/cuda-stubs/cooperative_groups.h"
