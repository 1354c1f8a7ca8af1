#include "CheckCall.h"

#include "CallHash.h"

#include <cstdlib>
#include <cstring>

namespace spmd::detail {
namespace {

/// Every rank's \p Bytes, in axis order, which \p Fill puts into memory of the
/// axis.
template <class Fn>
std::vector<char> gather(const Call &C, std::size_t Bytes, Fn Fill) {
  Communicator &With = *C.On.communicator();
  Memory &M = With.memory();
  const ScratchScope Ends{M, 0, 1};
  const auto Ranks = static_cast<std::size_t>(With.size());
  void *const In = M.scratch(0, Bytes), *const Out =
                                            M.scratch(1, Ranks * Bytes);
  Fill(M, In);
  // To communicators this is one call, whatever the ranks are about to do.
  static const Placement V = {LocalType::V}, R = {LocalType::R};
  Call Check = {rules::OperatorKind::AllGather, C.On, V, R, DType::U8, {}, {}};
  Check.Whole = {static_cast<std::int64_t>(Ranks * Bytes)};
  try {
    With.allGather(Check, In, Out, Counts(static_cast<std::int64_t>(Bytes)));
  } catch (const Error &E) {
    failOn(C, E.call().Cause);
  }
  std::vector<char> All(Ranks * Bytes);
  M.download(All.data(), Out, All.size());
  return All;
}

std::vector<char> gather(const Call &C, const void *Mine, std::size_t Bytes) {
  return gather(C, Bytes,
                [=](Memory &M, void *To) { M.upload(To, Mine, Bytes); });
}

/// The first rank whose entry differs from rank 0's in its first \p Compared
/// bytes; 0 if none does.
int firstOther(const std::vector<char> &All, std::size_t Bytes,
               std::size_t Compared) {
  for (std::size_t R = 1; R * Bytes < All.size(); ++R)
    if (std::memcmp(All.data(), All.data() + R * Bytes, Compared) != 0)
      return static_cast<int>(R);
  return 0;
}

int rankOf(const Call &C, int Coordinate) {
  const std::vector<int> Members = C.On.members();
  return Members.empty() ? Coordinate
                         : Members[static_cast<std::size_t>(Coordinate)];
}

} // namespace

bool checksCalls() {
  static const bool On = [] {
    const char *Value = std::getenv("SPMD_CHECK");
    return Value && *Value && std::strcmp(Value, "0") != 0;
  }();
  return On;
}

void checkSameCall(const Call &C) {
  const std::uint64_t Hashes[] = {hashOf(C), hashOf(C.At)};
  const std::vector<char> Said = gather(C, Hashes, sizeof Hashes);
  if (firstOther(Said, sizeof Hashes, sizeof Hashes) == 0)
    return;
  char Text[256] = {};
  const std::string Placed = describeCall(C) + at(C.At);
  std::strncpy(Text, Placed.c_str(), sizeof Text - 1);
  const std::vector<char> All = gather(C, Text, sizeof Text);
  const int OtherCall = firstOther(Said, sizeof Hashes, sizeof Hashes[0]);
  const int Other =
      OtherCall ? OtherCall : firstOther(Said, sizeof Hashes, sizeof Hashes);
  const std::string Who =
      "rank " + std::to_string(rankOf(C, 0)) + " calls " + All.data() +
      ", rank " + std::to_string(rankOf(C, Other)) + " " +
      (All.data() + static_cast<std::size_t>(Other) * sizeof Text);
  if (OtherCall)
    failOn(C, "the ranks disagree: " + Who);
  if (C.On.rank() == 0)
    warnOfPlaces(Who);
}

void checkCounts(const Call &C) {
  const auto Ranks = static_cast<std::size_t>(C.On.size());
  ChunkSizes Mine = *C.Sent;
  Mine.insert(Mine.end(), C.Received->begin(), C.Received->end());
  const std::size_t Bytes = Mine.size() * sizeof(Mine[0]);
  const std::vector<char> All = gather(C, Mine.data(), Bytes);
  ChunkSizes Of(2 * Ranks * Ranks);
  std::memcpy(Of.data(), All.data(), All.size());
  for (std::size_t From = 0; From < Ranks; ++From)
    for (std::size_t To = 0; To < Ranks; ++To) {
      const std::int64_t Sent = Of[From * 2 * Ranks + To],
                         Expected = Of[To * 2 * Ranks + Ranks + From];
      if (Sent != Expected)
        failOn(C, "rank " + std::to_string(rankOf(C, static_cast<int>(From))) +
                      " sends " + std::to_string(Sent) + " to rank " +
                      std::to_string(rankOf(C, static_cast<int>(To))) +
                      ", which expects " + std::to_string(Expected));
    }
}

void checkSameValue(const Call &C, const Placement &P, const View &X,
                    const char *What) {
  if (P.Type != LocalType::R && P.Type != LocalType::I)
    return;
  constexpr std::size_t Bytes = sizeof(std::uint64_t);
  const std::vector<char> All = gather(C, Bytes, [&X](Memory &M, void *To) {
    M.hash(To, X.data(), X.dtype(), X.numel());
  });
  if (const int Other = firstOther(All, Bytes, Bytes))
    failOn(C, std::string("the ") + What + " is typed " +
                  rules::letter(P.Type) + ", but differs between rank " +
                  std::to_string(rankOf(C, 0)) + " and rank " +
                  std::to_string(rankOf(C, Other)));
}

} // namespace spmd::detail
