// What is declared to be other on each rank decides for it alone.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --whole-program %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <cmath>
#include <mpi.h>
#include <torch/torch.h>

void skip([[spmd::type("dp: V")]] const float *x, float *g, int n,
          [[spmd::axis("dp")]] MPI_Comm comm) {
  [[spmd::type("dp: V")]] float loss = x[0] * 2;
  // CHECK: [[#@LINE+4]]:3: error: not all ranks get to this 'MPI_Allreduce', and those that do wait for the others: with 2 ranks: {{.*}} [spmd-divergent-collective]
  // CHECK: [[#@LINE+1]]:3: note: the ways of the ranks part here
  if (std::isnan(loss))
    return;
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}

void early(at::Tensor x, float *g, int n, [[spmd::axis("dp")]] MPI_Comm comm) {
  [[spmd::type("dp: V")]] at::Tensor loss = x.sum();
  // CHECK: [[#@LINE+2]]:5: error: not all ranks get to this 'MPI_Allreduce'{{.*}} [spmd-divergent-collective]
  if (loss.item<float>() < 100.f)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}

// All have the sum.
void summed([[spmd::type("dp: V")]] const float *x, float *g, int n,
            [[spmd::axis("dp")]] MPI_Comm comm) {
  [[spmd::type("dp: V")]] float loss = x[0];
  MPI_Allreduce(MPI_IN_PLACE, &loss, 1, MPI_FLOAT, MPI_SUM, comm);
  if (std::isnan(loss))
    return;
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}

// A replica.
void alike([[spmd::type("dp: R")]] float scale, float *g, int n,
           [[spmd::axis("dp")]] MPI_Comm comm) {
  if (scale > 1)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}

// Each rank logs what it has, and all go on.
void logged([[spmd::type("dp: V")]] float loss, float *g, int n,
            [[spmd::axis("dp")]] MPI_Comm comm) {
  if (loss > 10)
    printf("%f\n", loss);
  MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}

// What is computed of it is each rank's own, too.
void computed([[spmd::type("dp: V")]] at::Tensor x,
              [[spmd::type("dp: R")]] at::Tensor w, float *g, int n,
              [[spmd::axis("dp")]] MPI_Comm comm) {
  auto loss = at::mse_loss(at::matmul(x, w), x);
  const double mean = loss.item<double>() / n;
  // CHECK: [[#@LINE+2]]:5: error: not all ranks get to this 'MPI_Allreduce'{{.*}} [spmd-divergent-collective]
  if (mean < 100)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}

static double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i != n; ++i)
    sum += x[i] * x[i];
  return sum;
}

void measured([[spmd::type("dp: V")]] const double *x, float *g, int n,
              [[spmd::axis("dp")]] MPI_Comm comm) {
  // CHECK: [[#@LINE+2]]:5: error: not all ranks get to this 'MPI_Allreduce'{{.*}} [spmd-divergent-collective]
  if (norm(x, n) > 1)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}

// What is computed of replicas is not.
void same([[spmd::type("dp: R")]] const double *x, float *g, int n,
          [[spmd::axis("dp")]] MPI_Comm comm) {
  if (norm(x, n) > 1)
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, comm);
}

// An op sends nothing, wherever its body is; of other code nobody knows.
[[spmd::op("nonlinear")]] void activate(float *x, int n);
void elsewhere(float *x, int n);

void aboutAnOp(float *x, int n, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    // CHECK: [[#@LINE+1]]:5: error: not all ranks get to this 'MPI_Barrier'{{.*}} [spmd-divergent-collective]
    MPI_Barrier(comm);
  else
    activate(x, n);
}

void aboutOtherCode(float *x, int n, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    MPI_Barrier(comm);
  else
    elsewhere(x, n);
}
