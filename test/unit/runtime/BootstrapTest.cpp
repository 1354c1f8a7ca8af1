// What launchers say, and what is said of it when it cannot be right.

#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using ::testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

/// A process that was started with these variables of launchers, and no others.
class Bootstrap : public ::testing::Test {
protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }

  static void clear() {
    for (const char *Name : {"RANK",
                             "WORLD_SIZE",
                             "LOCAL_RANK",
                             "LOCAL_WORLD_SIZE",
                             "MASTER_ADDR",
                             "MASTER_PORT",
                             "TORCHELASTIC_RUN_ID",
                             "TORCHELASTIC_RESTART_COUNT",
                             "TORCHELASTIC_USE_AGENT_STORE",
                             "OMPI_COMM_WORLD_RANK",
                             "OMPI_COMM_WORLD_SIZE",
                             "OMPI_COMM_WORLD_LOCAL_RANK",
                             "OMPI_COMM_WORLD_LOCAL_SIZE",
                             "PMIX_NAMESPACE",
                             "SLURM_PROCID",
                             "SLURM_NTASKS",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_LOCALID",
                             "SLURM_JOB_ID",
                             "SLURM_STEP_ID",
                             "SLURM_RESTART_COUNT",
                             "SLURM_STEP_NODELIST",
                             "SLURM_JOB_NODELIST",
                             "SLURM_NODELIST",
                             "PMI_RANK",
                             "PMIX_RANK",
                             "SPMD_RENDEZVOUS"})
      unsetenv(Name);
  }

  static spmd::Job init(const Variables &Set) {
    clear();
    for (const auto &[Name, Value] : Set)
      setenv(Name.c_str(), Value.c_str(), 1);
    return spmd::init();
  }

  static std::string error(const Variables &Set) {
    try {
      init(Set);
    } catch (const spmd::Error &E) {
      return E.what();
    }
    return "no error";
  }

  static Variables changed(Variables Set, const std::string &Name,
                           const std::string &Value) {
    Set[Name] = Value;
    return Set;
  }

  static Variables without(Variables Set, const std::string &Name) {
    Set.erase(Name);
    return Set;
  }

  const Variables Torchrun = {{"RANK", "5"},
                              {"WORLD_SIZE", "8"},
                              {"LOCAL_RANK", "1"},
                              {"LOCAL_WORLD_SIZE", "4"},
                              {"MASTER_ADDR", "node01"},
                              {"MASTER_PORT", "29500"}};
  const Variables OpenMpi = {{"OMPI_COMM_WORLD_RANK", "3"},
                             {"OMPI_COMM_WORLD_SIZE", "4"},
                             {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                             {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                             {"PMIX_NAMESPACE", "3271426049"}};
  const Variables Slurm = {{"SLURM_PROCID", "6"},
                           {"SLURM_NTASKS", "16"},
                           {"SLURM_STEP_NUM_TASKS", "8"},
                           {"SLURM_LOCALID", "2"},
                           {"SLURM_JOB_ID", "4711"},
                           {"SLURM_STEP_ID", "0"},
                           {"SLURM_STEP_NODELIST", "gpu[007-009,12],cpu1"}};
};

TEST_F(Bootstrap, ReadsTorchrun) {
  const spmd::Job J = init(Torchrun);
  EXPECT_EQ("torchrun", J.launcher());
  EXPECT_EQ(5, J.rank());
  EXPECT_EQ(8, J.size());
  EXPECT_EQ(1, J.localRank());
  EXPECT_EQ("tcp://node01:29500", J.rendezvous());
}

TEST_F(Bootstrap, LeavesThePortOfTorchrunsAgentAlone) {
  EXPECT_EQ("tcp://node01:29501",
            init(changed(Torchrun, "TORCHELASTIC_USE_AGENT_STORE", "True"))
                .rendezvous());
}

TEST_F(Bootstrap, ReadsOpenMpi) {
  const spmd::Job J = init(OpenMpi);
  EXPECT_EQ("Open MPI", J.launcher());
  EXPECT_EQ(3, J.rank());
  EXPECT_EQ(4, J.size());
  EXPECT_EQ(1, J.localRank());
  // Two hosts, and nothing says which has rank 0.
  EXPECT_EQ("", J.rendezvous());
  try {
    J.store();
    ADD_FAILURE();
  } catch (const spmd::Error &E) {
    EXPECT_STREQ("spmd::init: MASTER_ADDR is not set, expected the host of "
                 "rank 0, and in MASTER_PORT a free port there; "
                 "SPMD_RENDEZVOUS does as well",
                 E.what());
  }
  EXPECT_THAT(
      init(changed(OpenMpi, "OMPI_COMM_WORLD_LOCAL_SIZE", "4")).rendezvous(),
      testing::MatchesRegex("tcp://127.0.0.1:[23][0-9]{4}"));
}

TEST_F(Bootstrap, ReadsSlurm) {
  const spmd::Job J = init(Slurm);
  EXPECT_EQ("Slurm", J.launcher());
  EXPECT_EQ(6, J.rank());
  EXPECT_EQ(8, J.size());
  EXPECT_EQ(2, J.localRank());
  EXPECT_THAT(J.rendezvous(),
              testing::MatchesRegex("tcp://gpu007:[23][0-9]{4}"));
  const auto FirstOf = [&](const char *List) {
    const std::string At =
        init(changed(Slurm, "SLURM_STEP_NODELIST", List)).rendezvous();
    return At.substr(6, At.rfind(':') - 6);
  };
  EXPECT_EQ("login", FirstOf("login"));
  EXPECT_EQ("a1", FirstOf("a1,b[2-3]"));
  EXPECT_EQ("rack2-n04.local", FirstOf("rack[2-3]-n[04,06].local"));
}

TEST_F(Bootstrap, InnerLaunchersWin) {
  Variables Both = OpenMpi;
  Both.insert({{"SLURM_PROCID", "0"},
               {"SLURM_NTASKS", "2"},
               {"SLURM_LOCALID", "0"},
               {"SLURM_JOB_NODELIST", "n1"}});
  EXPECT_EQ("Open MPI", init(Both).launcher());
  Both = Torchrun;
  Both.insert(OpenMpi.begin(), OpenMpi.end());
  Both["TORCHELASTIC_RUN_ID"] = "none";
  EXPECT_EQ(5, init(Both).rank());
}

TEST_F(Bootstrap, AProcessByItselfIsAJobOfOne) {
  const spmd::Job J = init({});
  EXPECT_EQ("none", J.launcher());
  EXPECT_EQ(0, J.rank());
  EXPECT_EQ(1, J.size());
  J.store().set("a", "b");
  EXPECT_EQ("b", J.store().get("a"));
}

TEST_F(Bootstrap, MissingVariablesAreNamed) {
  EXPECT_EQ("spmd::init: WORLD_SIZE is not set, expected the number of ranks, "
            "at least 1, as RANK is '5'",
            error(without(Torchrun, "WORLD_SIZE")));
  EXPECT_EQ("spmd::init: RANK is not set, expected a rank from 0 to 7, as "
            "WORLD_SIZE is '8'",
            error(without(Torchrun, "RANK")));
  EXPECT_EQ("spmd::init: LOCAL_RANK is not set, expected a rank on this host "
            "from 0 to 3, as LOCAL_WORLD_SIZE is '4'",
            error(without(Torchrun, "LOCAL_RANK")));
  EXPECT_EQ("spmd::init: MASTER_PORT is not set, expected a port from 1 to "
            "65535, as MASTER_ADDR is 'node01'",
            error(without(Torchrun, "MASTER_PORT")));
  EXPECT_EQ("spmd::init: MASTER_ADDR is not set, expected the host of rank 0, "
            "as MASTER_PORT is '29500'",
            error(without(Torchrun, "MASTER_ADDR")));
  EXPECT_EQ("spmd::init: OMPI_COMM_WORLD_SIZE is not set, expected the number "
            "of ranks, at least 1, as OMPI_COMM_WORLD_RANK is '3'",
            error(without(OpenMpi, "OMPI_COMM_WORLD_SIZE")));
  EXPECT_THAT(error(without(Slurm, "SLURM_STEP_NODELIST")),
              HasSubstr("SLURM_STEP_NODELIST is not set, expected the nodes"));
}

TEST_F(Bootstrap, NumbersAreReadStrictly) {
  for (const char *Value : {"x", "8x", " 8", "-1", "+8", "0x8", "", "0", "8.0",
                            "99999999999999999999"})
    EXPECT_THAT(
        error(changed(Torchrun, "WORLD_SIZE", Value)),
        HasSubstr(std::string("WORLD_SIZE is '") + Value +
                  "', expected the number of ranks, at least 1, as RANK is"));
  for (const char *Value : {"0", "65536", "http"})
    EXPECT_THAT(error(changed(Torchrun, "MASTER_PORT", Value)),
                HasSubstr(std::string("MASTER_PORT is '") + Value +
                          "', expected a port from 1 to 65535"));
}

TEST_F(Bootstrap, ContradictionsNameBothVariables) {
  EXPECT_EQ("spmd::init: RANK is '8', expected a rank from 0 to 7, as "
            "WORLD_SIZE is '8'",
            error(changed(Torchrun, "RANK", "8")));
  EXPECT_EQ("spmd::init: LOCAL_RANK is '4', expected a rank on this host from "
            "0 to 3, as LOCAL_WORLD_SIZE is '4'",
            error(changed(Torchrun, "LOCAL_RANK", "4")));
  for (const char *Value : {"9", "0"})
    EXPECT_EQ(std::string("spmd::init: LOCAL_WORLD_SIZE is '") + Value +
                  "', expected the number of ranks on this host, from 1 to 8, "
                  "as WORLD_SIZE is '8'",
              error(changed(Torchrun, "LOCAL_WORLD_SIZE", Value)));
  Variables Both = OpenMpi;
  Both.insert({{"RANK", "0"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "0"}});
  EXPECT_EQ("spmd::init: RANK is '0', expected nothing or the same, as "
            "OMPI_COMM_WORLD_RANK is '3' under mpirun",
            error(Both));
  EXPECT_EQ("spmd::init: SLURM_PROCID is '8', expected a rank from 0 to 7, as "
            "SLURM_STEP_NUM_TASKS is '8'",
            error(changed(Slurm, "SLURM_PROCID", "8")));
}

TEST_F(Bootstrap, ListsOfNodesThatCannotBeReadAreNamed) {
  for (const char *List : {"gpu[", "gpu[a-b]", "gpu[1", "gpu[]", ",", "gpu]"})
    EXPECT_EQ(std::string("spmd::init: SLURM_STEP_NODELIST is '") + List +
                  "', expected a list of nodes, as in 'node[03-07,9],gpu1'",
              error(changed(Slurm, "SLURM_STEP_NODELIST", List)));
}

TEST_F(Bootstrap, RendezvousWins) {
  EXPECT_EQ("file:///shared/run7",
            init(changed(Slurm, "SPMD_RENDEZVOUS", "file:///shared/run7"))
                .rendezvous());
  for (const char *Bad :
       {"node01:29500", "tcp://node01", "tcp://:1", "file://x",
        "tcp://node01:", "tcp://n:70000", "tcp://n:1x", "tcp://n:0",
        "tcp://n:-1", "tcp://n:1 ", "tcp://n :1", "tcp:// n:1", "tcp://a/b:1",
        "tcp://n:1:2", "udp://n:1", "file:///shared/run7 ", "file://", " "})
    EXPECT_EQ(std::string("spmd::init: SPMD_RENDEZVOUS is '") + Bad +
                  "', expected 'tcp://<host>:<port>' or 'file://<absolute "
                  "path>'",
              error(changed(Torchrun, "SPMD_RENDEZVOUS", Bad)));
}

TEST_F(Bootstrap, AHostIsAHostAlone) {
  for (const char *Bad : {"node01 ", " node01", "node01:29500", "tcp://node01",
                          "node01/", "no de", "[::1]:1"})
    EXPECT_EQ(std::string("spmd::init: MASTER_ADDR is '") + Bad +
                  "', expected the host of rank 0, its name or address alone",
              error(changed(Torchrun, "MASTER_ADDR", Bad)));
  EXPECT_EQ("tcp://::1:29500",
            init(changed(Torchrun, "MASTER_ADDR", "::1")).rendezvous());
}

// Each process would take itself for a job of one, and train alone.
TEST_F(Bootstrap, ARankThatIsMissingIsNoJobOfOne) {
  EXPECT_EQ("spmd::init: RANK is '', expected this process's rank, or no such "
            "variable",
            error({{"RANK", ""}}));
  EXPECT_EQ("spmd::init: SLURM_PROCID is '', expected this process's rank, or "
            "no such variable",
            error({{"SLURM_PROCID", ""}}));
  for (const char *Name : {"LOCAL_RANK", "LOCAL_WORLD_SIZE", "SPMD_RENDEZVOUS",
                           "PMI_RANK", "PMIX_RANK"})
    EXPECT_EQ(
        std::string("spmd::init: RANK is not set, expected this process's "
                    "rank, and in WORLD_SIZE how many there are, as ") +
            Name + " is '1', and no known launcher gives one",
        error({{Name, "1"}}));
}

TEST_F(Bootstrap, SlurmWithoutAStepIsSaid) {
  EXPECT_EQ(
      "spmd::init: SLURM_NTASKS is not set, expected the number of ranks, "
      "at least 1, as SLURM_PROCID is '0'; srun sets it",
      error({{"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}}));
}

/// The error of a rank that cannot come to the store.
std::string errorOfStore(const spmd::Job &J) {
  spmd::set_deadline(std::chrono::milliseconds(100));
  try {
    J.store();
  } catch (const spmd::Error &E) {
    spmd::set_deadline(std::chrono::milliseconds(0));
    return E.what();
  }
  spmd::set_deadline(std::chrono::milliseconds(0));
  return "no error";
}

TEST_F(Bootstrap, WhereRanksCannotMeetTheVariablesAreNamed) {
  const int Taken = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in A{};
  socklen_t Size = sizeof A;
  A.sin_family = AF_INET;
  A.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(0, bind(Taken, reinterpret_cast<sockaddr *>(&A), Size));
  getsockname(Taken, reinterpret_cast<sockaddr *>(&A), &Size);
  const std::string Port = std::to_string(ntohs(A.sin_port));
  const Variables Zero = {{"RANK", "0"},
                          {"WORLD_SIZE", "2"},
                          {"LOCAL_RANK", "0"},
                          {"MASTER_ADDR", "127.0.0.1"},
                          {"MASTER_PORT", Port}},
                  One = changed(Zero, "RANK", "1");
  const std::string Master = "MASTER_ADDR is '127.0.0.1' and MASTER_PORT is '" +
                             Port +
                             "', expected the host of rank 0 and a port "
                             "that is free there; RANK is '",
                    Once = "' of WORLD_SIZE '2', expected each rank once";
  EXPECT_EQ("spmd: cannot listen on 127.0.0.1:" + Port +
                ": Address already in use; " + Master + "0" + Once,
            errorOfStore(init(Zero)));
  EXPECT_EQ("spmd: rank 1 cannot connect to rank 0 at 127.0.0.1:" + Port +
                " within 100 ms: Connection refused; " + Master + "1" + Once,
            errorOfStore(init(One)));
  EXPECT_THAT(
      errorOfStore(
          init(changed(Zero, "SPMD_RENDEZVOUS", "tcp://127.0.0.1:" + Port))),
      HasSubstr(
          "Address already in use; SPMD_RENDEZVOUS is 'tcp://127.0.0.1:" +
          Port +
          "', expected the host of rank 0 and a port that is free there"));
  close(Taken);

  // torchrun's agent has a port of its own, before that one.
  Variables Agent = changed(One, "TORCHELASTIC_USE_AGENT_STORE", "True");
  Agent["MASTER_PORT"] = "1";
  EXPECT_THAT(errorOfStore(init(Agent)),
              testing::AllOf(HasSubstr("at 127.0.0.1:2 "),
                             HasSubstr("MASTER_PORT is '1', after which "
                                       "torchrun's agent leaves one free")));
  EXPECT_THAT(
      errorOfStore(
          init(changed(Slurm, "SLURM_STEP_NODELIST", "127.0.0.[1-2]"))),
      HasSubstr("; SLURM_STEP_NODELIST is '127.0.0.[1-2]', whose first node is "
                "to have rank 0, and the port is made of the job's id "
                "'4711.0'; set MASTER_ADDR and MASTER_PORT to the host of rank "
                "0 and a port that is free there; SLURM_PROCID is '6' of "
                "SLURM_STEP_NUM_TASKS '8', expected each rank once"));
  EXPECT_THAT(
      errorOfStore(init(changed(OpenMpi, "OMPI_COMM_WORLD_LOCAL_SIZE", "4"))),
      HasSubstr("; OMPI_COMM_WORLD_LOCAL_SIZE is '4', so that all ranks are on "
                "this host, and the port is made of the job's id "
                "'3271426049'; set MASTER_ADDR"));
}

TEST_F(Bootstrap, AFolderThatIsNoneIsNamedWithItsVariable) {
  const std::string File = testing::TempDir() + "spmd-no-folder";
  std::fclose(std::fopen(File.c_str(), "w"));
  for (const std::string Rank : {"0", "1"})
    for (const std::string &Path : {std::string("/proc"), File, File + "/in"}) {
      Variables Set = changed(Torchrun, "SPMD_RENDEZVOUS", "file://" + Path);
      Set["RANK"] = Rank;
      EXPECT_THAT(
          errorOfStore(init(Set)),
          testing::MatchesRegex(
              "spmd: a store cannot (make|write) " + Path +
              "[^:]*: [A-Z][^;]*; SPMD_RENDEZVOUS is 'file://" + Path +
              "', expected a folder that all ranks see and write to; RANK is "
              "'" +
              Rank + "' of WORLD_SIZE '8', expected each rank once"));
    }
  std::remove(File.c_str());
}

TEST_F(Bootstrap, AThreadOfRunLocalIsARank) {
  spmd::run_local(3, [](int Rank) {
    const spmd::Job J = spmd::init();
    EXPECT_EQ("run_local", J.launcher());
    EXPECT_EQ(Rank, J.rank());
    EXPECT_EQ(3, J.size());
    if (Rank == 2)
      J.store().set("id", "from rank 2");
    EXPECT_EQ("from rank 2", J.store().get("id"));
    float X = 1;
    all_reduce(spmd::View(&X, {}), J.mesh({{"dp", 3}}).axis("dp"), spmd::P,
               spmd::R);
    EXPECT_EQ(3, X);
  });
}

TEST_F(Bootstrap, AMeshHasAllRanksOfTheJob) {
  const spmd::Job J = init(Torchrun);
  EXPECT_EQ(1, J.mesh({{"dp", 2}, {"tp", 4}}).rank("tp"));
  try {
    J.mesh({{"dp", 2}, {"tp", 2}});
    ADD_FAILURE();
  } catch (const spmd::Error &E) {
    EXPECT_STREQ("spmd::Job::mesh: dp=2, tp=2 makes 4 ranks, the job has 8 "
                 "(torchrun)",
                 E.what());
  }
}

TEST(DeadlineDeathTest, ItsVariableIsReadStrictly) {
  // Read once in a process, so each in one of its own.
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const char *Bad :
       {"soon", "0", "-1", "10h", "1.5", "99999999999999999"}) {
    setenv("SPMD_DEADLINE", Bad, 1);
    EXPECT_EXIT(
        {
          try {
            spmd::deadline();
          } catch (const spmd::Error &E) {
            std::fputs(E.what(), stderr);
            std::_Exit(3);
          }
        },
        ::testing::ExitedWithCode(3),
        std::string("SPMD_DEADLINE is '") + Bad + "', expected seconds");
  }
  setenv("SPMD_DEADLINE", "1500ms", 1);
  EXPECT_EXIT(std::_Exit(spmd::deadline() == std::chrono::milliseconds(1500)),
              ::testing::ExitedWithCode(1), "");
  unsetenv("SPMD_DEADLINE");
}

} // namespace
