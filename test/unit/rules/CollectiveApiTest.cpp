//===- CollectiveApiTest.cpp - Tables of communication calls --------------===//

#include "spmd/ops/CollectiveApi.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// What reading \p Text complains about; empty when it is read.
std::string errorOf(llvm::StringRef Text) {
  CollectiveApis Apis;
  return llvm::toString(Apis.addYAML({Text, "my.yaml"}));
}

CollectiveApis read(llvm::StringRef Text) {
  CollectiveApis Apis;
  llvm::cantFail(Apis.addYAML({Text, "my.yaml"}));
  return Apis;
}

TEST(CollectiveApi, FindsCallsUnderAllTheirNames) {
  const CollectiveApis &Apis = CollectiveApis::builtin();
  for (llvm::StringRef Name :
       {"MPI_Allreduce", "PMPI_Allreduce", "MPI_Allreduce_c", "ncclAllReduce",
        "pncclAllReduce", "c10d::ProcessGroup::allreduce",
        "c10d::ProcessGroupNCCL::allreduce", "c10d::Backend::allreduce",
        "c10d::all_reduce", "::c10d::ops::allreduce"}) {
    const CollectiveCall *Call = Apis.find(Name);
    ASSERT_TRUE(Call) << Name.str();
    EXPECT_EQ(Call->Kind, CallKind::AllReduce) << Name.str();
    EXPECT_TRUE(Call->has(CallRole::Comm)) << Name.str();
  }
  EXPECT_FALSE(Apis.find("MPI_Allreducex"));
  EXPECT_FALSE(Apis.find("my::ncclAllReduce"));
  EXPECT_FALSE(Apis.find("c10d::Store::barrier"));
}

TEST(CollectiveApi, FormsOfACallTakeARequest) {
  const CollectiveApis &Apis = CollectiveApis::builtin();
  const CollectiveCall *Blocking = Apis.find("MPI_Reduce");
  const CollectiveCall *Nonblocking = Apis.find("MPI_Ireduce");
  const CollectiveCall *Persistent = Apis.find("MPI_Reduce_init_c");
  ASSERT_TRUE(Blocking && Nonblocking && Persistent);
  EXPECT_EQ(Blocking->Form, CallForm::Blocking);
  EXPECT_EQ(Nonblocking->Form, CallForm::Nonblocking);
  EXPECT_EQ(Persistent->Form, CallForm::Persistent);
  EXPECT_EQ(Nonblocking->argument(CallRole::Request),
            Blocking->Arguments.size());
  EXPECT_EQ(Persistent->argument(CallRole::Request),
            Blocking->Arguments.size() + 1);
  EXPECT_EQ(Apis.find("ncclReduce")->Form, CallForm::OnStream);
  EXPECT_EQ(Apis.find("MPI_Send_init")->Form, CallForm::Persistent);
  EXPECT_EQ(Apis.find("MPI_Waitall")->Form, CallForm::Blocking);
  EXPECT_EQ(Apis.find("c10d::ProcessGroup::reduce")->Form,
            CallForm::Nonblocking);
}

TEST(CollectiveApi, KnowsWhatConstantsMean) {
  const CollectiveApis &Apis = CollectiveApis::builtin();
  EXPECT_EQ(Apis.constant("MPI_SUM"), CallConstant::Sum);
  EXPECT_EQ(Apis.constant("ncclAvg"), CallConstant::Average);
  EXPECT_EQ(Apis.constant("MPI_COMM_WORLD"), CallConstant::World);
  EXPECT_FALSE(Apis.constant("MPI_FLOAT"));
  EXPECT_EQ(Apis.find("ncclAllGather")->Api->Datatypes.lookup("ncclFloat"),
            "float");
}

/// Whoever matches calls of different ranks reads these.
TEST(CollectiveApi, AllCollectivesTellWhatTheyAreOver) {
  for (const CollectiveApi &Api : CollectiveApis::builtin().all())
    for (const CollectiveCall &Call : Api.Calls) {
      if (Call.Kind > CallKind::SendRecv)
        continue;
      EXPECT_TRUE(Call.has(CallRole::Comm)) << Call.Name;
      const bool Rooted =
          Call.Kind == CallKind::Broadcast || Call.Kind == CallKind::Reduce ||
          Call.Kind == CallKind::Gather || Call.Kind == CallKind::Scatter;
      EXPECT_EQ(Rooted, Call.has(CallRole::Root) ||
                            (Rooted && Call.has(CallRole::Options)))
          << Call.Name;
    }
}

TEST(CollectiveApi, ReadsAHousesOwn) {
  CollectiveApis Apis(CollectiveApis::builtin());
  llvm::cantFail(Apis.addYAML({R"yaml(
- api: house
  constants: {kLargest: max}
  calls:
    - {call: Comm::reduce_max, kind: all_reduce, receiver: comm, arguments: buffer, op: max}
    - {call: house::tp_sum, kind: all_reduce, arguments: send, returns: recv, axis: "(tp,cp)"}
    - {call: ncclAllReduce, kind: barrier, arguments: comm}
)yaml",
                               "my.yaml"}));
  EXPECT_EQ(Apis.constant("kLargest"), CallConstant::Max);
  const CollectiveCall *Max = Apis.find("Comm::reduce_max");
  ASSERT_TRUE(Max);
  EXPECT_EQ(Max->Receiver, CallRole::Comm);
  EXPECT_EQ(Max->Op, CallConstant::Max);
  EXPECT_EQ(Max->Api->Name, "house");
  const CollectiveCall *Sum = Apis.find("house::tp_sum");
  ASSERT_TRUE(Sum);
  EXPECT_EQ(Sum->Axes, (std::vector<std::string>{"tp", "cp"}));
  EXPECT_EQ(Sum->Returns, CallRole::Recv);
  // The later entry wins, in the copy alone.
  EXPECT_EQ(Apis.find("ncclAllReduce")->Kind, CallKind::Barrier);
  EXPECT_EQ(CollectiveApis::builtin().find("ncclAllReduce")->Kind,
            CallKind::AllReduce);
}

TEST(CollectiveApi, PrefixesMayBePatterns) {
  const CollectiveApis Apis = read(R"(
- api: house
  prefixes: ["house::*Group::"]
  receiver: comm
  calls:
    - {call: AllReduce, kind: all_reduce, arguments: buffer}
    - {call: "::house::meet", kind: barrier, arguments: comm, receiver: _}
)");
  EXPECT_TRUE(Apis.find("house::TensorGroup::AllReduce"));
  EXPECT_TRUE(Apis.find("house::meet"));
  EXPECT_FALSE(Apis.find("house::AllReduce"));
}

TEST(CollectiveApi, SaysWhereAMistakeIs) {
  EXPECT_EQ(errorOf("- api: a\n  cals: []\n"),
            "my.yaml:2:3: error: unknown key 'cals'; the nearest is 'calls'");
  EXPECT_EQ(errorOf("- calls: []\n"),
            "my.yaml:1:3: error: expected the key 'api' in this entry");
  const auto Call = [](llvm::StringRef Text) {
    return errorOf(("- api: a\n  calls:\n    - {" + Text + "}\n").str());
  };
  EXPECT_EQ(Call("kind: barrier"),
            "my.yaml:3:8: error: expected the key 'call' in this entry");
  EXPECT_EQ(Call("call: f"),
            "my.yaml:3:8: error: expected the key 'kind' in the entry of 'f'");
  EXPECT_EQ(Call("call: f, kind: allreduce"),
            "my.yaml:3:23: error: unknown kind of call 'allreduce'; the "
            "nearest is 'all_reduce'");
  EXPECT_EQ(Call("call: f, kind: barrier, arguments: \"com, _\""),
            "my.yaml:3:44: error: unknown role 'com'; the nearest is 'comm'");
  EXPECT_EQ(Call("call: f, kind: barrier"),
            "my.yaml:3:8: error: 'f' is of kind 'barrier', which needs a "
            "communicator: 'comm', or the key 'axis'");
  EXPECT_EQ(Call("call: f, kind: all_reduce, arguments: \"send, comm\""),
            "my.yaml:3:8: error: 'f' is of kind 'all_reduce', which needs "
            "'send' and 'recv', or 'buffer'");
  EXPECT_EQ(Call("call: f, kind: barrier, arguments: comm, op: world"),
            "my.yaml:3:53: error: unknown reduction 'world'; the nearest is "
            "'or'");
  EXPECT_EQ(Call("call: [f, f], kind: barrier, arguments: comm"),
            "my.yaml:3:18: error: 'f' is already defined in this document");
  EXPECT_EQ(errorOf("- api: a\n  constants: {X: largest}\n"),
            "my.yaml:2:18: error: unknown meaning of a constant 'largest'; "
            "the nearest is 'and'");
  EXPECT_EQ(errorOf("call: f\n"),
            "my.yaml:1:1: error: expected a list of entries '- api: …'");
}

} // namespace
