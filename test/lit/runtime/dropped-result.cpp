// An operator on a tensor returns its result: to call one as if it worked in
// place is a warning.
// RUN: %if torch %{ clang++-22 -std=c++17 -Wall -Wextra -fsyntax-only -Xclang -verify -Xclang -verify-ignore-unexpected=note %runtime-include %torch %s %}

#include <spmd/torch.h>

using namespace spmd;

void drop(at::Tensor X, const Axis &Tp, const Mesh &M) {
  spmd::all_reduce(X, Tp, P, R);            // expected-warning {{ignoring return value of function declared with 'nodiscard' attribute}}
  spmd::all_reduce_mean(X, Tp, P, R);       // expected-warning {{ignoring return value}}
  spmd::all_gather(X, Tp, S(0), R);         // expected-warning {{ignoring return value}}
  spmd::reduce_scatter(X, Tp, P, S(0));     // expected-warning {{ignoring return value}}
  spmd::all_to_all(X, Tp, S(0), S(1));      // expected-warning {{ignoring return value}}
  spmd::convert(X, Tp, R, P);               // expected-warning {{ignoring return value}}
  spmd::reinterpret(X, Tp, I, R);           // expected-warning {{ignoring return value}}
  spmd::invariant_to_replicate(X, Tp);      // expected-warning {{ignoring return value}}
  spmd::redistribute(X, Tp, P, S(1));       // expected-warning {{ignoring return value}}
  spmd::redistribute(X, M, "[8@tp]", "[8]{tp: R}"); // expected-warning {{ignoring return value}}
  spmd::assert_type(X, "tp: R");
  X = spmd::all_reduce(X, Tp, P, R);
}
