// Handles and containers of requests that are waited for: no finding.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0

#include <mpi.h>
#include <torch/torch.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <memory>
#include <vector>

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
using Work = c10::intrusive_ptr<c10d::Work>;

void waited(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list = {x};
  auto work = pg->allreduce(list);
  work->wait();
  x.mul_(2);
}

void at_once(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list{x};
  pg->allreduce(list)->wait();
  at::Tensor y = x + 1;
}

void input_is_read(Group pg, at::Tensor out, at::Tensor in) {
  auto work = pg->_allgather_base(out, in);
  at::Tensor y = in.sum();
  work->wait();
}

void only_asked(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list{x};
  auto work = pg->allreduce(list);
  auto n = x.numel();
  at::Tensor row = x.view({n});
  work->wait();
  row.mul_(2);
}

void container(Group pg, std::vector<at::Tensor> grads) {
  std::vector<Work> works;
  for (auto &g : grads) {
    std::vector<at::Tensor> list{g};
    works.push_back(pg->allreduce(list));
  }
  for (auto &w : works)
    w->wait();
  for (auto &g : grads)
    g.div_(2);
}

void counted(Group pg, std::vector<at::Tensor> &grads) {
  std::vector<Work> works;
  for (size_t i = 0; i < grads.size(); ++i) {
    std::vector<at::Tensor> list{grads[i]};
    works.emplace_back(pg->allreduce(list));
  }
  for (size_t i = 0; i < works.size(); ++i)
    works[i]->wait();
  grads[0].mul_(2);
}

Work handed_back(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list{x};
  return pg->allreduce(list);
}
void of_a_caller(Group pg, at::Tensor x) {
  auto work = handed_back(pg, x);
  work->wait();
  x.mul_(2);
}

void keep(Work work);
void kept(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list{x};
  keep(pg->allreduce(list));
  x.mul_(2);
}

void other_tensor(Group pg, at::Tensor x, at::Tensor y) {
  std::vector<at::Tensor> list{x};
  auto work = pg->allreduce(list);
  y.mul_(2);
  work->wait();
}

void rebound(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list{x};
  auto work = pg->allreduce(list);
  x = at::zeros({4});
  x.add_(1);
  work->wait();
}

void requests(std::vector<double> &u, MPI_Comm comm) {
  std::vector<MPI_Request> all;
  for (int i = 0; i < 2; ++i) {
    MPI_Request r;
    MPI_Irecv(&u[i], 1, MPI_DOUBLE, i, 0, comm, &r);
    all.push_back(r);
  }
  MPI_Waitall(all.size(), all.data(), MPI_STATUSES_IGNORE);
  u[0] = 1;
}

void made_in_place(std::vector<double> &u, int n, MPI_Comm comm) {
  std::vector<MPI_Request> all;
  for (int i = 0; i < n; ++i) {
    all.emplace_back();
    MPI_Irecv(&u[i], 1, MPI_DOUBLE, i, 0, comm, &all.back());
  }
  MPI_Waitall(all.size(), all.data(), MPI_STATUSES_IGNORE);
  u[0] = 1;
}

void each(std::vector<double> &u, int n, MPI_Comm comm) {
  std::vector<MPI_Request> all(n);
  for (int i = 0; i < n; ++i)
    MPI_Irecv(&u[i], 1, MPI_DOUBLE, i, 0, comm, &all[i]);
  for (MPI_Request &r : all)
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  u[0] = 1;
}

class Exchange {
public:
  explicit Exchange(MPI_Comm comm) : comm_(comm) {}
  ~Exchange() { finish(); }
  void begin(double *x, int n) {
    finish();
    MPI_Irecv(x, n, MPI_DOUBLE, 0, 0, comm_, &request_);
    active_ = true;
  }
  void finish() {
    if (active_)
      MPI_Wait(&request_, MPI_STATUS_IGNORE);
    active_ = false;
  }

private:
  MPI_Comm comm_;
  MPI_Request request_;
  bool active_ = false;
};
void by_its_end(double *x, int n, MPI_Comm comm) {
  {
    Exchange e(comm);
    e.begin(x, n);
  }
  x[0] = 1;
}
void twice(double *x, int n, MPI_Comm comm) {
  Exchange e(comm);
  e.begin(x, n);
  e.begin(x, n);
  e.finish();
  x[0] = 1;
}

void owned(int n, MPI_Comm comm) {
  std::unique_ptr<double[]> x(new double[n]);
  MPI_Request r;
  MPI_Isend(x.get(), n, MPI_DOUBLE, 0, 0, comm, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  x[0] = 1;
}

void deleted(int n, MPI_Comm comm) {
  auto *x = new double[n];
  MPI_Request r;
  MPI_Isend(x, n, MPI_DOUBLE, 0, 0, comm, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  delete[] x;
}

template <typename T> void generic(T *x, MPI_Datatype type, MPI_Comm comm) {
  MPI_Request r;
  MPI_Irecv(x, 1, type, 0, 0, comm, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  x[0] = T();
}
void instances(double *x, int *n, MPI_Comm comm) {
  generic(x, MPI_DOUBLE, comm);
  generic(n, MPI_INT, comm);
}

#include <array>
void of_an_array(double *x, MPI_Comm comm) {
  std::array<MPI_Request, 2> all;
  MPI_Irecv(&x[0], 1, MPI_DOUBLE, 0, 0, comm, &all[0]);
  MPI_Irecv(&x[1], 1, MPI_DOUBLE, 1, 0, comm, &all[1]);
  MPI_Waitall(2, all.data(), MPI_STATUSES_IGNORE);
  x[0] = x[1];
}

class Neighbours {
public:
  void step(double *x) {
    begin(x);
    finish();
    x[0] = 1;
  }
  void begin(double *x) {
    for (int n : ranks_) {
      requests_.emplace_back();
      MPI_Irecv(x, 1, MPI_DOUBLE, n, 0, comm_, &requests_.back());
      x += 1;
    }
  }
  void finish() {
    MPI_Waitall(requests_.size(), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
  }

private:
  MPI_Comm comm_;
  std::vector<int> ranks_;
  std::vector<MPI_Request> requests_;
};

void by_a_closure(double *x, MPI_Comm comm) {
  MPI_Request r;
  auto finish = [&] { MPI_Wait(&r, MPI_STATUS_IGNORE); };
  MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, &r);
  finish();
  x[0] = 1;
}

std::vector<double> filled_by_the_caller(int n, MPI_Request *r, MPI_Comm comm) {
  std::vector<double> x(n);
  MPI_Irecv(x.data(), n, MPI_DOUBLE, 0, 0, comm, r);
  return x;
}

struct Message {
  std::vector<double> data;
  MPI_Request request;
};
void messages(int n, MPI_Comm comm) {
  std::vector<Message> all(n);
  for (Message &m : all)
    MPI_Irecv(m.data.data(), 1, MPI_DOUBLE, 0, 0, comm, &m.request);
  for (auto &m : all) {
    MPI_Wait(&m.request, MPI_STATUS_IGNORE);
    m.data[0] = 1;
  }
}

void on_success(double *x, MPI_Comm comm) {
  MPI_Request r;
  if (MPI_Irecv(x, 1, MPI_DOUBLE, 0, 0, comm, &r) != MPI_SUCCESS)
    return;
  if (MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS)
    x[0] = 1;
}

void future_at_once(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list{x};
  auto work = pg->allreduce(list);
  work->getFuture()->wait();
  x.div_(2);
}

void future_kept(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list{x};
  auto future = pg->allreduce(list)->getFuture();
  future->waitAndThrow();
  x.div_(2);
}

void future_asked(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list{x};
  auto future = pg->allreduce(list)->getFuture();
  while (!future->completed()) {
  }
  x.div_(2);
}

struct Bucket {
  at::Tensor flat;
  Work work;
};

class Buckets {
public:
  void start(Group pg) {
    std::vector<at::Tensor> list{now.flat};
    now.work = pg->allreduce(list);
  }
  void finish() {
    now.work->getFuture()->wait();
    now.flat.div_(2);
  }

private:
  Bucket now;
};

void bucket(Buckets &b, Group pg) {
  b.start(pg);
  b.finish();
}
