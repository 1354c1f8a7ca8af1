#pragma once
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
