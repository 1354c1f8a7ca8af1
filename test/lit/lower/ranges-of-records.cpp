// Whose numbers each rank has for itself, of a list of structs that is said to
// differ, are its own by whatever name a loop has for a struct.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:

#include <mpi.h>
#include <vector>

struct Rating {
  int user, item;
  float value;
};
struct Edge {
  int from, to;
};
using Ratings = std::vector<Rating>;

struct Factors {
  [[spmd::axis("dp")]] MPI_Comm comm;
  [[spmd::type("dp: R")]] std::vector<float> u, v;

  void sum(std::vector<float> &d) {
    MPI_Allreduce(MPI_IN_PLACE, d.data(), (int)d.size(), MPI_FLOAT, MPI_SUM, comm);
    update(d);
  }
  void update(const std::vector<float> &d) {
    for (size_t i = 0; i < v.size(); i++)
      // CHECK: [[#@LINE+1]]:7: error: from here on 'v' is V on 'dp', and nothing makes it R again
      v[i] /= d[i];
  }

  void byReference([[spmd::type("dp: V")]] const Ratings &mine) {
    std::vector<float> d(v.size());
    for (const Rating &r : mine)
      d[r.item] += u[r.user] * u[r.user];
    sum(d);
  }
  void byValue([[spmd::type("dp: V")]] const Ratings &mine) {
    std::vector<float> d(v.size());
    for (auto r : mine)
      d[r.item] += u[r.user] * u[r.user];
    sum(d);
  }
  void taken([[spmd::type("dp: V")]] const Ratings &mine) {
    std::vector<float> d(v.size());
    for (const auto &[user, item, value] : mine)
      d[item] += u[user] * u[user];
    sum(d);
  }
  void byPointer([[spmd::type("dp: V")]] const Ratings &mine) {
    std::vector<float> d(v.size());
    for (const Rating *q = mine.data(); q != mine.data() + mine.size(); ++q)
      d[q->item] += u[q->user] * u[q->user];
    sum(d);
  }
  void wholeNumbers([[spmd::type("dp: V")]] const std::vector<Edge> &mine) {
    std::vector<float> d(v.size());
    for (const Edge &e : mine)
      d[e.to] += u[e.from] * u[e.from];
    sum(d);
  }
  void dropped([[spmd::type("dp: V")]] const Ratings &mine) {
    std::vector<float> d(v.size());
    for (const Rating &r : mine)
      d[r.item] += u[r.user] * u[r.user];
    update(d);
  }
};

// What is said of a parameter holds where nobody knows more of the argument.
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  Factors f{MPI_COMM_WORLD, std::vector<float>(400, 1), std::vector<float>(400, 1)};
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Ratings mine;
  std::vector<Edge> edges;
  for (int i = 0; i < 10; i++) {
    mine.push_back({rank * 10 + i, i, 1.f});
    edges.push_back({rank * 10 + i, i});
  }
  f.byReference(mine);
  f.byValue(mine);
  f.taken(mine);
  f.byPointer(mine);
  f.wholeNumbers(edges);
  MPI_Finalize();
}
