// Conditions within each other, of which each may end the program, are looked
// at once each.
// RUN: %spmd-tidy --quiet %s -- -isystem %stubs-dir 2>&1 | count 0
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N1(B)                                                                                                          \
  if (argc > n++) {                                                                                                    \
    B                                                                                                                  \
  } else {                                                                                                             \
    printf("too few\n");                                                                                               \
    exit(1);                                                                                                           \
  }
#define N4(B) N1(N1(N1(N1(B))))
#define N16(B) N4(N4(N4(N4(B))))

int main(int argc, char **argv) {
  int n = 0;
  MPI_Init(&argc, &argv);
  N16(N16(MPI_Barrier(MPI_COMM_WORLD);))
  MPI_Finalize();
}
