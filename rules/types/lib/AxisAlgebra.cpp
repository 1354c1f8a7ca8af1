//===- AxisAlgebra.cpp - Axes as layouts of ranks -------------------------===//

#include "spmd/types/AxisAlgebra.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <numeric>

namespace spmd::rules {

void RankLayout::append(RankDigit D) {
  if (D.Size == 1)
    return;
  if (!Digits.empty() && Digits.back().Stride == D.Size * D.Stride)
    Digits.back() = {Digits.back().Size * D.Size, D.Stride};
  else
    Digits.push_back(D);
}

std::int64_t RankLayout::size() const {
  std::int64_t Out = 1;
  for (RankDigit D : Digits)
    Out *= D.Size;
  return Out;
}

std::int64_t RankLayout::indexOf(std::int64_t Rank) const {
  std::int64_t Out = 0;
  for (RankDigit D : Digits)
    Out = Out * D.Size + Rank / D.Stride % D.Size;
  return Out;
}

RankLayout operator*(const RankLayout &Major, const RankLayout &Minor) {
  RankLayout Out = Major;
  for (RankDigit D : Minor.Digits)
    Out.append(D);
  return Out;
}

std::optional<RankLayout> RankLayout::part(std::int64_t Pre,
                                           std::int64_t Size) const {
  RankLayout Out;
  for (RankDigit D : Digits) {
    // What of this digit lies before the part, and in it.
    const std::int64_t Before = std::gcd(Pre, D.Size);
    Pre /= Before;
    const std::int64_t Left = D.Size / Before;
    if (Left == 1)
      continue;
    const std::int64_t In = std::gcd(Size, Left);
    if (Pre != 1 || (In != Left && In != Size))
      return std::nullopt;
    Size /= In;
    Out.append({In, D.Stride * (Left / In)});
    if (Size == 1)
      return Out;
  }
  return Pre == 1 && Size == 1 ? std::optional(Out) : std::nullopt;
}

RankLayout RankLayout::inOrder() const {
  llvm::SmallVector<RankDigit, 4> Sorted(Digits.begin(), Digits.end());
  llvm::sort(Sorted,
             [](RankDigit A, RankDigit B) { return A.Stride > B.Stride; });
  RankLayout Out;
  for (RankDigit D : Sorted)
    Out.append(D);
  return Out;
}

static bool orthogonal(RankDigit A, RankDigit B) {
  return A.Stride % (B.Size * B.Stride) == 0 ||
         B.Stride % (A.Size * A.Stride) == 0;
}

bool orthogonal(const RankLayout &A, const RankLayout &B) {
  return llvm::all_of(A.digits(), [&](RankDigit X) {
    return llvm::all_of(B.digits(),
                        [&](RankDigit Y) { return orthogonal(X, Y); });
  });
}

llvm::Expected<RankMesh> RankMesh::of(const MeshSpec &M) {
  RankMesh Out;
  for (const MeshAxis &A : llvm::reverse(M.Axes)) {
    if (!A.Of.empty())
      continue;
    if (A.Size == 0)
      return llvm::createStringError("the mesh gives no size for '" + A.Name +
                                     "'");
    if (Out.Ranks > std::numeric_limits<std::int32_t>::max() / A.Size)
      return llvm::createStringError("the mesh has too many ranks");
    Out.Axes.insert(Out.Axes.begin(),
                    {A.Name, RankLayout(RankDigit{A.Size, Out.Ranks}), 1});
    Out.Ranks *= A.Size;
  }
  std::size_t Place = 0;
  if (llvm::Error E = Out.addFlattened(M, Place))
    return std::move(E);
  return Out;
}

/// Those first that the others are of. On an error, \p Place is that of the
/// axis in the payload.
llvm::Error RankMesh::addFlattened(const MeshSpec &M, std::size_t &Place) {
  llvm::SmallVector<const MeshAxis *, 4> Left;
  for (const MeshAxis &A : M.Axes)
    if (!A.Of.empty())
      Left.push_back(&A);
  while (!Left.empty()) {
    const auto *Next = llvm::find_if(Left, [&](const MeshAxis *A) {
      return llvm::all_of(A->Of, [&](const std::string &X) { return find(X); });
    });
    // Of what there is not, or of itself.
    if (Next == Left.end())
      Next = Left.begin();
    Place = (*Next)->Offset;
    if (llvm::Error E = flatten((*Next)->Name, (*Next)->Of))
      return E;
    Left.erase(Next);
  }
  return llvm::Error::success();
}

const RankMesh::Axis *RankMesh::find(llvm::StringRef Name) const {
  const auto It =
      llvm::find_if(Axes, [&](const Axis &A) { return A.Name == Name; });
  return It == Axes.end() ? nullptr : &*It;
}

llvm::Expected<RankLayout>
RankMesh::layoutOf(llvm::ArrayRef<std::string> Names) const {
  RankLayout Out;
  for (const std::string &Name : Names) {
    const Axis *A = find(Name);
    if (!A)
      return llvm::createStringError("the mesh has no axis '" + Name + "'");
    if (!orthogonal(Out, A->Layout))
      return llvm::createStringError("'" + Name + "' overlaps the others of " +
                                     printAxes(Names));
    Out = Out * A->Layout;
  }
  return Out;
}

llvm::Error RankMesh::flatten(llvm::StringRef Name,
                              llvm::ArrayRef<std::string> Of) {
  if (find(Name))
    return llvm::createStringError("the mesh has an axis '" + Name.str() +
                                   "' already");
  llvm::Expected<RankLayout> L = layoutOf(Of);
  if (!L)
    return L.takeError();
  // Axes of size one may be in it many times over.
  std::size_t Parts = 0;
  for (const std::string &Part : Of)
    Parts += find(Part)->Parts;
  if (Parts > MostParts)
    return llvm::createStringError("'" + Name.str() +
                                   "' is flattened of too many axes");
  Axes.push_back({Name.str(), std::move(*L), Parts});
  return llvm::Error::success();
}

namespace {

using Names = llvm::SmallVector<std::string, 2>;

/// What is left of \p Whole after \p Prefix, which must be its major part.
std::optional<RankLayout> rest(const RankLayout &Whole,
                               const RankLayout &Prefix) {
  const std::int64_t Size = Prefix.size();
  if (Whole.size() % Size != 0 || Whole.part(1, Size) != Prefix)
    return std::nullopt;
  return Whole.part(Size, Whole.size() / Size);
}

/// Finds axes that, flattened, are a layout.
class Cover {
public:
  /// \p AsSet when the order of the ranks along an axis is of no concern.
  Cover(const RankMesh &M, bool AsSet) {
    for (const RankMesh::Axis &A : M.axes())
      if (A.Layout.size() != 1)
        Axes.push_back({A.Name, AsSet ? A.Layout.inOrder() : A.Layout});
    // A name for a group rather than its parts.
    llvm::sort(Axes, [](const RankMesh::Axis &A, const RankMesh::Axis &B) {
      return std::pair(B.Layout.size(), llvm::StringRef(A.Name)) <
             std::pair(A.Layout.size(), llvm::StringRef(B.Name));
    });
  }

  std::optional<Names> of(const RankLayout &L) const {
    if (L.size() == 1)
      return Names();
    for (const RankMesh::Axis &A : Axes)
      if (const auto Left = rest(L, A.Layout))
        if (auto Minor = of(*Left)) {
          Minor->insert(Minor->begin(), A.Name);
          return Minor;
        }
    return std::nullopt;
  }

private:
  llvm::SmallVector<RankMesh::Axis, 4> Axes;
};

} // namespace

std::string RankMesh::print(const RankLayout &L) const {
  if (const auto Whole = Cover(*this, /*AsSet=*/false).of(L))
    return printAxes(*Whole);
  // Digit by digit, by the parts of axes of one digit.
  Names Out;
  for (RankDigit D : L.digits()) {
    std::int64_t Above = D.Size * D.Stride;
    while (Above > D.Stride) {
      const std::size_t Before = Out.size();
      for (const Axis &A : Axes) {
        if (A.Layout.digits().size() != 1)
          continue;
        const auto [Size, Stride] = A.Layout.digits()[0];
        const std::int64_t End = std::max(Stride, D.Stride);
        if (Size * Stride % Above != 0 || Above % End != 0 ||
            End % Stride != 0 || Above <= End)
          continue;
        const std::int64_t Pre = Size * Stride / Above, Part = Above / End;
        Out.push_back(Part == Size ? A.Name
                                   : A.Name + ":(" + std::to_string(Pre) + ")" +
                                         std::to_string(Part));
        Above = End;
        break;
      }
      if (Out.size() == Before)
        return {};
    }
  }
  return printAxes(Out);
}

std::optional<llvm::SmallVector<RankDigit, 6>>
commonRefinement(const RankMesh &A, const RankMesh &B) {
  if (A.ranks() != B.ranks())
    return std::nullopt;
  llvm::SmallVector<std::int64_t, 8> Cuts = {1, A.ranks()};
  for (const RankMesh *M : {&A, &B})
    for (const RankMesh::Axis &X : M->axes())
      for (RankDigit D : X.Layout.digits())
        Cuts.append({D.Stride, D.Size * D.Stride});
  llvm::sort(Cuts);
  Cuts.erase(llvm::unique(Cuts), Cuts.end());
  llvm::SmallVector<RankDigit, 6> Out;
  for (std::size_t I = Cuts.size(); I-- > 1;) {
    if (Cuts[I] % Cuts[I - 1] != 0)
      return std::nullopt;
    Out.push_back({Cuts[I] / Cuts[I - 1], Cuts[I - 1]});
  }
  return Out;
}

/// Axes of \p To for those of \p Which, named in the error.
static llvm::Expected<Names> covering(const RankLayout &L,
                                      llvm::ArrayRef<std::string> Which,
                                      bool AsSet, const RankMesh &To) {
  if (auto Found = Cover(To, AsSet).of(AsSet ? L.inOrder() : L))
    return std::move(*Found);
  const std::string Parts = To.print(L);
  return llvm::createStringError(
      printAxes(Which) +
      (Parts.empty() ? " is no axis of the other mesh, nor a part of one"
                     : " is " + Parts + " of the other mesh, no whole axis"));
}

/// Whether shards of a dim on \p Axes are those on \p There, which are the same
/// ranks: uneven ones depend on where each cut is.
static bool cutsAlike(llvm::StringRef Extent, llvm::ArrayRef<std::string> Axes,
                      const RankMesh &From, llvm::ArrayRef<std::string> There,
                      const RankMesh &To) {
  const auto Counts = [](llvm::ArrayRef<std::string> Of, const RankMesh &M) {
    llvm::SmallVector<std::int64_t, 4> Out;
    for (const std::string &Name : Of)
      if (const std::int64_t N = M.find(Name)->Layout.size(); N != 1)
        Out.push_back(N);
    return Out;
  };
  const auto Here = Counts(Axes, From);
  std::int64_t Size = 0, Ranks = 1;
  for (std::int64_t N : Here)
    Ranks *= N;
  return Here == Counts(There, To) || Extent.getAsInteger(10, Size) ||
         Size % Ranks == 0;
}

llvm::Expected<TypeSpec> remap(const TypeSpec &T, const RankMesh &From,
                               const RankMesh &To) {
  if (From.ranks() != To.ranks())
    return llvm::createStringError("the meshes have " +
                                   std::to_string(From.ranks()) + " and " +
                                   std::to_string(To.ranks()) + " ranks");
  std::vector<std::string> All;
  for (const AxisAtom &A : T.Axes)
    All.push_back(A.Axis);
  if (llvm::Expected<RankLayout> Used = From.layoutOf(All); !Used)
    return Used.takeError();
  TypeSpec Out;
  const auto Sharded = [&](const TypeSpec &In, llvm::StringRef Axis) {
    return In.Global && llvm::any_of(In.Global->Dims, [&](const DimSpec &D) {
             return llvm::is_contained(D.Axes, Axis);
           });
  };
  if (T.Global) {
    Out.Global = GlobalSpec{T.Global->DType, {}};
    for (const DimSpec &D : T.Global->Dims) {
      llvm::Expected<RankLayout> L = From.layoutOf(D.Axes);
      if (!L)
        return L.takeError();
      llvm::Expected<Names> Axes = covering(*L, D.Axes, false, To);
      if (!Axes)
        return Axes.takeError();
      if (!cutsAlike(D.Extent, D.Axes, From, *Axes, To))
        return llvm::createStringError(
            D.Extent + " does not divide evenly on " + printAxes(D.Axes) +
            ", and is cut otherwise on " + printAxes(*Axes));
      const int Dim = static_cast<int>(Out.Global->Dims.size());
      for (const std::string &Name : *Axes)
        Out.Axes.push_back({Name, {LocalType::V, Dim}, 0});
      Out.Global->Dims.push_back({D.Extent, std::move(*Axes)});
    }
  }
  // Axes of one type together may be one axis there. Two S(i) may not: which
  // is the outer one is not said.
  std::vector<std::pair<Atom, std::vector<std::string>>> Groups;
  for (const AxisAtom &A : T.Axes) {
    if (Sharded(T, A.Axis))
      continue;
    const auto It = llvm::find_if(Groups, [&](const auto &G) {
      return G.first == A.Value && !A.Value.ShardDim;
    });
    if (It == Groups.end())
      Groups.push_back({A.Value, {A.Axis}});
    else
      It->second.push_back(A.Axis);
  }
  for (const auto &[Value, Axes] : Groups) {
    llvm::Expected<RankLayout> L = From.layoutOf(Axes);
    if (!L)
      return L.takeError();
    llvm::Expected<Names> There =
        covering(*L, Axes, !Value.ShardDim.has_value(), To);
    if (!There)
      return There.takeError();
    if (Value.ShardDim && There->size() > 1)
      return llvm::createStringError(
          printAxes(Axes) + " is " + printAxes(*There) +
          " of the other mesh: a local type does not say which shards first");
    for (std::string &Name : *There)
      Out.Axes.push_back({std::move(Name), Value, 0});
  }
  return Out;
}

} // namespace spmd::rules
