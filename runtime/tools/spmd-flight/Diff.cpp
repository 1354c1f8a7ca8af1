#include "Diff.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
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

/// Of an axis written "tp 0/4", 4; 0 of what is not.
std::size_t sizeOf(const std::string &Axis) {
  std::size_t Size = 0;
  for (std::size_t At = Axis.rfind('/') + 1; At < Axis.size(); ++At) {
    if (Axis[At] < '0' || Axis[At] > '9' || Size > 1000000)
      return 0;
    Size = 10 * Size + static_cast<std::size_t>(Axis[At] - '0');
  }
  return Size;
}

/// "1 rank", "2 ranks".
std::string ranks(std::size_t N) {
  return std::to_string(N) + (N == 1 ? " rank" : " ranks");
}

/// True unless somebody waits in call \p N for ranks that left no record.
bool agreeWithAbsent(const std::string &Axis, const std::vector<Seen> &Ranks,
                     std::uint64_t N, std::ostream &Out) {
  const std::size_t Size = sizeOf(Axis);
  const bool Waits =
      std::any_of(Ranks.begin(), Ranks.end(), [N](const Seen &S) {
        return S.Of.count(N) && !S.Of.at(N)->Finished;
      });
  if (Size <= Ranks.size() || !Waits)
    return true;
  Out << "axis " << Axis << ": call " << N << " waits for "
      << ranks(Size - Ranks.size()) << " that left no record:\n";
  for (const Seen &S : Ranks)
    print(Out, *S.By, *S.Of.at(N));
  return false;
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
  // A call that nobody has is of another axis of the same name and ranks.
  if (Same || !First)
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

/// The first call that the ranks make alike at places that differ.
void warnOfPlaces(const std::string &Axis, const std::vector<Seen> &Ranks,
                  std::uint64_t From, std::uint64_t To, std::ostream &Out) {
  for (std::uint64_t N = From; N <= To; ++N) {
    std::set<std::string> Places;
    for (const Seen &S : Ranks)
      if (const auto It = S.Of.find(N); It != S.Of.end())
        Places.insert(It->second->Place);
    if (Places.size() < 2)
      continue;
    Out << "axis " << Axis << ": the ranks make call " << N
        << " alike, but at different places, as if one had swapped two "
           "calls:\n";
    for (const Seen &S : Ranks)
      if (const auto It = S.Of.find(N); It != S.Of.end())
        print(Out, *S.By, *It->second);
    return;
  }
}

bool diffAxis(const std::string &Axis, const std::vector<Seen> &Ranks,
              std::ostream &Out) {
  const std::uint64_t From = firstCommon(Ranks), To = last(Ranks);
  for (std::uint64_t N = From; N <= To; ++N)
    if (!agree(Axis, Ranks, N, Out))
      return false;
  if (!agreeWithAbsent(Axis, Ranks, To, Out))
    return false;
  if (Ranks.size() == 1)
    return true;
  warnOfPlaces(Axis, Ranks, From, To, Out);
  Out << "axis " << Axis << ": " << Ranks.size() << " ranks agree on calls "
      << From << " to " << To;
  if (const std::size_t Size = sizeOf(Axis); Size > Ranks.size())
    Out << ", " << ranks(Size - Ranks.size()) << " left no record";
  Out << '\n';
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
    // Cut short, as the rank ended while it wrote.
    if (From.eof())
      return true;
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
    Agree &= diffAxis(Axis, Ranks, Out);
  return Agree;
}

} // namespace spmd::flight
