#include "Diff.h"

#include <map>
#include <ostream>
#include <sstream>

namespace spmd::flight {
namespace {

using Calls = std::map<std::uint64_t, const Line *>;

/// One axis as one rank saw it.
struct Seen {
  const Record *By;
  Calls Of;
};

bool same(const Line &A, const Line &B) {
  return A.Operator == B.Operator && A.Whole == B.Whole;
}

void print(std::ostream &Out, const Record &By, const Line &L) {
  Out << "  " << By.Name << ": " << L.Operator << " of " << L.Whole << " at "
      << L.Place << (L.Finished ? "" : ", waiting") << '\n';
}

std::uint64_t firstCommon(const std::vector<Seen> &Ranks) {
  // Older calls may have left some rings.
  std::uint64_t First = 0;
  for (const Seen &S : Ranks)
    First = std::max(First, S.Of.begin()->first);
  return First;
}

std::uint64_t last(const std::vector<Seen> &Ranks) {
  std::uint64_t Last = 0;
  for (const Seen &S : Ranks)
    Last = std::max(Last, S.Of.rbegin()->first);
  return Last;
}

/// True if the ranks agree on call \p N of the axis.
bool agree(const std::string &Axis, const std::vector<Seen> &Ranks,
           std::uint64_t N, std::ostream &Out) {
  const Line *First = nullptr;
  bool Same = true;
  for (const Seen &S : Ranks) {
    const auto It = S.Of.find(N);
    if (It == S.Of.end()) {
      Same = false;
      continue;
    }
    if (!First)
      First = It->second;
    Same &= same(*First, *It->second);
  }
  if (Same)
    return true;
  Out << "axis " << Axis << ": the ranks part at call " << N << ":\n";
  for (const Seen &S : Ranks) {
    const auto It = S.Of.find(N);
    if (It != S.Of.end())
      print(Out, *S.By, *It->second);
    else
      Out << "  " << S.By->Name << ": has not come to it\n";
  }
  return false;
}

bool diffAxis(const std::string &Axis, const std::vector<Seen> &Ranks,
              std::ostream &Out) {
  const std::uint64_t From = firstCommon(Ranks), To = last(Ranks);
  for (std::uint64_t N = From; N <= To; ++N)
    if (!agree(Axis, Ranks, N, Out))
      return false;
  Out << "axis " << Axis << ": " << Ranks.size() << " ranks agree on calls "
      << From << " to " << To << '\n';
  return true;
}

} // namespace

bool read(std::istream &From, Record &Into, std::string &Error) {
  std::string Text;
  for (int Number = 1; std::getline(From, Text); ++Number) {
    std::vector<std::string> Fields;
    std::istringstream Parts(Text);
    for (std::string Field; std::getline(Parts, Field, '\t');)
      Fields.push_back(Field);
    const bool Counted =
        Fields.size() == 6 && !Fields[0].empty() && Fields[0].size() < 19 &&
        Fields[0].find_first_not_of("0123456789") == std::string::npos;
    if (!Counted) {
      Error = "line " + std::to_string(Number) + ": not a call of a record";
      return false;
    }
    Into.Lines.push_back({std::stoull(Fields[0]), Fields[1], Fields[2],
                          Fields[3], Fields[4], Fields[5] == "finished"});
  }
  return true;
}

bool diff(const std::vector<Record> &Records, std::ostream &Out) {
  std::map<std::string, std::vector<Seen>> Axes;
  for (const Record &R : Records) {
    std::map<std::string, Calls> Mine;
    for (const Line &L : R.Lines)
      Mine[L.Axis][L.Sequence] = &L;
    for (auto &[Axis, Of] : Mine)
      Axes[Axis].push_back({&R, std::move(Of)});
  }
  bool Agree = true;
  for (const auto &[Axis, Ranks] : Axes)
    if (Ranks.size() > 1)
      Agree &= diffAxis(Axis, Ranks, Out);
  return Agree;
}

} // namespace spmd::flight
