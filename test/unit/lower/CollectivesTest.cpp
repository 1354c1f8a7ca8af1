//===- CollectivesTest.cpp - Calls that communicate ---------------------===//

#include "Snippet.h"

#include <gtest/gtest.h>

using namespace spmd::lint;

TEST(LowerCollectives, TheRuntimesOperatorSaysBothTypes) {
  EXPECT_EQ(lowered(R"(
at::Tensor sum([[spmd::type("tp: P")]] at::Tensor x,
               [[spmd::axis("tp")]] spmd::Axis tp) {
  return spmd::all_reduce(x, tp, spmd::P, spmd::R);
}
)"),
            R"(
func @sum(%x: "tp: P", %tp axis "tp") {
  slot %P global as "spmd::P"
  slot %R global as "spmd::R"
  %4 = all_reduce %x on %tp from P to R
  return %4
}
)");
}

TEST(LowerCollectives, AGatherAlongADim) {
  EXPECT_EQ(lowered(R"cpp(
at::Tensor whole([[spmd::type("tp: S(1)")]] at::Tensor x,
                 [[spmd::axis("tp")]] spmd::Axis tp) {
  return spmd::all_gather(x, tp, spmd::S(1), spmd::R);
}
)cpp"),
            R"ir(
func @whole(%x: "tp: S(1)", %tp axis "tp") {
  slot %R global as "spmd::R"
  %3 = constant
  %4 = unknown
  %5 = all_gather %x on %tp from S(1) to R
  return %5
}
)ir");
}

TEST(LowerCollectives, OutPartialIsAFactOfItsOwn) {
  EXPECT_EQ(lowered(R"(
at::Tensor partial([[spmd::type("tp: V")]] at::Tensor x,
                   [[spmd::axis("tp")]] spmd::Axis tp) {
  return spmd::out_partial(x, tp);
}
)"),
            R"(
func @partial(%x: "tp: V", %tp axis "tp") {
  %2 = out_partial %x on %tp
  return %2
}
)");
}

TEST(LowerCollectives, AssertTypeStatesAType) {
  EXPECT_EQ(lowered(R"(
void check([[spmd::type("tp: V")]] at::Tensor x) {
  spmd::assert_type(x, "tp: V");
}
)"),
            R"(
func @check(%x: "tp: V") {
  require assert_type %x "tp: V" of "assert_type"
}
)");
}

TEST(LowerCollectives, MpiAllreduceFillsItsSecondBuffer) {
  EXPECT_EQ(lowered(R"(
void sum([[spmd::type("tp: P")]] float *x, float *y, int n,
         [[spmd::axis("tp")]] MPI_Comm comm) {
  MPI_Allreduce(x, y, n, MPI_FLOAT, MPI_SUM, comm);
}
)"),
            R"(
func @sum(%x: "tp: P", %y, %n, %comm axis "tp") {
  slot %MPI_FLOAT global
  slot %spmd_stub_mpi_op_sum global
  %6 = op own.copy(self=%n scalar)
  all_reduce %x on %comm into %y
  %7 = constant
}
)");
}

TEST(LowerCollectives, MpiInPlace) {
  EXPECT_EQ(lowered(R"(
void sum([[spmd::type("tp: P")]] float *x, int n,
         [[spmd::axis("tp")]] MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_SUM, comm);
}
)"),
            R"(
func @sum(%x: "tp: P", %n, %comm axis "tp") {
  slot %MPI_FLOAT global
  slot %spmd_stub_mpi_op_sum global
  %5 = constant
  %6 = op own.copy(self=%n scalar)
  all_reduce %x on %comm into %x
  %7 = constant
}
)");
}

TEST(LowerCollectives, AMaximumIsIdempotent) {
  EXPECT_EQ(lowered(R"(
void top([[spmd::type("tp: V")]] float *x, int n,
         [[spmd::axis("tp")]] MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_FLOAT, MPI_MAX, comm);
}
)"),
            R"(
func @top(%x: "tp: V", %n, %comm axis "tp") {
  slot %MPI_FLOAT global
  slot %spmd_stub_mpi_op_max global
  %5 = constant
  %6 = op own.copy(self=%n scalar)
  all_reduce %x on %comm with idempotent into %x
  %7 = constant
}
)");
}

TEST(LowerCollectives, MpiRankIsDefinedThroughItsAddress) {
  EXPECT_EQ(lowered(R"(
int mine([[spmd::axis("tp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
)"),
            R"(
func @mine(%comm axis "tp") {
  slot %rank local
  %rank = undefined
  %rank = rank_of %comm
  %2 = constant
  %3 = op own.copy(self=%rank scalar)
  return %3
}
)");
}

TEST(LowerCollectives, NcclAverage) {
  EXPECT_EQ(lowered(R"(
void mean([[spmd::type("tp: V")]] float *x, size_t n,
          [[spmd::axis("tp")]] ncclComm_t comm, cudaStream_t stream) {
  ncclAllReduce(x, x, n, ncclFloat, ncclAvg, comm, stream);
}
)"),
            R"(
func @mean(%x: "tp: V", %n, %comm axis "tp", %stream) {
  %4 = op own.copy(self=%n scalar)
  %5 = constant
  %6 = constant
  all_reduce %x on %comm with average into %x
  %7 = constant
}
)");
}

TEST(LowerCollectives, NcclReduceScatter) {
  EXPECT_EQ(lowered(R"(
void share([[spmd::type("tp: P")]] const float *x, float *y, size_t n,
           [[spmd::axis("tp")]] ncclComm_t comm, cudaStream_t stream) {
  ncclReduceScatter(x, y, n, ncclFloat, ncclSum, comm, stream);
}
)"),
            R"(
func @share(%x: "tp: P", %y, %n, %comm axis "tp", %stream) {
  %5 = op own.copy(self=%n scalar)
  %6 = constant
  %7 = constant
  reduce_scatter %x on %comm into %y
  %8 = constant
}
)");
}

TEST(LowerCollectives, AProcessGroupReducesAList) {
  EXPECT_EQ(lowered(R"(
void sum([[spmd::type("tp: P")]] at::Tensor x,
         [[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> group) {
  std::vector<at::Tensor> all{x};
  group->allreduce(all)->wait();
}
)"),
            R"(
func @sum(%x: "tp: P", %group axis "tp") {
  slot %all local
  %3 = undefined
  %3 = bind %x
  %all = bind %3
  all_reduce %all on %group into %all
  %4 = constant
  %5 = constant
  %6 = constant
}
)");
}

TEST(LowerCollectives, AProcessGroupKnowsItsRank) {
  EXPECT_EQ(lowered(R"(
int mine([[spmd::axis("tp")]] c10::intrusive_ptr<c10d::ProcessGroup> group) {
  return group->getRank();
}
)"),
            R"(
func @mine(%group axis "tp") {
  %1 = rank_of %group
  return %1
}
)");
}
