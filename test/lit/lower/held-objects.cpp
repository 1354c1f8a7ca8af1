// What goes through tuples, new objects, variables that hold functions, maps
// with keys that are written out, and views at a rank's own place.
//
// RUN: not %spmd-tidy --no-cache %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <spmd/torch.h>
#include <torch/torch.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

using at::Tensor;

std::tuple<Tensor, Tensor> both(Tensor a, Tensor b) { return {a, b}; }
std::pair<Tensor, Tensor> made(Tensor a, Tensor b) {
  return std::make_pair(a, b);
}
Tensor twice(Tensor x) { return x * 2; }

struct Held {
  Tensor value;
  explicit Held(Tensor x) : value(std::move(x)) {}
  Tensor get() const { return value; }
};

struct Uses {
  [[spmd::axis("tp")]] spmd::Axis tp;
  [[spmd::type("tp: P")]] Tensor p;
  [[spmd::type("tp: I")]] Tensor i;
  [[spmd::type("tp: R")]] Tensor r;

  [[spmd::type("tp: I")]] Tensor tuple_bad() {
    auto [x, y] = both(p, i);
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Uses::tuple_bad' must be I on 'tp', but 'x' is P
    return x;
  }
  [[spmd::type("tp: I")]] Tensor tuple_ok() {
    auto [x, y] = both(p, i);
    return y;
  }
  [[spmd::type("tp: I")]] Tensor get_bad() {
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Uses::get_bad' must be I on 'tp'
    return std::get<0>(both(p, i));
  }
  [[spmd::type("tp: I")]] Tensor tied_bad() {
    Tensor x, y;
    std::tie(x, y) = both(p, i);
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Uses::tied_bad' must be I on 'tp'
    return x;
  }
  [[spmd::type("tp: I")]] Tensor pair_ok() { return made(p, i).second; }

  [[spmd::type("tp: I")]] Tensor shared_bad() {
    auto held = std::make_shared<Held>(p);
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Uses::shared_bad' must be I on 'tp'
    return held->get();
  }
  [[spmd::type("tp: I")]] Tensor new_bad() {
    std::unique_ptr<Held> held(new Held(p));
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Uses::new_bad' must be I on 'tp'
    return held->value;
  }
  [[spmd::type("tp: I")]] Tensor unique_ok() {
    auto held = std::make_unique<Held>(i);
    return held->get();
  }

  [[spmd::type("tp: I")]] Tensor function_bad() {
    std::function<Tensor(Tensor)> f = [](Tensor t) { return t * 2; };
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Uses::function_bad' must be I on 'tp'
    return f(p);
  }
  [[spmd::type("tp: I")]] Tensor captured_bad() {
    std::function<Tensor()> f = [this] { return p; };
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Uses::captured_bad' must be I on 'tp'
    return f();
  }
  [[spmd::type("tp: I")]] Tensor pointer_bad() {
    auto f = &twice;
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Uses::pointer_bad' must be I on 'tp'
    return f(p);
  }
  [[spmd::type("tp: I")]] Tensor assigned_ok(std::function<Tensor(Tensor)> g) {
    std::function<Tensor(Tensor)> f = twice;
    f = g;
    return f(p);
  }

  [[spmd::type("tp: I")]] Tensor map_bad() {
    std::map<std::string, Tensor> by_name;
    by_name["p"] = p;
    by_name["i"] = i;
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Uses::map_bad' must be I on 'tp'
    return by_name.at("p");
  }
  [[spmd::type("tp: I")]] Tensor map_ok() {
    std::map<std::string, Tensor> by_name;
    by_name["p"] = p;
    by_name["i"] = i;
    return by_name["i"];
  }
  // Which one it is nobody knows.
  [[spmd::type("tp: I")]] Tensor key_ok(const std::string &key) {
    std::map<std::string, Tensor> by_name;
    by_name["p"] = p;
    by_name["i"] = i;
    return by_name[key];
  }

  [[spmd::type("tp: R")]] Tensor part_bad() {
    Tensor x = r.clone();
    x.narrow(0, tp.rank(), 1).fill_(1);
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Uses::part_bad' must be R on 'tp', but 'x' is V
    return x;
  }
  [[spmd::type("tp: R")]] Tensor element_bad() {
    Tensor x = r.clone();
    x[tp.rank()] = 1;
    // CHECK: [[#@LINE+1]]:5: error: the value returned from 'Uses::element_bad' must be R on 'tp', but 'x' is V
    return x;
  }
  [[spmd::type("tp: R")]] Tensor loop_ok(int64_t n) {
    Tensor x = r.clone();
    for (int64_t k = 0; k < n; ++k)
      x.select(0, k).mul_(2);
    return x;
  }
};
