// What a std::function of an object holds is called by its methods: in a
// member, or one of a list, of the function that has made the object.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <functional>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/torch.h>
#include <utility>
#include <vector>

struct One {
  std::function<void(int)> hook;
  void run(int n) {
    for (int i = 0; i < n; ++i)
      hook(i);
  }
};
struct Several {
  std::vector<std::function<void(int)>> hooks;
  void add(std::function<void(int)> f) { hooks.push_back(std::move(f)); }
  void run(int n) {
    for (int i = 0; i < n; ++i)
      for (auto &h : hooks)
        h(i);
  }
};

void inMember(c10d::ProcessGroup &pg) {
  One loop;
  loop.hook = [&](int) {
    if (pg.getRank() == 0)
      // CHECK: [[#@LINE+1]]:7: error: not all ranks get to this 'ProcessGroup::barrier'
      pg.barrier()->wait();
  };
  loop.run(3);
}
void inList(c10d::ProcessGroup &pg) {
  Several loop;
  loop.add([&](int i) {
    if (pg.getRank() == 0)
      // CHECK: [[#@LINE+1]]:7: error: not all ranks get to this 'ProcessGroup::barrier'
      pg.barrier()->wait();
  });
  loop.run(3);
}
void onAll(c10d::ProcessGroup &pg) {
  One one;
  one.hook = [&](int) { pg.barrier()->wait(); };
  one.run(3);
  Several several;
  several.add([&](int) { pg.barrier()->wait(); });
  several.run(3);
}
