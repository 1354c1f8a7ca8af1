// An ncclComm_t is an axis, with and without the real NCCL.
// RUN: clang++-22 -std=c++17 -Wall -Wextra -Werror -fsyntax-only %runtime-include -isystem %stubs-dir %s
// RUN: %if nccl %{ clang++-22 -std=c++17 -Wall -Wextra -Werror -fsyntax-only %runtime-include -isystem %nccl-include %s %}

#include <spmd/nccl.h>
#include <spmd/spmd.h>

void reduce(float *Grad, float *Part, int64_t N,
            SPMD_AXIS("dp") ncclComm_t Comm) {
  spmd::View G(Grad, {N});
  spmd::all_reduce(G, Comm, spmd::P, spmd::I);
  spmd::reduce_scatter(G, spmd::View(Part, {N / spmd::Axis(Comm).size()}), Comm,
                       spmd::P, spmd::S(0));
}
