// An illegal (src, dst) pair does not compile, and the message names what does.
// RUN: clang++-22 -std=c++17 -fsyntax-only -ferror-limit=0 -Xclang -verify -Xclang -verify-ignore-unexpected=note %runtime-include %s

#include <spmd/spmd.h>

using namespace spmd;

void collectives(View X, View Y, const Axis &Tp) {
  all_reduce(X, Tp, P, R);
  all_reduce(X, Tp, V, I);
  all_reduce(X, Tp, P, V); // expected-error@spmd/transition_check.h:* {{this operator does not take P to V; reduce_scatter(x, axis, P, V) does}}
  all_reduce(X, Tp, R, I); // expected-error@spmd/transition_check.h:* {{this operator does not take R to I; reinterpret(x, axis, R, I, spmd::expert) does}}
  all_gather(X, Y, Tp, P, R); // expected-error@spmd/transition_check.h:* {{this operator does not take P to R; all_reduce(x, axis, P, R) does}}
  all_gather(X, Y, Tp, S(0), P); // expected-error@spmd/transition_check.h:* {{this operator does not take V to P; reinterpret(x, axis, V, P) does}}
  all_gather(X, Y, Tp, I, R); // expected-error@spmd/transition_check.h:* {{this operator does not take I to R; invariant_to_replicate(x, axis) does}}
  reduce_scatter(X, Y, Tp, P, I); // expected-error@spmd/transition_check.h:* {{this operator does not take P to I; all_reduce(x, axis, P, I) does}}
  reduce_scatter(X, Y, Tp, R, S(1)); // expected-error@spmd/transition_check.h:* {{this operator does not take R to V; convert(x, axis, R, V) does}}
  all_to_all(X, Y, Tp, S(0), R); // expected-error@spmd/transition_check.h:* {{this operator does not take V to R; all_gather(x, axis, V, R) does}}
  all_to_all(X, Y, Tp, V, S(0)); // expected-error@spmd/transition_check.h:* {{this takes V to V or S(i) to S(j), not a mix of both}}
  all_to_all(X, Y, Tp, V, S(0, {1, 2})); // expected-error@spmd/transition_check.h:* {{this takes V to V or S(i) to S(j), not a mix of both}}
  all_to_all(X, Y, Tp, S(0), S(1, {1, 2}));
  all_to_all(X, Y, Tp, S(0, {1, 2}), S(1));
  all_reduce(X, Tp, P, P); // expected-error@spmd/transition_check.h:* {{nothing has to be done between equal types}}
  all_reduce(X, Tp, "P", R); // expected-error@spmd/transition_check.h:* {{src must be one of spmd::R, spmd::I, spmd::V, spmd::P, spmd::S(i)}}
}

void withRoots(View X, View Y, const Axis &Tp) {
  broadcast(X, Tp, V, R, 0);
  broadcast(X, Tp, V, I, 0);
  broadcast(X, Tp, R, I, 0); // expected-error@spmd/transition_check.h:* {{this operator does not take R to I; reinterpret(x, axis, R, I, spmd::expert) does}}
  broadcast(X, Tp, S(0), R, 0); // expected-error@spmd/transition_check.h:* {{this takes V, as each rank has a value of its own in it; chunks of one tensor, S(i), are for all_gather, reduce_scatter, all_to_all and convert}}
  reduce(X, Y, Tp, P, V, 0);
  reduce(X, Y, Tp, V, V, 0);
  reduce(X, Y, Tp, P, R, 0); // expected-error@spmd/transition_check.h:* {{this operator does not take P to R; all_reduce(x, axis, P, R) does}}
  permute(X, Y, Tp, V, V, shift(1));
  permute(X, Y, Tp, V, R, shift(1)); // expected-error@spmd/transition_check.h:* {{this operator does not take V to R; all_gather(x, axis, V, R) does}}
  all_reduce_max(X, Tp, V, R);
  all_reduce_max(X, Tp, P, R); // expected-error@spmd/transition_check.h:* {{this operator does not take P to R; all_reduce(x, axis, P, R) does}}
}

void names(View X, View Y, const std::string &Name) {
  permute(X, Y, "stage", V, V, shift(1)); // expected-error@spmd/axis.h:* {{an axis is not its name: take it of the mesh, as in mesh.axis("dp")}}
  broadcast(X, "expert", V, R, 0); // expected-error@spmd/axis.h:* {{an axis is not its name: take it of the mesh, as in mesh.axis("dp")}}
  barrier("pp_"); // expected-error@spmd/axis.h:* {{an axis is not its name: take it of the mesh, as in mesh.axis("dp")}}
  all_reduce(X, "dp", P, R); // expected-error@spmd/axis.h:* {{an axis is not its name: take it of the mesh, as in mesh.axis("dp")}}
  all_gather(X, Y, Name, S(0), R); // expected-error@spmd/axis.h:* {{an axis is not its name: take it of the mesh, as in mesh.axis("dp")}}
}

void elements(const float *Fixed, long double *Wide, short *Counts, void *Bytes) {
  View(Fixed, {2});  // expected-error@spmd/view.h:* {{a view may be written: of const elements, take it of const_cast<T *>(data) where it is an operand alone}}
  View(Wide, {2});   // expected-error@spmd/view.h:* {{elements are float8_e4m3, float8_e5m2, half, bfloat16, float, double, bool, or whole numbers of 8, 32 or 64 bits}}
  View(Counts, {2}); // expected-error@spmd/view.h:* {{whole numbers are 8, 32 or 64 bits}}
  View(Bytes, {2});  // expected-error@spmd/view.h:* {{void has no size: say the element type, as in View(data, spmd::DType::F32, shape)}}
  View(Bytes, spmd::DType::F32, {2});
}

// Numbers would be taken for the bits.
half Halves[] = {1, 2};       // expected-error 2 {{no viable conversion from 'int' to 'half'}}
bfloat16 Brain{0x3f80};       // expected-error {{no matching constructor for initialization of 'bfloat16'}}
const half One(1.0), Same = half::of(1), Bits = std::uint16_t(0x3c00);

// What is cut is said of a dim, and names the axis there.
std::string spec() {
  Spec().dim(8).on("dp", V).on("tp", S(0)); // expected-error@spmd/spec.h:* {{say which dim the axis cuts by dim(size, {axis}): of an axis on none it is R, I, P or V}}
  return Spec().dim(8, {"tp"}).on("dp", P).str();
}

void local(View X, View Y, const Axis &Tp) {
  convert(X, Y, Tp, V, R); // expected-error@spmd/transition_check.h:* {{this operator does not take V to R; all_gather(x, axis, V, R) does}}
  reinterpret(X, Tp, P, V); // expected-error@spmd/transition_check.h:* {{this operator does not take P to V; reduce_scatter(x, axis, P, V) does}}
  reinterpret(X, Tp, R, V); // expected-error@spmd/transition_check.h:* {{reinterpret(R, V) is almost never meant in forward code: use convert(x, axis, R, V), or pass spmd::expert as the last argument}}
  reinterpret(X, Tp, R, P); // expected-error@spmd/transition_check.h:* {{reinterpret(R, P) is almost never meant in forward code: use convert(x, axis, R, P), or pass spmd::expert as the last argument}}
  reinterpret(X, Tp, R, I); // expected-error@spmd/transition_check.h:* {{this transition is right but almost never meant in forward code: say so with spmd::expert as the last argument}}
  convert(X, Y, Tp, S(0), P); // expected-error@spmd/transition_check.h:* {{convert(V, P) is almost never meant in forward code: use reinterpret(x, axis, V, P), or pass spmd::expert as the last argument}}
  reinterpret(X, Tp, R, I, expert);
  reinterpret(X, Tp, R, V, expert);
  convert(X, Y, Tp, S(0), P, expert);
  convert(X, Tp, I, P, expert);
  convert(X, Tp, I, R);
  redistribute(X, Y, Tp, 0, R); // expected-error@spmd/redistribute.h:* {{src and dst must be spmd::R, I, V, P or S(i)}}
  out_partial(1.0f); // expected-error@spmd/local.h:* {{out_partial takes at least one axis}}
}
