// What is written to a view, or to a handle in a list, is written to what it
// is a view of or a handle to; what is written there is seen through the view.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <array>
#include <map>
#include <spmd/torch.h>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <vector>
using at::Tensor;

struct Reducer {
  [[spmd::axis("dp")]] c10::intrusive_ptr<c10d::ProcessGroup> pg;
  [[spmd::type("dp: V")]] Tensor momentum;
  std::vector<Tensor> kept;

  void norm([[spmd::type("dp: R")]] const Tensor &x);
  void sum(std::vector<Tensor> list) { pg->allreduce(list)->wait(); }
  Tensor flat(const Tensor &x) { return x.view({-1}); }

  // A bucket of gradients, flattened, reduced and copied back.
  void flush(std::vector<Tensor> &bucket) {
    std::vector<Tensor> one{torch::cat(bucket)};
    pg->allreduce(one)->wait();
    for (Tensor &t : bucket)
      t.copy_(one[0].view_as(t));
    bucket.clear();
  }
  void buckets([[spmd::type("dp: P -> dp: R")]] std::vector<Tensor> &grads) {
    std::vector<Tensor> bucket;
    for (Tensor &g : grads) {
      bucket.push_back(g);
      if (bucket.size() > 4)
        flush(bucket);
    }
    if (!bucket.empty())
      flush(bucket);
  }
  void keep(const Tensor &g) { kept.push_back(g); }
  void kept_for_later([[spmd::type("dp: P -> dp: R")]] std::vector<Tensor> &grads) {
    for (Tensor &g : grads)
      keep(g);
    pg->allreduce(kept)->wait();
  }
  void several([[spmd::type("dp: P -> dp: R")]] Tensor &a,
               [[spmd::type("dp: P -> dp: R")]] Tensor &b) {
    std::vector<Tensor> both{a, b};
    pg->allreduce(both)->wait();
  }
  void lists([[spmd::type("dp: P -> dp: R")]] std::vector<Tensor> &grads) {
    std::vector<std::vector<Tensor>> all;
    for (Tensor &g : grads)
      all.push_back({g.view({-1})});
    for (auto &list : all)
      pg->allreduce(list)->wait();
  }
  void one_by_one([[spmd::type("dp: P")]] std::vector<Tensor> &grads,
                  [[spmd::type("dp: P")]] Tensor a,
                  [[spmd::type("dp: P")]] Tensor b,
                  [[spmd::type("dp: P")]] Tensor c) {
    sum({grads[0]});
    sum({grads[1]});
    Tensor array[2] = {a, b};
    sum({array[0]});
    sum({array[1]});
    std::map<std::string, Tensor> by_name;
    by_name["a"] = c.clone();
    by_name["b"] = c.clone();
    sum({by_name.at("a")});
    sum({by_name.at("b")});
  }
  void parts([[spmd::type("dp: P -> dp: R")]] Tensor &g, int64_t n) {
    for (Tensor &part : g.split(n))
      sum({part});
  }
  void slices([[spmd::type("dp: P -> dp: R")]] Tensor &g, int64_t n) {
    for (int64_t i = 0; i < g.size(0); i += n)
      sum({g.slice(0, i, i + n)});
  }
  void flattened([[spmd::type("dp: P -> dp: R")]] Tensor &g,
                 [[spmd::type("dp: P -> dp: R")]] Tensor &h,
                 [[spmd::type("dp: P -> dp: R")]] Tensor &i,
                 [[spmd::type("dp: P -> dp: R")]] Tensor &j) {
    Tensor view = g.view({-1});
    sum({view});
    Tensor value = h.detach();
    sum({value});
    Tensor perhaps = i.reshape({-1});
    sum({perhaps});
    sum({flat(j)});
  }
  void gathered([[spmd::type("dp: V -> dp: R")]] Tensor &out,
                [[spmd::type("dp: V")]] Tensor x) {
    Tensor view = out.view({-1});
    pg->_allgather_base(view, x)->wait();
  }
  Tensor seen_through_it([[spmd::type("dp: P")]] Tensor &g) {
    Tensor view = g.view({-1});
    sum({g});
    return view.relu();
  }
  // What is put into a copy of a list is not put into the list.
  void copied([[spmd::type("dp: R")]] std::vector<Tensor> &weights,
              [[spmd::type("dp: P -> dp: R")]] std::vector<Tensor> &grads) {
    std::vector<Tensor> all = weights;
    all.push_back(momentum);
    norm(weights[0]);
    for (Tensor &g : grads)
      sum({g});
    std::vector<Tensor> state(grads);
    state.insert(state.end(), all.begin(), all.end());
  }
  // The part of the rank receives its part of the sum.
  void zero([[spmd::type("dp: R")]] Tensor &w,
            [[spmd::type("dp: P")]] Tensor &g, int64_t n) {
    Tensor mine = g.narrow(0, pg->getRank() * n, n);
    pg->_reduce_scatter_base(mine, g)->wait();
    momentum.mul_(0.9).add_(mine);
    Tensor part = w.narrow(0, pg->getRank() * n, n);
    part.sub_(momentum);
    pg->_allgather_base(w, part)->wait();
  }

  // CHECK: [[@LINE+1]]:44: error: parameter 'grads' on exit must be R on 'dp', but 'grads' is P{{.*}} [spmd-contract]
  void list_without_reduction([[spmd::type("dp: P -> dp: R")]] std::vector<Tensor> &grads) {
    std::vector<Tensor> bucket;
    for (Tensor &g : grads)
      bucket.push_back(g);
  }
  Tensor copied_and_pending([[spmd::type("dp: P")]] std::vector<Tensor> &grads) {
    std::vector<Tensor> all = grads;
    all.push_back(momentum);
    return grads[0].relu();
    // CHECK: [[@LINE-1]]:12: error: 'grads[0]' is P on 'dp' and enters the non-linear 'relu'{{.*}} [spmd-partial-nonlinear]
  }
  // But what is done to the tensors of the copy is done to those of the list.
  void copied_and_changed([[spmd::type("dp: R")]] std::vector<Tensor> &weights) {
    std::vector<Tensor> all = weights;
    all.push_back(momentum);
    for (Tensor &w : all)
      w.add_(momentum);
    // CHECK: [[@LINE-1]]:7: error: parameter 'weights' on exit must be R on 'dp', but 'weights' is V{{.*}} [spmd-contract]
  }
  void not_reduced([[spmd::type("dp: V")]] Tensor &x,
                   [[spmd::type("dp: P")]] Tensor &g, int64_t n) {
    Tensor mine = g.narrow(0, pg->getRank() * n, n);
    x.add_(mine);
    // CHECK: [[@LINE-1]]:5: error: {{.*}} [spmd-partial-add]
  }
  void twice([[spmd::type("dp: P")]] Tensor &g) {
    Tensor view = g.view({-1});
    sum({view});
    std::vector<Tensor> again{g};
    pg->allreduce(again)->wait();
    // CHECK: [[@LINE-1]]:5: error: all_reduce on 'dp' takes V or P, but 'again' is R or I{{.*}} [spmd-src-type]
  }
  void each_its_own([[spmd::type("dp: R")]] Tensor &w,
                    [[spmd::type("dp: V")]] const Tensor &x) {
    Tensor view = w.view({-1});
    view.add_(x);
    // CHECK: [[@LINE-1]]:5: error: parameter 'w' on exit must be R on 'dp', but 'w' is V{{.*}} [spmd-contract]
  }
  Tensor filled([[spmd::type("dp: P")]] const Tensor &g) {
    Tensor buffer = torch::zeros({100});
    Tensor part = buffer.narrow(0, 0, 10);
    part.copy_(g);
    return buffer.relu();
    // CHECK: [[@LINE-1]]:12: error: 'buffer' is P on 'dp' and enters the non-linear 'relu'{{.*}} [spmd-partial-nonlinear]
  }
  void updated([[spmd::type("dp: R")]] Tensor &w, // part of a rank, never gathered
               [[spmd::type("dp: V")]] const Tensor &x, int64_t n) {
    Tensor mine = w.narrow(0, pg->getRank() * n, n);
    mine.sub_(x);
    // CHECK: [[@LINE-1]]:5: error: parameter 'w' on exit must be R on 'dp', but 'w' is V{{.*}} [spmd-contract]
  }
  // No rank has all terms of its own part of a pending sum.
  Tensor part_alone([[spmd::type("dp: P")]] Tensor &g, int64_t n) {
    Tensor mine = g.narrow(0, pg->getRank() * n, n);
    std::vector<Tensor> list{mine};
    pg->allreduce(list)->wait();
    // CHECK: [[@LINE-1]]:5: error: 'list' is P on 'dp' and another part of it on each rank, and 'all_reduce' reads it: no rank has all terms of what it reads [spmd-partial-product]
    return mine;
  }
  Tensor part_copied([[spmd::type("dp: P")]] Tensor &g, int64_t n) {
    Tensor mine = g.narrow(0, pg->getRank() * n, n).view({-1});
    return mine * 0.5;
    // CHECK: [[@LINE-1]]:12: error: 'mine' is P on 'dp' and another part of it on each rank, and 'mul' reads it{{.*}} [spmd-partial-product]
  }
  // But it is a place to put the sum.
  void part_received([[spmd::type("dp: P")]] Tensor &g, int64_t n) {
    Tensor mine = g.narrow(0, pg->getRank() * n, n);
    Tensor flat = mine.view({-1});
    pg->_reduce_scatter_base(flat, g)->wait();
    momentum.mul_(0.9).add_(mine).add_(flat);
    Tensor shape = at::zeros_like(g.narrow(0, pg->getRank() * n, n));
  }
};
