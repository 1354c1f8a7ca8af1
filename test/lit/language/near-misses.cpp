// An attribute that is nobody's but a slip of the pen for one of ours would be
// ignored by every compiler: it is a finding. Those of others are none.
// RUN: not %spmd-tidy %s -- %stubs -Wno-unknown-attributes 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/torch.h>

// CHECK: :[[#@LINE+1]]:10: error: unknown attribute 'spdm::type'; the nearest is 'spmd::type' [spmd-annotation]
void a([[spdm::type("tp: R")]] at::Tensor x);
// CHECK: :[[#@LINE+1]]:10: error: unknown attribute 'smpd::type'; the nearest is 'spmd::type'
void b([[smpd::type("tp: R")]] at::Tensor x);
// CHECK: :[[#@LINE+1]]:10: error: unknown attribute 'SPMD::type'; the nearest is 'spmd::type'
void c([[SPMD::type("tp: R")]] at::Tensor x);
// CHECK: :[[#@LINE+1]]:16: error: unknown attribute 'spmd::tpye'; the nearest is 'spmd::type'
void d([[spmd::tpye("tp: R")]] at::Tensor x);
// CHECK: :[[#@LINE+1]]:10: error: unknown attribute 'spm::tyep'; the nearest is 'spmd::type'
void e([[spm::tyep("tp: R")]] at::Tensor x);
// CHECK: :[[#@LINE+1]]:22: error: unknown attribute 'smpd::type'; the nearest is 'spmd::type'
void f([[using smpd: type("tp: R")]] at::Tensor x);
// CHECK: :[[#@LINE+1]]:3: error: unknown attribute 'spmd_::global'; the nearest is 'spmd::global'
[[spmd_::global]] void g(at::Tensor x);
// CHECK: :[[#@LINE+1]]:28: error: unknown attribute 'spdm::no_typecheck'; the nearest is 'spmd::no_typecheck'
[[nodiscard, maybe_unused, spdm::no_typecheck]] at::Tensor h(at::Tensor x);
// CHECK: :[[#@LINE+1]]:10: error: unknown attribute 'spmd::tpye'; the nearest is 'spmd::type'
void i([[clang::annotate("spmd::tpye", "tp: R")]] at::Tensor x);
// CHECK: :[[#@LINE+1]]:10: error: unknown attribute 'spdm::type'; the nearest is 'spmd::type'
void j([[clang::annotate("spdm::type", "tp: R")]] at::Tensor x);
#define TYPE(text) \
  [[spdm::type("tp: R")]]
// CHECK: :[[#@LINE-1]]:5: error: unknown attribute 'spdm::type'

void others([[using spmd: type("tp: R")]] at::Tensor x,
            [[gnu::type]] int, [[simd::lanes("4")]] int, [[simd::size(4)]] int,
            [[acme::type("tp: R")]] int, [[spdm::reads("x")]] int) {
  int table[2] = {0, 1}, *p = table;
  [[maybe_unused]] int once = table[([] { return 1; }())];
}
