// A gradient is one, however often it is asked for, and a view of a whole tensor
// is that tensor. Parts of one may be apart.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>

#include <vector>

using Group = c10::intrusive_ptr<c10d::ProcessGroup>;
using Work = c10::intrusive_ptr<c10d::Work>;

void gradient(Group pg, at::Tensor p) {
  std::vector<at::Tensor> list = {p.grad()};
  auto work = pg->allreduce(list);
  // CHECK: [[#@LINE+1]]:3: error: 'list' is written by 'div_' while the 'ProcessGroup::allreduce' of line [[#@LINE-1]] may still use it: no wait for its handle [spmd-async-hazard]
  p.grad().div_(pg->getSize());
  work->wait();
}

void gradients(Group pg, std::vector<at::Tensor> &params) {
  std::vector<Work> works;
  for (auto &p : params) {
    std::vector<at::Tensor> list = {p.mutable_grad()};
    works.push_back(pg->allreduce(list));
  }
  for (auto &work : works)
    work->isCompleted();
  for (auto &p : params)
    // CHECK: [[#@LINE+1]]:5: error: 'list' is written by 'div_' while the 'ProcessGroup::allreduce' of line [[#@LINE-5]] may still use it: no wait for its handle [spmd-async-hazard]
    p.mutable_grad().div_(pg->getSize());
}

void flat(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list = {x.view({-1})};
  auto work = pg->allreduce(list);
  // CHECK: [[#@LINE+1]]:3: error: 'list' is written by 'mul_' while the 'ProcessGroup::allreduce' of line [[#@LINE-1]] may still use it: no wait for its handle [spmd-async-hazard]
  x.mul_(2);
  work->wait();
}

void ofAPart(Group pg, at::Tensor x, at::Tensor y) {
  std::vector<at::Tensor> list = {x.narrow(0, 0, 8)};
  auto work = pg->allreduce(list);
  // CHECK: [[#@LINE+1]]:3: error: 'list' is read by 'copy_' while the 'ProcessGroup::allreduce' of line [[#@LINE-1]] may still write it: no wait for its handle [spmd-async-hazard]
  y.copy_(x);
  work->wait();
}

struct Bucket {
  std::vector<at::Tensor> params;
  at::Tensor flat;
  Work work;
};

struct Buckets {
  std::vector<Bucket> all;
  Group pg;

  void reduce() {
    for (auto &bucket : all) {
      std::vector<at::Tensor> grads;
      for (auto &p : bucket.params)
        grads.push_back(p.grad().reshape({-1}));
      bucket.flat = at::cat(grads);
      std::vector<at::Tensor> list{bucket.flat};
      bucket.work = std::move(pg->allreduce(list));
    }
    for (auto &bucket : all) {
      int64_t offset = 0;
      for (auto &p : bucket.params) {
        const auto n = p.numel();
        // CHECK: [[#@LINE+1]]:9: error: 'list' is read by 'copy_' while the 'ProcessGroup::allreduce' of line [[#@LINE-6]] may still write it: no wait for its handle [spmd-async-hazard]
        p.mutable_grad().copy_(bucket.flat.narrow(0, offset, n).view_as(p));
        offset += n;
      }
    }
  }

  void reduceInTime() {
    for (auto &bucket : all) {
      std::vector<at::Tensor> list{bucket.flat};
      bucket.work = std::move(pg->allreduce(list));
    }
    for (auto &bucket : all) {
      bucket.work->wait();
      for (auto &p : bucket.params)
        p.mutable_grad().copy_(bucket.flat.narrow(0, 0, 4).view_as(p));
    }
  }
};

//===--- Right --------------------------------------------------------------===

void inOrder(Group pg, std::vector<at::Tensor> &params) {
  std::vector<Work> works;
  for (auto &p : params) {
    std::vector<at::Tensor> list = {p.grad()};
    works.push_back(pg->allreduce(list));
  }
  for (auto &work : works)
    work->wait();
  for (auto &p : params)
    p.grad().div_(pg->getSize());
}

void other(Group pg, at::Tensor p, at::Tensor q) {
  std::vector<at::Tensor> list = {p.grad()};
  auto work = pg->allreduce(list);
  p.mul_(2);
  q.grad().mul_(2);
  work->wait();
}

void parts(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list = {x.narrow(0, 0, 8)};
  auto work = pg->allreduce(list);
  x.narrow(0, 8, 8).mul_(2);
  work->wait();
}

void replaced(Group pg, at::Tensor p, at::Tensor g) {
  std::vector<at::Tensor> list = {p.grad()};
  auto work = pg->allreduce(list);
  p.mutable_grad() = g;
  p.grad().mul_(2);
  work->wait();
}

void pipelined(Group pg, at::Tensor x, int chunks, int n) {
  Work before;
  for (int i = 0; i < chunks; ++i) {
    std::vector<at::Tensor> list = {x.narrow(0, i * n, n)};
    Work work = pg->allreduce(list);
    if (i > 0) {
      before->wait();
      x.narrow(0, (i - 1) * n, n).mul_(2);
    }
    before = work;
  }
  before->wait();
  x.narrow(0, (chunks - 1) * n, n).mul_(2);
}

void rows(Group pg, at::Tensor x) {
  std::vector<at::Tensor> list = {x[0]};
  auto work = pg->allreduce(list);
  x[1].mul_(2);
  work->wait();
  x[0].mul_(2);
}
