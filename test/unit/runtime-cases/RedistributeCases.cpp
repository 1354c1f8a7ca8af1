#include "RedistributeCases.h"

#include <functional>
#include <map>

namespace spmd::test {
namespace {

using Point = std::vector<std::int64_t>;
using Box = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// As torch.chunk: all as large as the first but the last.
std::pair<std::int64_t, std::int64_t>
chunk(std::pair<std::int64_t, std::int64_t> Of, int N, int Part) {
  const std::int64_t Length = Of.second - Of.first;
  const std::int64_t Each = (Length + N - 1) / N;
  return {Of.first + std::min(Length, Each * Part),
          Of.first + std::min(Length, Each * (Part + 1))};
}

void eachPoint(const Box &B, const std::function<void(const Point &)> &Visit,
               Point P = {}) {
  if (P.size() == B.size())
    return Visit(P);
  const auto [Begin, End] = B[P.size()];
  P.push_back(Begin);
  for (; P.back() < End; ++P.back())
    eachPoint(B, Visit, P);
}

/// The addend of an element at the coordinates on the axes where it is partial.
double addend(const Point &P, const std::vector<int> &At) {
  std::int64_t N = 0;
  for (std::int64_t X : P)
    N = 5 * N + X + 1;
  for (int X : At)
    N = 3 * N + 2 * X;
  return static_cast<double>(N % 17);
}

std::vector<int> coordinates(int Rank, const std::vector<Mesh::Dim> &M) {
  std::vector<int> Out(M.size());
  for (std::size_t A = M.size(); A-- > 0; Rank /= M[A].Size)
    Out[A] = Rank % M[A].Size;
  return Out;
}

std::vector<int> sizesOf(const std::vector<Mesh::Dim> &M) {
  std::vector<int> Out;
  for (const Mesh::Dim &D : M)
    Out.push_back(D.Size);
  return Out;
}

} // namespace

Box TestSpec::box(const Shape &Whole, const std::vector<int> &At,
                  const std::vector<int> &Sizes) const {
  Box Out;
  for (std::size_t D = 0; D < Dims.size(); ++D) {
    std::pair<std::int64_t, std::int64_t> Part = {0, Whole[D]};
    for (int A : Dims[D])
      Part = chunk(Part, Sizes[static_cast<std::size_t>(A)],
                   At[static_cast<std::size_t>(A)]);
    Out.push_back(Part);
  }
  return Out;
}

std::string TestSpec::str(const Shape &Whole, const Mesh &M) const {
  const auto Name = [&](int A) {
    return M.dims()[static_cast<std::size_t>(A)].Name;
  };
  std::string Out = "[";
  for (std::size_t D = 0; D < Dims.size(); ++D) {
    Out += (D ? ", " : "") + std::to_string(Whole[D]);
    std::string Before = "@(";
    for (int A : Dims[D]) {
      Out += Before + Name(A);
      Before = ",";
    }
    Out += Dims[D].empty() ? "" : ")";
  }
  Out += "]";
  std::string Before = "{";
  for (std::size_t A = 0; A < Types.size(); ++A)
    if (Types[A] != LocalType::V) {
      Out +=
          Before + Name(static_cast<int>(A)) + ": " + rules::letter(Types[A]);
      Before = ", ";
    }
  return Before == "{" ? Out : Out + "}";
}

TestSpec TestSpec::dual() const {
  TestSpec Out = *this;
  for (LocalType &T : Out.Types)
    T = rules::dual(T);
  return Out;
}

Shape TestSpec::localShape(const Shape &Whole, const Mesh &M) const {
  Shape Out;
  for (const auto &[Begin, End] :
       box(Whole, coordinates(M.rank(), M.dims()), sizesOf(M.dims())))
    Out.insert(Out.size(), End - Begin);
  return Out;
}

std::vector<double> TestSpec::draw(const Shape &Whole, const Mesh &M) const {
  const std::vector<int> At = coordinates(M.rank(), M.dims());
  // The sum over the axes where it is partial is that of all: what is on one
  // rank of the others is what those on all of its axis have together.
  std::vector<double> Out;
  eachPoint(box(Whole, At, sizesOf(M.dims())), [&](const Point &P) {
    double Sum = 0;
    for (int R = 0; R < M.size(); ++R) {
      const std::vector<int> Other = coordinates(R, M.dims());
      bool Counts = true;
      for (std::size_t A = 0; A < Types.size(); ++A)
        Counts &= Types[A] != LocalType::P || Other[A] == At[A];
      if (Counts)
        Sum += addend(P, Other);
    }
    Out.push_back(Sum);
  });
  return Out;
}

std::string TestSpec::check(const Shape &Whole, const std::vector<Mesh::Dim> &M,
                            const Values &X) const {
  // By element and coordinates on the partial axes.
  std::map<std::pair<Point, std::vector<int>>, double> Parts;
  std::string Wrong;
  for (std::size_t R = 0; R < X.size(); ++R) {
    const std::vector<int> At = coordinates(static_cast<int>(R), M);
    std::vector<int> Partial;
    for (std::size_t A = 0; A < Types.size(); ++A)
      if (Types[A] == LocalType::P)
        Partial.push_back(At[A]);
    std::size_t E = 0;
    eachPoint(box(Whole, At, sizesOf(M)), [&](const Point &P) {
      const double Value = E < X[R].size() ? X[R][E] : -1;
      ++E;
      const auto [It, New] = Parts.try_emplace({P, Partial}, Value);
      if (!New && It->second != Value)
        Wrong = "rank " + std::to_string(R) + " has another replica";
    });
    if (E != X[R].size())
      Wrong = "rank " + std::to_string(R) + " has " +
              std::to_string(X[R].size()) + " elements";
  }
  std::map<Point, double> Sums;
  for (const auto &[Key, Value] : Parts)
    Sums[Key.first] += Value;
  Box All;
  for (std::int64_t N : Whole)
    All.emplace_back(0, N);
  eachPoint(All, [&](const Point &P) {
    double Sum = 0;
    for (std::size_t R = 0; R < X.size(); ++R)
      Sum += addend(P, coordinates(static_cast<int>(R), M));
    if (Sums[P] != Sum)
      Wrong = "an element is " + std::to_string(Sums[P]) + ", not " +
              std::to_string(Sum);
  });
  return Wrong;
}

double TestSpec::pair(const std::vector<Mesh::Dim> &M, const Values &Y,
                      const Values &X) const {
  double Sum = 0, Copies = 1;
  for (std::size_t R = 0; R < X.size(); ++R)
    for (std::size_t E = 0; E < X[R].size(); ++E)
      Sum += Y[R][E] * X[R][E];
  for (std::size_t A = 0; A < Types.size(); ++A)
    if (Types[A] == LocalType::I)
      Copies *= M[A].Size;
  return Sum / Copies;
}

std::vector<TestSpec> allSpecs(std::size_t Rank, std::size_t Axes) {
  std::vector<TestSpec> Out = {{std::vector<std::vector<int>>(Rank), {}}};
  for (std::size_t A = 0; A < Axes; ++A) {
    std::vector<TestSpec> Next;
    for (const TestSpec &S : Out) {
      for (LocalType T : {LocalType::R, LocalType::I, LocalType::P}) {
        Next.push_back(S);
        Next.back().Types.push_back(T);
      }
      for (std::size_t D = 0; D < Rank; ++D)
        for (std::size_t At = 0; At <= S.Dims[D].size(); ++At) {
          Next.push_back(S);
          Next.back().Types.push_back(LocalType::V);
          std::vector<int> &Cut = Next.back().Dims[D];
          Cut.insert(Cut.begin() + static_cast<std::ptrdiff_t>(At),
                     static_cast<int>(A));
        }
    }
    Out = std::move(Next);
  }
  return Out;
}

} // namespace spmd::test
