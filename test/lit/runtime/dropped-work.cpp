// What has been started and is let go at once is a warning, on any compiler.
// RUN: clang++-22 -std=c++17 -Wall -Wextra -fsyntax-only -Xclang -verify %runtime-include %s

#include <spmd/spmd.h>

using namespace spmd;

void drop(View X, View Y, const Axis &Tp, const Mesh &M) {
  all_reduce_async(X, Tp, P, R);           // expected-warning {{ignoring return value of function declared with 'nodiscard' attribute}}
  all_gather_async(X, Y, Tp, S(0), R);     // expected-warning {{ignoring return value}}
  reduce_scatter_async(X, Y, Tp, P, S(0)); // expected-warning {{ignoring return value}}
  all_to_all_async(X, Y, Tp, S(0), S(1));  // expected-warning {{ignoring return value}}
  redistribute_async(X, Y, Tp, P, S(1));   // expected-warning {{ignoring return value}}
  redistribute_async(X, Y, M, "[8@tp]", "[8]{tp: R}"); // expected-warning {{ignoring return value}}
  all_reduce_async(X, Tp, P, R).wait();
}

// One's own function that hands the work on.
Work sync(View Grad, const Axis &Dp) {
  return all_reduce_async(Grad, Dp, P, I);
}

void forget(View Grad, const Axis &Dp) {
  sync(Grad, Dp); // expected-warning {{ignoring return value of type 'Work' declared with 'nodiscard' attribute}}
  Work W = sync(Grad, Dp);
  W.wait();
}
