// What a program has of the package: typed operators on ranks as threads.

#include <spmd/spmd.h>

#include <cstdio>

int main() {
  int Wrong = 0;
  spmd::run_local(2, [&](int Rank) {
    const spmd::Mesh Mesh({{"tp", 2}}, Rank);
    float X[4] = {1, 2, 3, 4}, Shard[2] = {};
    spmd::reduce_scatter(spmd::View(X, {4}), spmd::View(Shard, {2}),
                         Mesh.axis("tp"), spmd::P, spmd::S(0));
    if (Shard[0] != (Rank ? 6 : 2))
      Wrong = 1;
  });
  std::puts(Wrong ? "wrong sums" : "right sums");
  return Wrong;
}
