// The name of an axis in its place is one error that says what to pass, on
// tensors, lists of them and what is given a tensor to write to.
// RUN: %if torch %{ clang++-22 -std=c++17 -fsyntax-only -ferror-limit=0 -Xclang -verify -Xclang -verify-ignore-unexpected=note %runtime-include %torch %s %}
// GCC says no more than that; the stubs are enough to see it.
// RUN: not g++ -std=c++17 -fsyntax-only %stubs %s 2>&1 | FileCheck %s --check-prefix=GCC --implicit-check-not=error:

#include <spmd/data_parallel.h>
#include <spmd/torch.h>

using namespace spmd;

// A name of each length is a type of its own, which is said once.
at::Tensor named(const at::Tensor &X, const at::Tensor &Y,
                 const std::vector<at::Tensor> &Xs, const std::string &Name) {
  spmd::all_gather(X, Y, Name, S(0), R);                // expected-error@spmd/axis.h:* {{an axis is not its name: take it of the mesh, as in mesh.axis("dp")}}
  DataParallel Sync(Xs, "data", P, R);                  // expected-error@spmd/axis.h:* {{an axis is not its name: take it of the mesh, as in mesh.axis("dp")}}
  TensorWork Work = all_reduce_async(X, "four5", P, R); // expected-error@spmd/axis.h:* {{an axis is not its name: take it of the mesh, as in mesh.axis("dp")}}
  Xs[0] + spmd::all_reduce(Xs, "groups", P, R)[0];      // expected-error@spmd/axis.h:* {{an axis is not its name: take it of the mesh, as in mesh.axis("dp")}}
  return spmd::all_reduce(X, "dp", P, R);               // expected-error@spmd/axis.h:* {{an axis is not its name: take it of the mesh, as in mesh.axis("dp")}}
}

// GCC-COUNT-5: error: static assertion failed: spmd: an axis is not its name: take it of the mesh, as in mesh.axis("dp")
