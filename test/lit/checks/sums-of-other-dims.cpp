// A sum along another dim than that of the shards leaves shards.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s

#include <spmd/torch.h>
#include <torch/torch.h>

[[spmd::axis("tp")]] extern spmd::Axis tp;

// CHECK: error: the value returned from 'rows' must be R on 'tp', but 'x.sum(1)' is V
// CHECK: note: fix: take 'x.sum(1)' through all_gather from V to R on 'tp'
[[spmd::type("tp: R")]] at::Tensor rows([[spmd::type("tp: S(0)")]] at::Tensor x) { return x.sum(1); }
