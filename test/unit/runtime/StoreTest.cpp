// Stores: threads that come from outside, as processes would. Loopback only.

#include "../../../runtime/lib/bootstrap/Secret.h"

#include <spmd/spmd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <filesystem>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A descriptor of ours on loopback, listening or connected, and its port.
struct Local {
  explicit Local(int ConnectTo = 0) : Fd(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in A{};
    A.sin_family = AF_INET;
    A.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    A.sin_port = htons(static_cast<std::uint16_t>(ConnectTo));
    socklen_t Size = sizeof A;
    if (ConnectTo) {
      EXPECT_EQ(0, connect(Fd, reinterpret_cast<sockaddr *>(&A), Size));
      return;
    }
    EXPECT_EQ(0, bind(Fd, reinterpret_cast<sockaddr *>(&A), Size));
    EXPECT_EQ(0, listen(Fd, 4));
    getsockname(Fd, reinterpret_cast<sockaddr *>(&A), &Size);
    Port = ntohs(A.sin_port);
  }
  ~Local() { close(Fd); }
  int Fd, Port = 0;
};

int freePort() { return Local().Port; }

/// Each rank's error, "" where there was none.
std::vector<std::string> onRanks(int Count,
                                 const std::function<void(int)> &Body) {
  std::vector<std::string> Texts(static_cast<std::size_t>(Count));
  std::vector<std::thread> All;
  for (int Rank = 0; Rank < Count; ++Rank)
    All.emplace_back([&, Rank] {
      try {
        Body(Rank);
      } catch (const spmd::Error &E) {
        Texts[static_cast<std::size_t>(Rank)] = E.what();
      }
    });
  for (std::thread &T : All)
    T.join();
  return Texts;
}

class Stores : public ::testing::Test {
protected:
  Stores() { spmd::set_deadline(std::chrono::seconds(60)); }
  ~Stores() override { spmd::set_deadline(milliseconds(0)); }

  std::string folder() const {
    return (std::filesystem::temp_directory_path() /
            ("spmd-store-" + std::to_string(getpid())))
        .string();
  }

  /// All ranks see what each has set, and leave together.
  static void exchange(spmd::Store &S, int Rank, int Size) {
    const auto Key = [](int R) { return "a key/of " + std::to_string(R); };
    S.set(Key(Rank), std::string(3, '\0') + std::to_string(Rank));
    for (int R = 0; R < Size; ++R)
      EXPECT_EQ(std::string(3, '\0') + std::to_string(R), S.get(Key(R)));
    if (Rank == 0)
      S.set("large", std::string(1 << 20, 'x'));
    EXPECT_EQ(std::size_t(1 << 20), S.get("large").size());
    S.barrier("end", Rank, Size);
  }
};

TEST_F(Stores, TcpRanksSeeTheSame) {
  for (const char *Host : {"127.0.0.1", "localhost"}) {
    const int Port = freePort();
    EXPECT_THAT(onRanks(5,
                        [&](int Rank) {
                          const auto S = spmd::tcp_store(Host, Port, Rank, 5);
                          exchange(*S, Rank, 5);
                        }),
                testing::Each(""));
  }
}

TEST_F(Stores, TcpRanksMayComeBeforeRankZero) {
  const int Port = freePort();
  EXPECT_THAT(onRanks(3,
                      [&](int Rank) {
                        if (Rank == 0)
                          std::this_thread::sleep_for(milliseconds(200));
                        const auto S =
                            spmd::tcp_store("127.0.0.1", Port, Rank, 3, "j");
                        exchange(*S, Rank, 3);
                      }),
              testing::Each(""));
}

TEST_F(Stores, WhatNobodySetsIsNamed) {
  const int Port = freePort();
  spmd::set_deadline(milliseconds(300));
  const auto Texts = onRanks(2, [&](int Rank) {
    const auto S = spmd::tcp_store("127.0.0.1", Port, Rank, 2);
    if (Rank == 0)
      std::this_thread::sleep_for(milliseconds(600));
    S->get("nccl id");
  });
  EXPECT_THAT(Texts, testing::Each("spmd::Store: nobody has set 'nccl id' "
                                   "within 300 ms"));
}

TEST_F(Stores, RankZeroNamesWhoHasNotCome) {
  const int Port = freePort();
  spmd::set_deadline(milliseconds(300));
  std::atomic<bool> Done{false};
  const auto Texts = onRanks(4, [&](int Rank) {
    if (Rank == 1 || Rank == 3)
      return;
    const auto S = spmd::tcp_store("127.0.0.1", Port, Rank, 4);
    if (Rank == 0)
      try {
        S->get("x");
      } catch (...) {
        Done = true;
        throw;
      }
    while (!Done)
      std::this_thread::sleep_for(milliseconds(10));
  });
  EXPECT_EQ("spmd::Store: nobody has set 'x' within 300 ms; rank 1, rank 3 "
            "have not come to it",
            Texts[0]);
}

TEST_F(Stores, NobodyListeningIsAnErrorWithinTheDeadline) {
  spmd::set_deadline(milliseconds(200));
  const int Port = freePort();
  const auto Start = std::chrono::steady_clock::now();
  try {
    spmd::tcp_store("127.0.0.1", Port, 1, 2);
    ADD_FAILURE();
  } catch (const spmd::Error &E) {
    EXPECT_EQ("spmd: rank 1 cannot connect to rank 0 at 127.0.0.1:" +
                  std::to_string(Port) + " within 200 ms: Connection refused",
              E.what());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - Start, std::chrono::seconds(5));
}

TEST_F(Stores, AHostThatIsSilentIsAnErrorWithinTheDeadline) {
  spmd::set_deadline(milliseconds(200));
  const Local Silent;
  EXPECT_THAT(onRanks(2,
                      [&](int Rank) {
                        if (Rank == 1)
                          spmd::tcp_store("127.0.0.1", Silent.Port, 1, 2);
                      })[1],
              AllOf(HasSubstr("the store of rank 0 at 127.0.0.1:"),
                    HasSubstr("time is up")));
}

TEST_F(Stores, APortThatIsTakenIsNamed) {
  const Local Taken;
  try {
    spmd::tcp_store("127.0.0.1", Taken.Port, 0, 2);
    ADD_FAILURE();
  } catch (const spmd::Error &E) {
    EXPECT_EQ("spmd: cannot listen on 127.0.0.1:" + std::to_string(Taken.Port) +
                  ": Address already in use",
              std::string(E.what()));
  }
}

TEST_F(Stores, RanksThatDoNotFitAreTurnedAway) {
  const int Port = freePort();
  const auto Serving = spmd::tcp_store("127.0.0.1", Port, 0, 3, "run7");
  const auto Refused = [&](int Rank, int Size, const char *Id) {
    return onRanks(
        1, [&](int) { spmd::tcp_store("127.0.0.1", Port, Rank, Size, Id); })[0];
  };
  EXPECT_THAT(Refused(1, 4, "run7"),
              HasSubstr("rank 0 says that there are 3 ranks, rank 1 says 4"));
  EXPECT_THAT(Refused(1, 3, "run8"),
              AllOf(HasSubstr("rank 0 belongs to another job than this rank, "
                              "whose id is 'run8'"),
                    Not(HasSubstr("run7"))));
  const auto First = spmd::tcp_store("127.0.0.1", Port, 1, 3, "run7");
  EXPECT_THAT(Refused(1, 3, "run7"), HasSubstr("rank 1 is there already"));
}

TEST_F(Stores, StrangersDoNotDisturb) {
  const int Port = freePort();
  const auto Zero = spmd::tcp_store("127.0.0.1", Port, 0, 2);
  const Local Mute(Port), Web(Port), Huge(Port);
  const std::string Request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_LT(0, write(Web.Fd, Request.data(), Request.size()));
  EXPECT_LT(0, write(Huge.Fd, "\xff\xff\xff\x7fh", 5));
  const auto One = spmd::tcp_store("127.0.0.1", Port, 1, 2);
  Zero->set("a", "b");
  EXPECT_EQ("b", One->get("a"));
}

// The thread sleeps while there is no descriptor to accept with.
TEST_F(Stores, WithoutDescriptorsRanksWaitAndNobodySpins) {
  const int Port = freePort();
  const auto Zero = spmd::tcp_store("127.0.0.1", Port, 0, 2);
  rlimit Before;
  getrlimit(RLIMIT_NOFILE, &Before);
  Local Late(Port);
  std::vector<int> All;
  rlimit Few = Before;
  Few.rlim_cur = std::min<rlim_t>(Before.rlim_cur, 256);
  setrlimit(RLIMIT_NOFILE, &Few);
  for (int Fd; (Fd = dup(Late.Fd)) >= 0;)
    All.push_back(Fd);
  // Nobody can take this one yet.
  close(All.back());
  All.pop_back();
  const Local Stranger(Port);
  const std::clock_t Began = std::clock();
  std::this_thread::sleep_for(milliseconds(400));
  EXPECT_LT(std::clock() - Began, CLOCKS_PER_SEC / 10);
  for (const int Fd : All)
    close(Fd);
  setrlimit(RLIMIT_NOFILE, &Before);
  const auto One = spmd::tcp_store("127.0.0.1", Port, 1, 2);
  Zero->set("a", "b");
  EXPECT_EQ("b", One->get("a"));
}

TEST_F(Stores, TooManyStrangersAreLetGo) {
  const int Port = freePort();
  const auto Zero = spmd::tcp_store("127.0.0.1", Port, 0, 2);
  std::vector<std::unique_ptr<Local>> Strangers;
  for (int N = 0; N < 100; ++N)
    Strangers.push_back(std::make_unique<Local>(Port));
  const auto One = spmd::tcp_store("127.0.0.1", Port, 1, 2);
  Zero->set("a", "b");
  EXPECT_EQ("b", One->get("a"));
  char Byte;
  EXPECT_EQ(0, recv(Strangers[0]->Fd, &Byte, 1, 0)) << "it is still there";
}

TEST_F(Stores, ASecretIsAskedFor) {
  const auto Join = [](const char *Theirs, const char *Mine) {
    const int Port = freePort();
    setenv("SPMD_STORE_SECRET", Theirs, 1);
    const auto Zero = spmd::tcp_store("127.0.0.1", Port, 0, 2);
    setenv("SPMD_STORE_SECRET", Mine, 1);
    const std::string Why = onRanks(1, [&](int) {
      const auto One = spmd::tcp_store("127.0.0.1", Port, 1, 2);
      Zero->set("a", "b");
      EXPECT_EQ("b", One->get("a"));
    })[0];
    unsetenv("SPMD_STORE_SECRET");
    return Why;
  };
  EXPECT_EQ("", Join("sesame", "sesame"));
  EXPECT_THAT(Join("sesame", "simsim"),
              HasSubstr("this rank does not know the secret of the job"));
  EXPECT_THAT(Join("sesame", ""), HasSubstr("it asks for a secret: set "
                                            "SPMD_STORE_SECRET"));
  EXPECT_THAT(Join("", "sesame"), HasSubstr("it asks for no secret"));
}

// RFC 4231, case 2.
TEST_F(Stores, AProofIsAnHmac) {
  const std::string Proof =
      spmd::bootstrap::proofOf("Jefe", "what do ya want for nothing?");
  std::string Hex;
  for (const unsigned char Byte : Proof) {
    Hex += "0123456789abcdef"[Byte / 16];
    Hex += "0123456789abcdef"[Byte % 16];
  }
  EXPECT_EQ("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            Hex);
}

TEST_F(Stores, RankZeroGoneIsSaid) {
  const int Port = freePort();
  auto Zero = spmd::tcp_store("127.0.0.1", Port, 0, 2);
  const auto One = spmd::tcp_store("127.0.0.1", Port, 1, 2);
  std::thread Ends([&] {
    std::this_thread::sleep_for(milliseconds(100));
    Zero = nullptr;
  });
  EXPECT_THAT(onRanks(1, [&](int) { One->get("a"); })[0],
              HasSubstr("it has closed the connection"));
  Ends.join();
  EXPECT_THAT(onRanks(1, [&](int) { One->set("a", "b"); })[0],
              HasSubstr("an earlier call on it has failed"));
}

TEST_F(Stores, FileRanksSeeTheSameAndCleanUp) {
  // What an earlier job left is not taken for this one's.
  std::filesystem::create_directories(folder());
  for (const char *Name : {"hello.1", "welcome.1", "welcome.2"})
    std::filesystem::copy_file("/proc/self/cmdline", folder() + "/" + Name);
  EXPECT_THAT(onRanks(3,
                      [&](int Rank) {
                        const auto S = spmd::file_store(folder(), Rank, 3);
                        exchange(*S, Rank, 3);
                      }),
              testing::Each(""));
  EXPECT_TRUE(std::filesystem::is_empty(folder()));
  std::filesystem::remove_all(folder());
}

TEST_F(Stores, FileRanksThatDoNotComeAreNamed) {
  spmd::set_deadline(milliseconds(300));
  EXPECT_EQ("spmd: rank 1, rank 2 did not come to the store in " + folder() +
                " within 300 ms",
            onRanks(1, [&](int) { spmd::file_store(folder(), 0, 3); })[0]);
  EXPECT_EQ("spmd: rank 0 has not answered rank 2 in " + folder() +
                " within 300 ms",
            onRanks(1, [&](int) { spmd::file_store(folder(), 2, 3); })[0]);
  std::filesystem::remove_all(folder());
  EXPECT_THAT(onRanks(1, [&](int) { spmd::file_store("/proc/no", 0, 2); })[0],
              HasSubstr("spmd: a store cannot make /proc/no: "));
}

TEST_F(Stores, ADeadlineIsReadStrictly) {
  spmd::set_deadline(milliseconds(1500));
  EXPECT_EQ(milliseconds(1500), spmd::deadline());
  EXPECT_THROW(spmd::set_deadline(milliseconds(-1)), spmd::Error);
}

} // namespace
