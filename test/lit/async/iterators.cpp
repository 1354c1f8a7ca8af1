// An iterator goes to another element in each round, forwards or backwards, of
// vectors of objects and of pointers to such.
// RUN: not %spmd-tidy %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <list>
#include <map>
#include <memory>
#include <mpi.h>
#include <vector>

struct Dense {
  float *g;
  int n;
  MPI_Request req;
  void start(MPI_Comm c) { MPI_Iallreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, c, &req); }
  // CHECK: [[#@LINE-1]]:28: error: 'g' is written by 'MPI_Iallreduce' while the 'MPI_Iallreduce' of line [[#@LINE-1]] may still use it: no wait for 'req' [spmd-async-hazard]
  // CHECK: [[#@LINE-2]]:28: error: all_reduce on 'dp' takes V or P, but 'g' is R or I
  void finish() { MPI_Wait(&req, MPI_STATUS_IGNORE); }
};
struct Net {
  [[spmd::axis("dp")]] MPI_Comm comm;
  std::vector<std::unique_ptr<Dense>> layers;
  std::vector<Dense> parts;
  std::list<Dense> listed;
  std::map<int, Dense> named;
  void backwards() {
    for (auto it = layers.rbegin(); it != layers.rend(); ++it)
      (*it)->start(comm);
    for (auto it = layers.begin(); it != layers.end(); ++it)
      (*it)->finish();
  }
  void ofObjects() {
    for (auto it = parts.begin(); it != parts.end(); ++it)
      it->start(comm);
    for (auto &p : parts)
      p.finish();
  }
  void byHand() {
    auto it = parts.begin();
    while (it != parts.end()) {
      it->start(comm);
      ++it;
    }
    for (auto &p : parts)
      p.finish();
  }
  void ofOthers() {
    for (auto it = listed.begin(); it != listed.end(); ++it)
      it->start(comm);
    for (auto &p : listed)
      p.finish();
    for (auto it = named.begin(); it != named.end(); ++it)
      it->second.start(comm);
    for (auto &p : named)
      p.second.finish();
  }
  // What is reported above is of this one.
  void theSameTwice() {
    for (auto it = parts.begin(); it != parts.end(); ++it) {
      it->start(comm);
      it->start(comm);
      it->finish();
    }
  }
};
// An element of an array behind a smart pointer is that array's.
struct Held {
  [[spmd::axis("dp")]] MPI_Comm comm;
  std::unique_ptr<float[]> g;
  float first(int n) {
    MPI_Request r;
    MPI_Iallreduce(MPI_IN_PLACE, g.get(), n, MPI_FLOAT, MPI_SUM, comm, &r);
    // CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: 'g.get()' is read by the host while the 'MPI_Iallreduce' of line [[#@LINE-1]] may still write it: no wait for 'r' [spmd-async-hazard]
    float x = g[0];
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return x;
  }
};
