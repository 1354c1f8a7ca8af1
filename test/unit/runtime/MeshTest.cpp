#include <spmd/mesh.h>
#include <spmd/run_local.h>

#include "Messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using spmd::test::messageOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

TEST(Mesh, LastAxisHasConsecutiveRanks) {
  const spmd::Mesh M({{"dp", 2}, {"tp", 4}}, 6);
  EXPECT_EQ(8, M.size());
  EXPECT_EQ(6, M.rank());
  EXPECT_EQ(1, M.rank("dp"));
  EXPECT_EQ(2, M.rank("tp"));
  EXPECT_THAT(M.axis("tp").members(), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(M.axis("dp").members(), ElementsAre(2, 6));
}

TEST(Mesh, EveryRankFindsItselfOnItsAxis) {
  for (int Rank = 0; Rank < 24; ++Rank) {
    const spmd::Mesh M({{"pp", 2}, {"dp", 3}, {"tp", 4}}, Rank);
    for (const char *Name : {"pp", "dp", "tp"}) {
      const spmd::Axis A = M.axis(Name);
      EXPECT_EQ(Rank, A.members()[A.rank()]);
      EXPECT_EQ(M.size(Name), A.size());
    }
  }
}

TEST(Mesh, FlattensOutermostFirst) {
  const spmd::Mesh M({{"dp", 2}, {"cp", 2}, {"tp", 2}}, 5);
  const spmd::Axis A = M.flatten({"dp", "tp"});
  EXPECT_EQ("(dp,tp)", A.name());
  EXPECT_EQ(4, A.size());
  EXPECT_EQ(3, A.rank());
  EXPECT_THAT(A.members(), ElementsAre(0, 1, 4, 5));
  const spmd::Axis Swapped = M.flatten({"tp", "dp"});
  EXPECT_THAT(Swapped.members(), ElementsAre(0, 4, 1, 5));
  EXPECT_EQ("dp", M.flatten({"dp"}).name());
}

TEST(Mesh, OverlapIsAboutRanksNotNames) {
  const spmd::Mesh M({{"dp", 2}, {"cp", 1}, {"tp", 2}}, 0);
  EXPECT_FALSE(M.axis("dp").overlaps(M.axis("tp")));
  EXPECT_TRUE(M.axis("dp").overlaps(M.flatten({"dp", "tp"})));
  EXPECT_FALSE(M.axis("cp").overlaps(M.flatten({"dp", "tp"})));
}

TEST(Mesh, GroupsAreLists) {
  const std::vector<std::vector<int>> Lists = {{3, 0}, {1, 2}};
  for (int Rank = 0; Rank < 4; ++Rank) {
    const spmd::Mesh M({{"dp", 2}, {"tp", 2}}, Rank);
    const spmd::Axis A = M.group("ends", Lists);
    EXPECT_EQ("ends", A.name());
    EXPECT_EQ(2, A.size());
    EXPECT_EQ(Rank, A.members()[A.rank()]);
    EXPECT_EQ(Rank == 0 || Rank == 3 ? 0 : 1, A.firstRank());
    EXPECT_FALSE(A.overlaps(M.axis("tp")));
    EXPECT_TRUE(A.overlaps(M.flatten({"dp", "tp"})));
  }
  // Of a part, its own ranks.
  const spmd::Mesh Part =
      spmd::Mesh({{"pp", 2}, {"dp", 2}, {"tp", 2}}, 5).part({"tp", "pp"});
  EXPECT_THAT(Part.group("g", {{1, 2, 3}}).members(), ElementsAre(4, 1, 5));
}

TEST(Mesh, GroupsOfOtherRanksAreErrors) {
  const spmd::Mesh M({{"dp", 2}, {"tp", 2}}, 0);
  const auto Said = [&](const char *Name,
                        const std::vector<std::vector<int>> &Ranks) {
    return messageOf([&] { (void)M.group(Name, Ranks); });
  };
  EXPECT_EQ("spmd::Mesh::group: 'g' has rank 4, which is outside a mesh of 4 "
            "ranks",
            Said("g", {{0, 4}}));
  EXPECT_EQ("spmd::Mesh::group: 'g' has rank 1 twice",
            Said("g", {{0, 1}, {1, 2}}));
  EXPECT_EQ("spmd::Mesh::group: 'dp' is an axis of the mesh",
            Said("dp", {{0, 1}}));
  EXPECT_EQ("spmd::Mesh::group: 'a b' is no name of letters, digits and '_'",
            Said("a b", {{0, 1}}));
  (void)M.group("g", {{0, 1}});
  EXPECT_EQ("spmd::Mesh::group: 'g' is a group of other ranks already",
            Said("g", {{0, 2}}));
}

TEST(Mesh, PartsAreThisRanksNeighbours) {
  const spmd::Mesh M({{"pp", 2}, {"dp", 2}, {"tp", 2}}, 5);
  const spmd::Mesh Part = M.part({"tp", "pp"});
  EXPECT_EQ(4, Part.size());
  EXPECT_EQ(3, Part.rank());
  EXPECT_EQ(5, Part.globalRank());
  EXPECT_FALSE(Part.has("dp"));
  EXPECT_THAT(Part.flatten({"tp", "pp"}).members(), ElementsAre(0, 4, 1, 5));
}

TEST(Mesh, RefoldsForExperts) {
  for (int Rank = 0; Rank < 16; ++Rank) {
    const spmd::Mesh M({{"pp", 2}, {"dp", 4}, {"tp", 2}}, Rank);
    const spmd::Mesh E = M.refold({"dp", "tp"}, {{"edp", 2}, {"ep", 4}});
    EXPECT_EQ(Rank, E.rank());
    EXPECT_EQ(Rank % 4, E.rank("ep"));
    EXPECT_EQ(Rank / 4 % 2, E.rank("edp"));
    EXPECT_EQ(Rank / 8, E.rank("pp"));
    // Back again, and axes that are made of parts of several.
    const spmd::Mesh Back = E.refold({"edp", "ep"}, {{"dp", 4}, {"tp", 2}});
    EXPECT_EQ(M.axis("dp").members(), Back.axis("dp").members());
    EXPECT_EQ(M.axis("tp").members(), Back.axis("tp").members());
    const spmd::Mesh One = M.refold({"tp", "dp"}, {{"ep", 8}, {"x", 1}});
    EXPECT_EQ(M.flatten({"tp", "dp"}).members(), One.axis("ep").members());
    EXPECT_EQ(1, One.axis("x").size());
  }
}

TEST(Mesh, CopiesShareTheirAxes) {
  spmd::run_local(4, [](int Rank) {
    const spmd::Mesh M({{"dp", 2}, {"tp", 2}}, Rank);
    const spmd::Mesh Copy = M;
    EXPECT_EQ(M.flatten({"dp", "tp"}).communicator(),
              Copy.flatten({"dp", "tp"}).communicator());
  });
}

TEST(Mesh, SaysWhatIsWrong) {
  const spmd::Mesh M({{"dp", 2}, {"tp", 2}}, 0);
  EXPECT_EQ("spmd::Mesh: no axis 'pp', the axes are dp, tp",
            messageOf([&] { M.axis("pp"); }));
  EXPECT_EQ("spmd::Mesh::flatten: axis 'dp' occurs twice",
            messageOf([&] { M.flatten({"dp", "dp"}); }));
  EXPECT_EQ("spmd::Mesh::refold: dp, tp have 4 ranks, what they are to become "
            "6",
            messageOf([&] { M.refold({"dp", "tp"}, {{"a", 2}, {"b", 3}}); }));
  const spmd::Mesh Six({{"dp", 6}, {"tp", 4}}, 0);
  EXPECT_EQ("spmd::Mesh::refold: axis 'b' of 4 would cut an axis of tp, dp "
            "unevenly",
            messageOf([&] { Six.refold({"tp", "dp"}, {{"a", 6}, {"b", 4}}); }));
  EXPECT_EQ("spmd::Mesh::refold: axis 'tp' occurs twice",
            messageOf([&] { M.refold({"dp"}, {{"tp", 2}}); }));
  EXPECT_EQ("spmd::Mesh: axis 'dp' has size 0, expected at least 1",
            messageOf([] { spmd::Mesh({{"dp", 0}}, 0); }));
  EXPECT_EQ("spmd::Mesh: rank 4 is outside a mesh of 4 ranks",
            messageOf([] { spmd::Mesh({{"dp", 4}}, 4); }));
  EXPECT_EQ("spmd::Mesh: axis 'dp' occurs twice",
            messageOf([] { spmd::Mesh({{"dp", 1}, {"dp", 1}}, 0); }));
}

TEST(Axis, DefaultIsOneRank) {
  const spmd::Axis A;
  EXPECT_EQ(1, A.size());
  EXPECT_EQ(0, A.rank());
  EXPECT_THAT(A.members(), ElementsAre(0));
}

// A communicator of someone else's, taken where an axis is expected.
struct Handle {
  int Size;
};

} // namespace

namespace spmd {
template <> struct AxisSource<Handle> {
  struct Comm : Communicator {
    explicit Comm(int N) : N(N) {}
    int size() const override { return N; }
    int rank() const override { return N - 1; }
    const char *kind() const override { return "test"; }
    void allReduce(const Call &, const void *, void *, std::int64_t) override {}
    void allGather(const Call &, const void *, void *,
                   const Counts &) override {}
    void reduceScatter(const Call &, const void *, void *,
                       const Counts &) override {}
    void allToAll(const Call &, const void *, const Counts &, void *,
                  const Counts &) override {}
    int N;
  };
  static std::shared_ptr<Communicator> communicator(Handle H) {
    return std::make_shared<Comm>(H.Size);
  }
};
} // namespace spmd

namespace {

int sizeOf(const spmd::Axis &A) { return A.size(); }

TEST(Axis, ForeignCommunicatorConverts) {
  EXPECT_EQ(3, sizeOf(Handle{3}));
  const spmd::Axis A = Handle{3};
  EXPECT_EQ(2, A.rank());
  EXPECT_STREQ("test", A.communicator()->kind());
  EXPECT_THAT(A.members(), IsEmpty());
  EXPECT_FALSE(A.overlaps(A));
}

TEST(Mesh, ErrorsNameTheAxis) {
  EXPECT_EQ("spmd::Mesh: axis 'b' of 65536 makes more than 2147483647 ranks",
            messageOf([] { spmd::Mesh({{"a", 65536}, {"b", 65536}}, 0); }));
  for (const char *Name : {"a,b", "(a)", "a b", "a@b", "tp-1"})
    EXPECT_EQ("spmd::Mesh: axis '" + std::string(Name) +
                  "' is named in other than letters, digits and '_', so that "
                  "no spec can name it",
              messageOf([&] { spmd::Mesh({{Name, 2}}, 0); }));
  const spmd::Mesh M({{"dp", 4}, {"tp", 2}}, 0);
  EXPECT_EQ("spmd::Mesh::refold: no axis is given",
            messageOf([&] { (void)M.refold({}, {{"x", 1}}); }));
  EXPECT_EQ("spmd::Mesh::refold: axis 'x' has size 0, expected at least 1",
            messageOf([&] { (void)M.refold({"dp"}, {{"x", 0}}); }));
}

} // namespace
