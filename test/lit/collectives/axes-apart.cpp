// Ranks that wait on one axis are not met on another, where both are declared:
// a file with barriers alone is looked at, too.
// RUN: not %spmd-tidy --quiet %s -- %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %spmd-tidy --strict %s -- %stubs -DUNNAMED=1 2>&1 | FileCheck %s --check-prefix=UNNAMED --implicit-check-not=error:

#include <spmd/spmd.h>

#include <mpi.h>

#ifdef UNNAMED
#define AXIS(name)
#else
#define AXIS(name) [[spmd::axis(name)]]
#endif

struct Parallel {
  AXIS("dp") spmd::Axis dp;
  AXIS("tp") spmd::Axis tp;
};

static void meet(const Parallel &p) {
  // CHECK: [[#@LINE+3]]:5: error: not all ranks get to this 'spmd::barrier', and those that do wait for the others: with 2 ranks: rank 0 waits in spmd::barrier, line [[#@LINE+3]]; rank 1 is at its end [spmd-divergent-collective]
  // UNNAMED: [[#@LINE+2]]:5: warning: not all calls that cannot match are found in 'save', as ranks wait in this 'spmd::barrier'
  if (p.tp.rank() == 0)
    spmd::barrier(p.tp);
  spmd::barrier(p.dp);
}

void save(const Parallel &p) {
  meet(p);
  meet(p);
}

// One that may be the same waits for the same ranks, perhaps.
void withAnother(const Parallel &p, const spmd::Axis &another) {
  if (p.tp.rank() == 0)
    spmd::barrier(p.tp);
  else
    spmd::barrier(another);
}

// All ranks of tp go the same way, which is not that of others on dp.
void ofOneStage(const Parallel &p) {
  if (p.dp.rank() == 0)
    spmd::barrier(p.tp);
}

// Two members on one axis are one axis.
struct Up {
  AXIS("tp") spmd::Axis tp;
  AXIS("dp") spmd::Axis dp;
};
struct Down {
  AXIS("tp") spmd::Axis tp;
};
void throughBoth(const Up &up, const Down &down, float *x) {
  // CHECK: [[#@LINE+2]]:5: error: not all ranks get to this 'spmd::all_reduce', and those that do wait for the others: with 2 ranks: rank 0 waits in spmd::all_reduce, line [[#@LINE+2]]; rank 1 waits in spmd::barrier
  if (up.tp.rank() == 0)
    spmd::all_reduce(spmd::View(x, {1}), up.tp, spmd::P, spmd::R);
  spmd::barrier(down.tp);
}

// Two communicators on one axis are two: leaders, and those of a node.
struct Nodes {
  AXIS("dp") MPI_Comm inside;
  AXIS("dp") MPI_Comm leaders;
};
void inSteps(const Nodes &nodes, float *x) {
  int rank;
  MPI_Comm_rank(nodes.inside, &rank);
  if (rank == 0)
    MPI_Barrier(nodes.leaders);
  MPI_Bcast(x, 1, MPI_FLOAT, 0, nodes.inside);
}
