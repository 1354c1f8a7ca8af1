#include "MeshState.h"

#include <limits>

namespace spmd {
namespace {

/// What specs can name.
bool isName(const std::string &Name) {
  return std::all_of(Name.begin(), Name.end(), [](char C) {
    return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
           (C >= '0' && C <= '9') || C == '_';
  });
}

/// The product of sizes that are 1 or more.
int product(const std::vector<Mesh::Dim> &Dims, const char *Caller) {
  std::int64_t N = 1;
  for (const Mesh::Dim &D : Dims)
    if ((N *= D.Size) > std::numeric_limits<int>::max())
      detail::fail(std::string(Caller) + ": axis '" + D.Name + "' of " +
                   std::to_string(D.Size) + " makes more than " +
                   std::to_string(std::numeric_limits<int>::max()) + " ranks");
  return static_cast<int>(N);
}

std::string listed(const std::vector<std::string> &Names) {
  std::string Out;
  for (const std::string &Name : Names)
    Out += (Out.empty() ? "" : ", ") + Name;
  return Out;
}

/// Takes the inner \p Size ranks off \p From, outermost digit first; nothing
/// when a digit would have to be cut unevenly.
std::vector<AxisDigit> takeInner(std::vector<AxisDigit> &From, int Size) {
  std::vector<AxisDigit> Out;
  while (Size > 1) {
    if (From.empty())
      return {};
    AxisDigit &Last = From.back();
    if (Size % Last.Size == 0) {
      Size /= Last.Size;
      Out.insert(Out.begin(), Last);
      From.pop_back();
    } else if (Last.Size % Size == 0) {
      Out.insert(Out.begin(), {Size, Last.Stride});
      Last = {Last.Size / Size, Last.Stride * Size};
      Size = 1;
    } else {
      return {};
    }
  }
  return Out.empty() ? std::vector<AxisDigit>{{1, 1}} : Out;
}

} // namespace

Mesh::Mesh(std::vector<Dim> Dims, std::vector<std::vector<AxisDigit>> Of,
           int GlobalRank)
    : Axes(std::move(Dims)), Digits(std::move(Of)), Global(GlobalRank),
      State(std::make_shared<detail::MeshState>()) {
  for (const std::vector<AxisDigit> &Axis : Digits)
    for (AxisDigit D : Axis) {
      Total *= D.Size;
      Self = Self * D.Size + Global / D.Stride % D.Size;
    }
}

Mesh::Mesh(std::vector<Dim> Dims, int GlobalRank)
    : Axes(std::move(Dims)), Digits(Axes.size()), Global(GlobalRank),
      Self(GlobalRank), State(std::make_shared<detail::MeshState>()) {
  checkNames(Axes, "spmd::Mesh");
  product(Axes, "spmd::Mesh");
  for (std::size_t I = Axes.size(); I-- > 0;) {
    Digits[I] = {{Axes[I].Size, Total}};
    Total *= Axes[I].Size;
  }
  if (Global < 0 || Global >= Total)
    detail::fail("spmd::Mesh: rank " + std::to_string(Global) +
                 " is outside a mesh of " + std::to_string(Total) + " ranks");
}

void Mesh::checkNames(const std::vector<Dim> &Of, const char *Caller) {
  const auto Misfit = [&](const std::string &Why) {
    detail::fail(std::string(Caller) + ": axis " + Why);
  };
  for (std::size_t I = 0; I < Of.size(); ++I) {
    const std::string Quoted = "'" + Of[I].Name + "'";
    if (Of[I].Name.empty())
      Misfit(std::to_string(I) + " has no name");
    if (!isName(Of[I].Name))
      Misfit(Quoted + " is named in other than letters, digits and '_', so "
                      "that no spec can name it");
    if (Of[I].Size < 1)
      Misfit(Quoted + " has size " + std::to_string(Of[I].Size) +
             ", expected at least 1");
    for (std::size_t J = 0; J < I; ++J)
      if (Of[I].Name == Of[J].Name)
        Misfit(Quoted + " occurs twice");
  }
}

int Mesh::rank(const std::string &Name) const {
  int Out = 0;
  for (AxisDigit D : Digits[find(Name)])
    Out = Out * D.Size + Global / D.Stride % D.Size;
  return Out;
}

bool Mesh::has(const std::string &Name) const {
  for (const Dim &D : Axes)
    if (D.Name == Name)
      return true;
  return false;
}

std::size_t Mesh::find(const std::string &Name) const {
  std::string Known;
  for (std::size_t I = 0; I < Axes.size(); ++I)
    if (Axes[I].Name == Name)
      return I;
  for (const Dim &D : Axes)
    Known += (Known.empty() ? "" : ", ") + D.Name;
  detail::fail("spmd::Mesh: no axis '" + Name + "', the axes are " +
               (Known.empty() ? "none" : Known));
}

/// What there is of that name, or else is made of \p Of.
template <class Ranks>
Axis Mesh::kept(const std::string &Label, const Ranks &Of) const {
  const std::lock_guard<std::mutex> Held(State->Lock);
  auto It = State->Axes.find(Label);
  if (It == State->Axes.end())
    It = State->Axes.emplace(Label, Axis(Label, Of, Global)).first;
  return It->second;
}

Axis Mesh::axis(const std::string &Name) const {
  return kept(Name, Digits[find(Name)]);
}

/// The one that differs from this process's in the digits of these axes.
int Mesh::globalRankOf(int Rank) const {
  int Out = Global;
  for (std::size_t I = Digits.size(); I-- > 0;)
    for (std::size_t J = Digits[I].size(); J-- > 0;) {
      const AxisDigit D = Digits[I][J];
      Out += (Rank % D.Size - Global / D.Stride % D.Size) * D.Stride;
      Rank /= D.Size;
    }
  return Out;
}

Axis Mesh::group(const std::string &Name,
                 const std::vector<std::vector<int>> &Ranks) const {
  const auto Misfit = [&](const std::string &Why) {
    detail::fail("spmd::Mesh::group: '" + Name + "' " + Why);
  };
  if (Name.empty() || !isName(Name) || has(Name))
    Misfit(has(Name) ? "is an axis of the mesh"
                     : "is no name of letters, digits and '_'");
  std::vector<bool> Taken(static_cast<std::size_t>(Total));
  std::vector<std::vector<int>> Groups = Ranks;
  for (std::vector<int> &Group : Groups)
    for (int &Rank : Group) {
      if (Rank < 0 || Rank >= Total)
        Misfit("has rank " + std::to_string(Rank) +
               ", which is outside a mesh "
               "of " +
               std::to_string(Total) + " ranks");
      if (Taken[static_cast<std::size_t>(Rank)])
        Misfit("has rank " + std::to_string(Rank) + " twice");
      Taken[static_cast<std::size_t>(Rank)] = true;
      Rank = globalRankOf(Rank);
    }
  const Axis Out = kept(Name, Groups);
  if (Out.groups() != Groups)
    Misfit("is a group of other ranks already");
  return Out;
}

std::vector<AxisDigit> Mesh::digitsOf(const std::vector<std::string> &Names,
                                      const char *Caller) const {
  std::vector<AxisDigit> Out;
  for (std::size_t I = 0; I < Names.size(); ++I) {
    const std::vector<AxisDigit> &Of = Digits[find(Names[I])];
    for (std::size_t J = 0; J < I; ++J)
      if (Names[I] == Names[J])
        detail::fail("spmd::Mesh::" + std::string(Caller) + ": axis '" +
                     Names[I] + "' occurs twice");
    Out.insert(Out.end(), Of.begin(), Of.end());
  }
  return Out;
}

Axis Mesh::flatten(const std::vector<std::string> &Names) const {
  if (Names.size() == 1)
    return axis(Names[0]);
  std::string Label = "(";
  for (const std::string &Name : Names)
    Label += (Label.size() > 1 ? "," : "") + Name;
  return kept(Label + ")", digitsOf(Names, "flatten"));
}

Mesh Mesh::part(const std::vector<std::string> &Names) const {
  digitsOf(Names, "part");
  std::vector<Dim> Dims;
  std::vector<std::vector<AxisDigit>> Of;
  for (const std::string &Name : Names) {
    Dims.push_back(Axes[find(Name)]);
    Of.push_back(Digits[find(Name)]);
  }
  return Mesh(std::move(Dims), std::move(Of), Global);
}

Mesh Mesh::refold(const std::vector<std::string> &Names,
                  const std::vector<Dim> &Into) const {
  if (Names.empty())
    detail::fail("spmd::Mesh::refold: no axis is given");
  std::vector<AxisDigit> Ranks = digitsOf(Names, "refold");
  checkNames(Into, "spmd::Mesh::refold");
  int Have = 1;
  for (AxisDigit D : Ranks)
    Have *= D.Size;
  const int Want = product(Into, "spmd::Mesh::refold");
  if (Have != Want)
    detail::fail("spmd::Mesh::refold: " + listed(Names) + " have " +
                 std::to_string(Have) + " ranks, what they are to become " +
                 std::to_string(Want));
  std::vector<std::vector<AxisDigit>> New(Into.size());
  for (std::size_t I = Into.size(); I-- > 0;) {
    New[I] = takeInner(Ranks, Into[I].Size);
    if (New[I].empty())
      detail::fail("spmd::Mesh::refold: axis '" + Into[I].Name + "' of " +
                   std::to_string(Into[I].Size) + " would cut an axis of " +
                   listed(Names) + " unevenly");
  }
  std::vector<Dim> NewAxes;
  std::vector<std::vector<AxisDigit>> NewDigits;
  bool Placed = false;
  for (std::size_t I = 0; I < Axes.size(); ++I) {
    const bool IsNamed =
        std::find(Names.begin(), Names.end(), Axes[I].Name) != Names.end();
    if (!IsNamed) {
      NewAxes.push_back(Axes[I]);
      NewDigits.push_back(Digits[I]);
    } else if (!std::exchange(Placed, true)) {
      NewAxes.insert(NewAxes.end(), Into.begin(), Into.end());
      NewDigits.insert(NewDigits.end(), New.begin(), New.end());
    }
  }
  Mesh Out(std::move(NewAxes), std::move(NewDigits), Global);
  checkNames(Out.Axes, "spmd::Mesh::refold");
  return Out;
}

} // namespace spmd
