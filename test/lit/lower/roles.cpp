// What an op is for the analysis is said by its roles, not by its name.
// RUN: rm -rf %t && mkdir -p %t && cp %s %t/roles.cpp && cd %t
// RUN: echo 'Ops:' > .spmd-tidy
// RUN: echo '  - op: [mine::plus, mine::minus]' >> .spmd-tidy
// RUN: echo '    operands: x=0, y=1' >> .spmd-tidy
// RUN: echo '    rule: linear(x, y)' >> .spmd-tidy
// RUN: echo '    roles: {mine::plus: adds, mine::minus: subtracts}' >> .spmd-tidy
// RUN: not %spmd-tidy roles.cpp -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: %spmd-tidy --explain-op=mine::minus | FileCheck %s --check-prefix=SAYS
// RUN: sed -i s/subtracts/subtract/ .spmd-tidy
// RUN: not %spmd-tidy roles.cpp -- %stubs 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRONG

#include <spmd/torch.h>
#include <torch/torch.h>
using at::Tensor;

[[spmd::axis("tp")]] extern spmd::Axis tp;

namespace mine {
[[spmd::op("nonlinear")]] Tensor add(const Tensor &x, const Tensor &y);
[[spmd::op("linear")]] Tensor sub(const Tensor &x, const Tensor &y);
Tensor plus(const Tensor &x, const Tensor &y);
Tensor minus(const Tensor &x, const Tensor &y);
} // namespace mine

[[spmd::type("tp: R")]] Tensor nonlinear([[spmd::type("tp: P")]] Tensor y,
                                         [[spmd::type("tp: R")]] Tensor bias) {
  if (tp.rank() == 0)
    // CHECK: [[@LINE+1]]:9: error: {{.*}} the non-linear 'add'{{.*}}[spmd-partial-nonlinear]
    y = mine::add(y, bias);
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
[[spmd::type("tp: R")]] Tensor linear([[spmd::type("tp: P")]] Tensor y,
                                      [[spmd::type("tp: R")]] Tensor bias) {
  if (tp.rank() == 0)
    // CHECK: [[@LINE+1]]:9: error: {{.*}} in 'sub'{{.*}}[spmd-partial-add]
    y = mine::sub(y, bias);
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}
[[spmd::type("tp: R")]] Tensor sum([[spmd::type("tp: P")]] Tensor y,
                                   [[spmd::type("tp: R")]] Tensor bias) {
  if (tp.rank() == 0)
    y = mine::minus(mine::plus(y, bias), bias);
  return spmd::all_reduce(y, tp, spmd::P, spmd::R);
}

// SAYS: mine::minus(x, y) = linear(x, y)
// SAYS: subtracts: the result is the first operand less the second

// WRONG: .spmd-tidy:5:{{[0-9]+}}: error: unknown role 'subtract'; the nearest is 'subtracts'
