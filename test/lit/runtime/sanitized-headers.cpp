// Programs are also built with GCC's sanitizers, under which fewer expressions
// are constant.
// RUN: g++ -std=c++17 -fsyntax-only -fsanitize=undefined %runtime-include %s
// RUN: g++ -std=c++20 -fsyntax-only -fsanitize=address,undefined %runtime-include %s

#include <spmd/bootstrap.h>
#include <spmd/spmd.h>

using namespace spmd;

void every(View X, View Y, const Axis &Tp) {
  all_reduce(X, Tp, P, R);
  all_gather(X, Y, Tp, S(0), R);
  reduce_scatter(X, Y, Tp, P, V);
  all_to_all(X, Y, Tp, S(0), S(1));
  reinterpret(X, Tp, R, I, expert);
  convert(X, Y, Tp, V, P, expert);
  redistribute(X, Y, Tp, I, P);
  redistribute_async(X, Y, Tp, P, S(0)).wait();
}
