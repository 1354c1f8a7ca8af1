// Messages in loops of which nobody knows how many rounds they have: that such a
// loop may have none is no reason for messages in it to find each other.
// RUN: %spmd-tidy %s -- -isystem %stubs-dir
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir -DOTHER_TAG 2>&1 | FileCheck %s --check-prefix=TAG
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir -DONE_SIDE 2>&1 | FileCheck %s --check-prefix=SIDE
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir -DOPEN 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir -DSILENT_RANK 2>&1 | FileCheck %s --check-prefix=SILENT
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir -DLEAVES 2>&1 | FileCheck %s --check-prefix=LEAVES
// RUN: not %spmd-tidy %s -- -isystem %stubs-dir -DOTHER_TYPE 2>&1 | FileCheck %s --check-prefix=TYPE
#include <mpi.h>
#include <stdio.h>

enum { Left = 2, Right = 10, Epochs = 50 };

int main(int argc, char **argv) {
  float own[64], fromLeft[64], fromRight[64];
  int rank, size, n = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int left = rank == 0 ? size - 1 : rank - 1;
  int right = rank == size - 1 ? 0 : rank + 1;
#ifdef OPEN
  left = rank == 0 ? 0 : rank - 1;
#endif
  FILE *data = fopen(argv[1], "rb");
  for (int epoch = 0; epoch < Epochs; ++epoch) {
    rewind(data);
    while (fread(&n, sizeof(int), 1, data)) {
      MPI_Request r[2];
      float loss;
      fread(own, sizeof(float), n, data);
      fread(&loss, sizeof(float), 1, data);
#ifdef LEAVES
      if (rank == 0 && loss < 0.1f)
        break;
#endif
#ifdef SILENT_RANK
      r[0] = MPI_REQUEST_NULL;
      if (rank != 0)
#endif
        MPI_Issend(own, n, MPI_FLOAT, left, Right, MPI_COMM_WORLD, &r[0]);
#ifdef ONE_SIDE
      MPI_Issend(own, n, MPI_FLOAT, left, Left, MPI_COMM_WORLD, &r[1]);
#elif defined(OTHER_TAG)
      MPI_Issend(own, n, MPI_FLOAT, right, Right, MPI_COMM_WORLD, &r[1]);
#else
      MPI_Issend(own, n, MPI_FLOAT, right, Left, MPI_COMM_WORLD, &r[1]);
#endif
#ifdef OTHER_TYPE
      // TYPE: [[#@LINE+1]]:7: error: the datatype of this 'MPI_Recv' does not fit that of the 'MPI_Issend' on the other rank: {{.*}} [spmd-varying-metadata]
      MPI_Recv(fromLeft, n / 2, MPI_DOUBLE, left, Left, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
      // TAG: [[#@LINE+4]]:7: error: the tag of this 'MPI_Recv' does not fit that of the 'MPI_Issend' on the other rank: {{.*}} [spmd-varying-metadata]
      // OPEN: [[#@LINE+3]]:7: error: the tag of this 'MPI_Recv' does not fit that of the 'MPI_Issend' on the other rank: {{.*}} [spmd-varying-metadata]
      // SIDE: [[#@LINE+2]]:7: error: ranks wait for each other's messages in a cycle, and none goes on: with 3 ranks: rank 0 waits for rank 2 in MPI_Recv{{.*}} [spmd-collective-order]
      // SILENT: [[#@LINE+1]]:7: error: ranks wait for each other's messages in a cycle, and none goes on: with 3 ranks: {{.*}} [spmd-collective-order]
      MPI_Recv(fromLeft, n, MPI_FLOAT, left, Left, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
      MPI_Recv(fromRight, n, MPI_FLOAT, right, Right, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
  }
  // LEAVES: [[#@LINE+1]]:3: error: some ranks are in this 'MPI_Allreduce' and others in 'MPI_Recv', which do not match: {{.*}} [spmd-collective-order]
  MPI_Allreduce(MPI_IN_PLACE, own, 64, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
