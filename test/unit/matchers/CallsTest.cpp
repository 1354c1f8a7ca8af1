//===- CallsTest.cpp - Matchers of calls and of bodies --------------------===//

#include "Matches.h"

using namespace clang;
using namespace clang::ast_matchers;
using namespace spmd::lint;
using namespace spmd::lint::matchers;

static auto inFunction(llvm::StringRef Name) {
  return hasAncestor(functionDecl(hasName(Name.str())));
}

//===--- Libraries ----------------------------------------------------------//

static constexpr llvm::StringLiteral Mpi = R"(
#include <mpi.h>
void sum(float *x, float *y, int n, [[spmd::axis("dp")]] MPI_Comm dp) {
  MPI_Allreduce(x, y, n, MPI_FLOAT, MPI_SUM, dp);
}
void send(float *x, int n, MPI_Comm comm) {
  MPI_Send(x, n, MPI_FLOAT, 0, 0, comm);
}
int rank(MPI_Comm comm) {
  int r;
  MPI_Comm_rank(comm, &r);
  return r;
}
double time() { return MPI_Wtime(); }
)";

TEST(CollectiveCall, OfMpi) {
  EXPECT_EQ(countMatches(Mpi, callExpr(collectiveCall())), 1u);
  EXPECT_TRUE(matches(Mpi, callExpr(collectiveCall(), inFunction("sum"))));
  EXPECT_TRUE(matches(Mpi, callExpr(collectiveCall("all_reduce"))));
  EXPECT_TRUE(notMatches(Mpi, callExpr(collectiveCall("broadcast"))));
  EXPECT_TRUE(notMatches(Mpi, callExpr(collectiveCall("send"))));
}

TEST(CommunicationCall, IsWhateverIsNotLocal) {
  EXPECT_TRUE(matches(Mpi, callExpr(communicationCall(), inFunction("send"))));
  EXPECT_TRUE(matches(Mpi, callExpr(communicationCall(), inFunction("rank"))));
  EXPECT_TRUE(
      notMatches(Mpi, callExpr(communicationCall(), inFunction("time"))));
}

TEST(CollectiveCall, OfNccl) {
  EXPECT_TRUE(matches(R"(
#include <nccl.h>
void f(float *x, size_t n, ncclComm_t c, cudaStream_t s) {
  ncclReduceScatter(x, x, n, ncclFloat, ncclSum, c, s);
}
)",
                      callExpr(collectiveCall("reduce_scatter"))));
}

TEST(CollectiveCall, OfAProcessGroup) {
  EXPECT_TRUE(matches(R"(
#include <c10d/ProcessGroup.hpp>
void f(c10::intrusive_ptr<c10d::ProcessGroup> g, std::vector<at::Tensor> x) {
  g->allreduce(x);
}
)",
                      cxxMemberCallExpr(collectiveCall("all_reduce"))));
}

TEST(CollectiveCall, OfAFunctionThatOnlyHasTheName) {
  EXPECT_TRUE(notMatches(R"(
namespace mine { void ncclAllReduce(float *); }
void f(float *x) { mine::ncclAllReduce(x); }
)",
                         callExpr(collectiveCall())));
}

TEST(CollectiveCall, ByTablesOfTheUsers) {
  spmd::rules::CollectiveApis Apis(spmd::rules::CollectiveApis::builtin());
  llvm::cantFail(Apis.addYAML({R"(
- api: house
  calls:
    - call: house::total
      kind: all_reduce
      arguments: buffer, count, comm
)",
                               "house.yaml"}));
  constexpr llvm::StringLiteral Code = R"(
namespace house { void total(float *, int, int); }
void f(float *x) { house::total(x, 4, 0); }
)";
  EXPECT_TRUE(notMatches(Code, callExpr(collectiveCall())));
  EXPECT_TRUE(matches(Code, callExpr(collectiveCall(&Apis))));
  EXPECT_TRUE(matches(Code, callExpr(communicationCall(&Apis))));
}

TEST(HasCallRole, IsAnArgument) {
  const auto OnDp = hasCallRole(
      "comm", ignoringImpCasts(declRefExpr(to(decl(spmdAxis("dp"))))));
  EXPECT_EQ(countMatches(Mpi, callExpr(OnDp)), 1u);
  EXPECT_TRUE(matches(Mpi, callExpr(collectiveCall(), OnDp)));
  EXPECT_TRUE(notMatches(Mpi, callExpr(hasCallRole("root", expr()))));
}

//===--- Training -----------------------------------------------------------//

static constexpr llvm::StringLiteral Training = R"(
#include <spmd/torch.h>
#include <torch/torch.h>
void train(torch::optim::SGD &sgd, at::Tensor loss, spmd::Axis dp) {
  sgd.zero_grad();
  loss.backward();
  at::Tensor sum = spmd::all_reduce(loss, dp, spmd::P, spmd::R);
  sgd.step();
}
)";

TEST(OptimizerStep, IsNoOtherMethod) {
  EXPECT_EQ(countMatches(Training, callExpr(optimizerStep())), 1u);
  EXPECT_TRUE(matches(
      Training, cxxMemberCallExpr(optimizerStep(),
                                  callee(functionDecl(hasName("step"))))));
  EXPECT_TRUE(notMatches(R"(
struct Clock { void step(); };
void tick(Clock c) { c.step(); }
)",
                         callExpr(optimizerStep())));
}

TEST(BackwardCall, BeginsAtItsLoss) {
  EXPECT_EQ(countMatches(Training, callExpr(backwardCall())), 1u);
  EXPECT_TRUE(
      matches(Training, callExpr(backwardCall(ignoringImpCasts(
                            declRefExpr(to(varDecl(hasName("loss")))))))));
  EXPECT_TRUE(
      notMatches(Training, callExpr(backwardCall(ignoringImpCasts(
                               declRefExpr(to(varDecl(hasName("sgd")))))))));
}

TEST(TypedOperatorCall, IsOfTheRuntime) {
  EXPECT_EQ(countMatches(Training, callExpr(typedOperatorCall())), 1u);
  EXPECT_TRUE(notMatches(Mpi, callExpr(typedOperatorCall())));
}

//===--- Bodies -------------------------------------------------------------//

TEST(OwnBody, IsOfNoTemplateAndNotTheCompilers) {
  constexpr llvm::StringLiteral Code = R"(
int declared();
int defined() { return 1; }
struct S { S() = default; S(const S &); int get() { return 2; } };
template <typename T> T same(T x) { return x; }
int used() { return same(3); }
)";
  // `defined`, `S::get`, `same<int>` and `used`.
  EXPECT_EQ(countMatches(Code, functionDecl(ownBody())), 4u);
  EXPECT_TRUE(notMatches(Code, cxxConstructorDecl(ownBody())));
}

TEST(OwnBody, OfALambda) {
  EXPECT_TRUE(matches("void f() { auto g = [](int x) { return x; }; g(1); }",
                      cxxMethodDecl(ownBody(), hasName("operator()"))));
}

TEST(CallOperator, OfALambda) {
  constexpr llvm::StringLiteral Code = R"(
auto f = [] [[spmd::global]] (float *x) {};
auto g = [](float *x) {};
)";
  EXPECT_EQ(
      countMatches(Code, lambdaExpr(callOperator(cxxMethodDecl(spmdGlobal())))),
      1u);
}

TEST(MeshType, IsTheRuntimes) {
  EXPECT_TRUE(matches("#include <spmd/spmd.h>\nextern spmd::Mesh mesh;",
                      varDecl(hasName("mesh"), hasType(meshType()))));
  EXPECT_TRUE(
      notMatches("struct Mesh {}; Mesh mesh;", varDecl(hasType(meshType()))));
}
