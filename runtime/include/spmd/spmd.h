//===- spmd.h - Typed SPMD programs -----------------------------*- C++ -*-===//
//
// The library that spmd-tidy's annotations and fix-its name: tags, meshes and
// typed operators on raw buffers. C++17, standard library only. For tensors
// see spmd/torch.h, for NCCL communicators as axes spmd/nccl.h.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_SPMD_H
#define SPMD_SPMD_H

#include "spmd/annotations.h"
#include "spmd/async.h"
#include "spmd/axis.h"
#include "spmd/backend.h"
#include "spmd/bootstrap.h"
#include "spmd/collectives.h"
#include "spmd/communicator.h"
#include "spmd/deadline.h"
#include "spmd/error.h"
#include "spmd/flight.h"
#include "spmd/local.h"
#include "spmd/mesh.h"
#include "spmd/permutation.h"
#include "spmd/profile.h"
#include "spmd/redistribute.h"
#include "spmd/run_local.h"
#include "spmd/spec.h"
#include "spmd/store.h"
#include "spmd/tags.h"
#include "spmd/view.h"
#include "spmd/work.h"

#endif // SPMD_SPMD_H
