// Handles that nobody waits for in time, and C++ around MPI's requests.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <torch/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <vector>

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;

void before_wait(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list = {x};
  auto work = pg->allreduce(list);
  x.mul_(2);
  // CHECK: [[@LINE-1]]:3: error: 'list' is written by 'mul_' while the 'ProcessGroup::allreduce' of line [[@LINE-2]] may still use it: no wait for its handle [spmd-async-hazard]
  work->wait();
}

void discarded(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list{x};
  pg->allreduce(list);
  at::Tensor y = x + 1;
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'list' is read by the host while the 'ProcessGroup::allreduce' of line [[@LINE-2]] may still write it: no wait for its handle [spmd-async-hazard]
}

void gathered(Group pg, at::Tensor out, at::Tensor in) {
  auto work = pg->_allgather_base(out, in);
  at::Tensor y = out.sum();
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'out' is read by 'sum' while the 'ProcessGroup::_allgather_base'
  work->wait();
}

void input_written(Group pg, at::Tensor out, at::Tensor in) {
  auto work = pg->_allgather_base(out, in);
  in.zero_();
  // CHECK: [[@LINE-1]]:3: error: 'in' is written by 'zero_' while the 'ProcessGroup::_allgather_base'
  work->wait();
}

void another_name(Group pg, at::Tensor x) {
  at::Tensor y = x;
  std::vector<at::Tensor> list;
  list.push_back(y);
  auto work = pg->allreduce(list);
  x.zero_();
  // CHECK: [[@LINE-1]]:3: error: 'list' is written by 'zero_'
  work->wait();
}

void operand(Group pg, at::Tensor x, at::Tensor w) {
  std::vector<at::Tensor> list{x};
  auto work = pg->allreduce(list);
  at::Tensor y = at::matmul(x, w);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'list' is read by 'matmul' while the 'ProcessGroup::allreduce'
  work->wait();
}

void reduced_twice(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list{x};
  auto first = pg->allreduce(list);
  auto second = pg->allreduce(list);
  // CHECK: [[@LINE-1]]:{{[0-9]+}}: error: 'list' is written by 'ProcessGroup::allreduce' while the 'ProcessGroup::allreduce' of line [[@LINE-2]]
  first->wait();
  second->wait();
}

void vector_of_requests(std::vector<double> &u, MPI_Comm comm) {
  std::vector<MPI_Request> all(2);
  for (int i = 0; i < 2; ++i)
    MPI_Irecv(&u[i], 1, MPI_DOUBLE, i, 0, comm, &all[i]);
  u[0] = 1;
  // CHECK: [[@LINE-1]]:8: error: 'u[i]' is written by the host while the 'MPI_Irecv'
  MPI_Waitall(all.size(), all.data(), MPI_STATUSES_IGNORE);
}

class Exchange {
public:
  explicit Exchange(MPI_Comm comm) : comm_(comm) {}
  void begin(double *x) {
    MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm_, &request_);
  }
  void finish() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

private:
  MPI_Comm comm_;
  MPI_Request request_;
};
void by_methods(double *x, MPI_Comm comm) {
  Exchange e(comm);
  e.begin(x);
  x[0] = 1;
  // CHECK: [[@LINE-1]]:8: error: 'x' is written by the host while the 'MPI_Irecv' of line {{[0-9]+}} may still use it: no wait for 'request_'
  e.finish();
}

void deleted(int n, MPI_Comm comm) {
  auto *x = new double[n];
  MPI_Request r;
  MPI_Isend(x, n, MPI_DOUBLE, 0, 0, comm, &r);
  delete[] x;
  // CHECK: [[@LINE-1]]:3: error: 'x' is given back by 'delete' while the 'MPI_Isend'
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

void thrown(double *x, bool bad, MPI_Comm comm) {
  MPI_Request r;
  try {
    MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
    // CHECK: [[@LINE-1]]:5: error: nothing completes this 'MPI_Irecv'
    if (bad)
      throw 1;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  } catch (int) {
  }
}

void by_reference(double &x, MPI_Comm comm) {
  MPI_Request r;
  MPI_Isend(&x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  x = 2;
  // CHECK: [[@LINE-1]]:5: error: 'x' is written by the host
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

void future_dropped(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list{x};
  auto future = pg->allreduce(list)->getFuture();
  x.div_(2);
  // CHECK: [[@LINE-1]]:3: error: 'list' is written by 'div_' while the 'ProcessGroup::allreduce' of line [[@LINE-2]] may still use it: no wait for its handle [spmd-async-hazard]
  future->wait();
}
