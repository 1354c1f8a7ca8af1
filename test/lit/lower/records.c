// A number in an array of structs of numbers is an element of the array; one of
// a single struct, or of one whose members are described, is a member.
// RUN: not %spmd-tidy --quiet %s -- -std=c23 -isystem %stubs-dir 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>

struct sample {
  double x[5];
  double y;
};
struct limits {
  double least, most;
};
struct described {
  [[spmd::type("dp: R")]] double mean;
  double here;
};

void use([[spmd::type("dp: R")]] double x);

void elements([[spmd::type("dp: V")]] struct sample *data, [[spmd::axis("dp")]] MPI_Comm dp,
              struct sample *out, int n) {
  use(data[n].y);
  // CHECK: [[#@LINE-1]]:3: error: the argument for 'x' must be R on 'dp', but 'data[n].y' is V
  use(data[0].x[2]);
  // CHECK: [[#@LINE-1]]:3: error: the argument for 'x' must be R on 'dp', but 'data[0].x[2]' is V
  double mean = 0;
  for (int i = 0; i < n; ++i)
    mean += data[i].y;
  MPI_Allreduce(MPI_IN_PLACE, &mean, 1, MPI_DOUBLE, MPI_SUM, dp);
  use(mean);
  out[0] = data[0];
  out[1].y = mean;
}
void members([[spmd::type("dp: V")]] struct described *all, struct limits *l, int n) {
  use(all[n].mean);
  use(l->least);
}
