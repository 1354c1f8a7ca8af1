//===- Mesh.cpp - Values on the ranks of a mesh ---------------------------===//

#include "spmd/oracle/Mesh.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

bool isShared(std::optional<LocalType> T) {
  return T == LocalType::R || T == LocalType::I;
}

} // namespace

int Mesh::ranks() const {
  int Out = 1;
  for (const Axis &A : Axes)
    Out *= A.Size;
  return Out;
}

std::optional<unsigned> Mesh::find(llvm::StringRef Axis) const {
  for (unsigned I = 0; I != Axes.size(); ++I)
    if (Axes[I].Name == Axis)
      return I;
  return std::nullopt;
}

std::vector<std::vector<int>> Mesh::groups(llvm::ArrayRef<unsigned> Of) const {
  // Ranks with the same coordinates on all other axes are together.
  std::vector<std::vector<int>> Out;
  std::vector<std::vector<int>> Keys;
  for (int R = 0, N = ranks(); R != N; ++R) {
    std::vector<int> Key(Axes.size());
    int Rest = R;
    for (std::size_t A = Axes.size(); A-- != 0; Rest /= Axes[A].Size)
      if (!llvm::is_contained(Of, A))
        Key[A] = Rest % Axes[A].Size;
    const auto Known = llvm::find(Keys, Key);
    if (Known == Keys.end()) {
      Keys.push_back(std::move(Key));
      Out.push_back({R});
    } else {
      Out[static_cast<std::size_t>(Known - Keys.begin())].push_back(R);
    }
  }
  return Out;
}

MeshTypes typesOn(const Mesh &M, const TypeSpec &T) {
  MeshTypes Out(M.Axes.size());
  for (unsigned I = 0; I != M.Axes.size(); ++I)
    if (const AxisAtom *A = T.find(M.Axes[I].Name))
      Out[I] = A->Value.Type;
  return Out;
}

MeshTypes dual(const MeshTypes &T) {
  MeshTypes Out = T;
  for (std::optional<LocalType> &A : Out)
    if (A)
      A = rules::dual(*A);
  return Out;
}

bool isLegal(const Mesh &M, const MeshTypes &T, const Ranks &X) {
  for (unsigned A = 0; A != T.size(); ++A)
    if (isShared(T[A]))
      for (const std::vector<int> &Group : M.groups(A))
        for (int R : Group)
          if (!(X[static_cast<unsigned>(R)] ==
                X[static_cast<unsigned>(Group.front())]))
            return false;
  return true;
}

Ranks meaning(const Mesh &M, const MeshTypes &T, Ranks X) {
  for (unsigned A = 0; A != T.size(); ++A) {
    if (T[A] != LocalType::P)
      continue;
    for (const std::vector<int> &Group : M.groups(A)) {
      Ranks Parts;
      for (int R : Group)
        Parts.push_back(X[static_cast<unsigned>(R)]);
      const Tensor Sum = sum(Parts);
      for (int R : Group)
        X[static_cast<unsigned>(R)] = Sum;
    }
  }
  return X;
}

Ranks randomMeaning(const Mesh &M, const MeshTypes &T, const Shape &Dims,
                    std::mt19937 &Random) {
  llvm::SmallVector<unsigned, 2> Same;
  for (unsigned A = 0; A != T.size(); ++A)
    if (T[A] != LocalType::V)
      Same.push_back(A);
  std::uniform_int_distribution<Number> Small(-3, 3);
  Ranks Out(static_cast<std::size_t>(M.ranks()));
  for (const std::vector<int> &Group : M.groups(Same)) {
    Tensor X = Tensor::zeros(Dims);
    for (Number &N : X.Data)
      N = Small(Random);
    for (int R : Group)
      Out[static_cast<unsigned>(R)] = X;
  }
  return Out;
}

Ranks distribute(const Mesh &M, const MeshTypes &T, Ranks X,
                 std::mt19937 &Random) {
  std::uniform_int_distribution<Number> Small(-3, 3);
  for (unsigned A = 0; A != T.size(); ++A) {
    if (T[A] != LocalType::P)
      continue;
    // Ranks that hold the same so far hold the same parts, but for those apart
    // on this axis.
    llvm::SmallVector<unsigned, 2> Shared;
    for (unsigned Other = 0; Other != T.size(); ++Other)
      if (Other != A && T[Other] != LocalType::V &&
          (T[Other] != LocalType::P || Other > A))
        Shared.push_back(Other);
    Ranks Parts(X.size());
    for (const std::vector<int> &Group : M.groups(Shared)) {
      Tensor Part = Tensor::zeros(X[static_cast<unsigned>(Group[0])].Dims);
      for (Number &N : Part.Data)
        N = Small(Random);
      for (int R : Group)
        Parts[static_cast<unsigned>(R)] = Part;
    }
    for (const std::vector<int> &Group : M.groups(A)) {
      const auto First = static_cast<unsigned>(Group.front());
      for (int R : llvm::drop_begin(Group)) {
        const auto Rank = static_cast<unsigned>(R);
        X[First] = X[First] + (-1) * Parts[Rank];
        X[Rank] = Parts[Rank];
      }
    }
  }
  return X;
}

} // namespace spmd::oracle
