#include "TransitionCases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace spmd::test {
namespace {

using rules::OperatorKind;
using rules::Transition;

/// One row on \c N ranks.
struct Case {
  const Transition *Row;
  Placement Src, Dst;
  Shape Whole;
  int N;
  DType Type;
};

constexpr DType Types[] = {DType::F16, DType::BF16, DType::F32, DType::F64,
                           DType::I8,  DType::U8,   DType::I32, DType::I64,
                           DType::U32, DType::U64};

template <class T> T as(double X) { return static_cast<T>(X); }

std::size_t write(DType Type, double X, void *To) {
  const auto Put = [To](auto Value) {
    std::memcpy(To, &Value, sizeof Value);
    return sizeof Value;
  };
  // Small whole numbers: exact in every type, and so are their sums.
  const auto Upper = [](float F, int Drop) {
    std::uint32_t Bits;
    std::memcpy(&Bits, &F, 4);
    return Bits >> Drop;
  };
  switch (Type) {
  case DType::F16: {
    const std::uint32_t Bits = Upper(static_cast<float>(std::abs(X)), 13);
    return Put(static_cast<std::uint16_t>((X == 0 ? 0 : Bits - (112u << 10)) |
                                          (X < 0 ? 0x8000u : 0u)));
  }
  case DType::BF16:
    return Put(static_cast<std::uint16_t>(Upper(static_cast<float>(X), 16)));
  case DType::F32:
    return Put(as<float>(X));
  case DType::F64:
    return Put(X);
  case DType::I8:
    return Put(as<std::int8_t>(X));
  case DType::U8:
    return Put(as<std::uint8_t>(X));
  case DType::I32:
    return Put(as<std::int32_t>(X));
  case DType::I64:
    return Put(as<std::int64_t>(X));
  case DType::U32:
    return Put(as<std::uint32_t>(X));
  case DType::U64:
    return Put(as<std::uint64_t>(X));
  case DType::Bool:
  case DType::F8E4M3:
  case DType::F8E5M2:
    break;
  }
  return 0;
}

double read(DType Type, const void *From) {
  const auto Get = [From](auto Value) {
    std::memcpy(&Value, From, sizeof Value);
    return static_cast<double>(Value);
  };
  const auto Float = [](std::uint32_t Bits) {
    float F;
    std::memcpy(&F, &Bits, 4);
    return static_cast<double>(F);
  };
  std::uint16_t Half;
  switch (Type) {
  case DType::F16:
    std::memcpy(&Half, From, 2);
    return (Half & 0x7fff) == 0
               ? 0
               : Float((Half & 0x8000u) << 16 |
                       ((Half & 0x7fffu) + (112u << 10)) << 13);
  case DType::BF16:
    std::memcpy(&Half, From, 2);
    return Float(static_cast<std::uint32_t>(Half) << 16);
  case DType::F32:
    return Get(float());
  case DType::F64:
    return Get(double());
  case DType::I8:
    return Get(std::int8_t());
  case DType::U8:
    return Get(std::uint8_t());
  case DType::I32:
    return Get(std::int32_t());
  case DType::I64:
    return Get(std::int64_t());
  case DType::U32:
    return Get(std::uint32_t());
  case DType::U64:
    return Get(std::uint64_t());
  case DType::Bool:
  case DType::F8E4M3:
  case DType::F8E5M2:
    break;
  }
  return 0;
}

Placement typed(Placement P, LocalType T) {
  P.Type = T;
  return P;
}

/// The local shape under \p P of a tensor that is \p Whole, for \p Rank.
Shape localShape(const Placement &P, const Shape &Whole, int N, int Rank) {
  if (P.Type != LocalType::V)
    return Whole;
  const Axis A = Mesh({{"a", N}}, Rank).axis("a");
  return detail::pieceOf(
      {OperatorKind::Convert, A, P, P, DType::F32, Whole, {}}, P, Whole, Rank);
}

/// Small numbers that differ by seed, rank and element, and that \p P allows.
Ranks draw(const Placement &P, const Shape &Whole, int N, int Seed) {
  Ranks X;
  for (int R = 0; R < N; ++R) {
    X.Shapes.push_back(localShape(P, Whole, N, R));
    const bool Same = P.Type == LocalType::R || P.Type == LocalType::I;
    std::vector<double> Values;
    for (int E = 0; E < X.Shapes.back().numel(); ++E)
      Values.push_back((7 * Seed + 3 * E + (Same ? 0 : 5 * R)) % 4);
    X.Values.push_back(Values);
  }
  return X;
}

/// Of the operators that are told more than types: the last rank is the root,
/// and each sends to the next one, in the backward to the one before.
detail::Details detailsOf(OperatorKind Op, const Axis &A, bool Back) {
  if (Op == OperatorKind::Permute)
    return shift(Back ? -1 : 1).on(A, {});
  return {false, rules::hasRoot(Op) ? A.size() - 1 : 0};
}

/// What they make of \p X.
Ranks expected(OperatorKind Op, const Ranks &X) {
  Ranks Y = X;
  for (std::size_t R = 0; R < X.Values.size(); ++R) {
    const bool IsRoot = R + 1 == X.Values.size();
    const auto Zeros = std::vector<double>(X.Values[R].size());
    if (Op == OperatorKind::Permute)
      Y.Values[(R + 1) % X.Values.size()] = X.Values[R];
    if (Op == OperatorKind::Broadcast)
      Y.Values[R] = X.Values.back();
    if (Op == OperatorKind::Keep)
      Y.Values[R] = IsRoot ? X.Values[R] : Zeros;
    if (Op != OperatorKind::Reduce)
      continue;
    Y.Values[R] = Zeros;
    for (std::size_t E = 0; IsRoot && E < Zeros.size(); ++E)
      for (const std::vector<double> &Of : X.Values)
        Y.Values[R][E] += Of[E];
  }
  return Y;
}

/// Runs one operator on all ranks.
Ranks run(Launcher &On, OperatorKind Op, const Placement &Src,
          const Placement &Dst, const Ranks &In, DType Type,
          bool Back = false) {
  Ranks Out;
  Out.Shapes.resize(In.Shapes.size());
  Out.Values.resize(In.Shapes.size());
  On.run(static_cast<int>(In.Shapes.size()), [&](const Axis &A) {
    const auto R = static_cast<std::size_t>(A.rank());
    Out.Shapes[R] =
        detail::resultShape({Op, A, Src, Dst, Type, In.Shapes[R], {}});
    const std::size_t Size = sizeOf(Type);
    std::vector<char> From(In.Values[R].size() * Size);
    for (std::size_t E = 0; E < In.Values[R].size(); ++E)
      write(Type, In.Values[R][E], &From[E * Size]);
    std::vector<char> To(static_cast<std::size_t>(Out.Shapes[R].numel()) *
                         Size);
    std::vector<char> Later = To;
    // Where the axis works, which may be a device.
    Memory &M = A.memory();
    const auto Operand = M.allocate(From.size() + 1);
    const auto AtOnce = M.allocate(To.size() + 1);
    const auto Waited = M.allocate(To.size() + 1);
    const View X(Operand.get(), Type, In.Shapes[R]);
    M.upload(Operand.get(), From.data(), From.size());
    const detail::Details D = detailsOf(Op, A, Back);
    detail::runTransition(Op, X, View(AtOnce.get(), Type, Out.Shapes[R]), A,
                          Src, Dst, {}, D);
    M.download(To.data(), AtOnce.get(), To.size());
    detail::startTransition(Op, X, View(Waited.get(), Type, Out.Shapes[R]), A,
                            Src, Dst, {}, D)
        .wait();
    M.download(Later.data(), Waited.get(), Later.size());
    EXPECT_EQ(To, Later) << "started and waited for";
    for (std::int64_t E = 0; E < Out.Shapes[R].numel(); ++E)
      Out.Values[R].push_back(
          read(Type, &To[static_cast<std::size_t>(E) * Size]));
  });
  On.share(Out);
  return Out;
}

bool isLegal(LocalType T, const Ranks &X) {
  if (T == LocalType::V || T == LocalType::P)
    return true;
  for (const std::vector<double> &Values : X.Values)
    if (Values != X.Values[0])
      return false;
  return true;
}

/// What \p X stands for: the sum of a pending sum, the shards put together, one
/// of the equal values. \p P names the dim.
std::vector<double> denotation(const Placement &P, const Ranks &X,
                               const Shape &Whole) {
  const int N = static_cast<int>(X.Values.size());
  if (P.Type == LocalType::R || P.Type == LocalType::I)
    return X.Values[0];
  std::vector<double> D(static_cast<std::size_t>(Whole.numel()));
  for (int Rank = 0; Rank < N; ++Rank) {
    const std::vector<double> &Values =
        X.Values[static_cast<std::size_t>(Rank)];
    if (P.Type == LocalType::P) {
      for (std::size_t E = 0; E < D.size(); ++E)
        D[E] += Values[E];
      continue;
    }
    const auto Dim = static_cast<std::size_t>(P.HasDim ? P.Dim : 0);
    const std::int64_t Inner = Whole.numel(Dim + 1, Whole.size());
    std::int64_t Begin = 0, Each = 1;
    if (P.HasDim)
      Each = X.Shapes[static_cast<std::size_t>(Rank)][Dim];
    Begin = detail::chunkBegin(P, Each, Rank);
    std::size_t From = 0;
    for (std::int64_t O = 0; O < Whole.numel(0, Dim); ++O)
      for (std::int64_t C = Begin; C < Begin + Each; ++C)
        for (std::int64_t E = 0; E < Inner; ++E)
          D[static_cast<std::size_t>((O * Whole[Dim] + C) * Inner + E)] =
              Values[From++];
  }
  return D;
}

/// The pairing of a cotangent with a tangent of type \p T, times N.
double pair(LocalType T, const Ranks &Y, const Ranks &X) {
  double Sum = 0;
  for (std::size_t R = 0; R < X.Values.size(); ++R)
    for (std::size_t E = 0; E < X.Values[R].size(); ++E)
      Sum += Y.Values[R][E] * X.Values[R][E];
  return T == LocalType::I ? Sum : Sum * static_cast<double>(X.Values.size());
}

/// Runs \p C forward and backward.
void check(const Case &C, Launcher &On) {
  const Transition &T = *C.Row;
  const Ranks X = draw(C.Src, C.Whole, C.N, 1);
  const Ranks Y = run(On, T.Op, C.Src, C.Dst, X, C.Type);
  ASSERT_TRUE(isLegal(T.Dst, Y));
  // A sum of what varies is that of the pending sum that it is read as.
  const bool Summed =
      T.Op == OperatorKind::AllReduce || T.Op == OperatorKind::ReduceScatter;
  const Placement Read = Summed ? typed(C.Src, LocalType::P) : C.Src;
  if (!detail::knowsShards(T.Op)) {
    ASSERT_EQ(expected(T.Op, X).Values, Y.Values);
  } else if (T.KeepsMeaning || Summed) {
    ASSERT_EQ(denotation(Read, X, C.Whole), denotation(C.Dst, Y, C.Whole));
  } else {
    ASSERT_EQ(X.Values, Y.Values);
  }

  // Backward: from a cotangent of the result's dual type.
  const Placement Seed = typed(C.Dst, T.BackwardSrc);
  const Placement Back = typed(C.Src, T.BackwardDst);
  Ranks G = draw(Seed, C.Whole, C.N, 2);
  G.Shapes = Y.Shapes;
  for (std::size_t R = 0; R < G.Values.size(); ++R)
    G.Values[R].resize(Y.Values[R].size(), 1);
  const Ranks H = run(On, T.BackwardOp, Seed, Back, G, C.Type, /*Back=*/true);
  ASSERT_TRUE(isLegal(T.BackwardDst, H));
  EXPECT_EQ(pair(T.Dst, G, Y), pair(T.Src, H, X));
}

std::vector<Placement> placements(LocalType T, const Shape &Whole, int N,
                                  OperatorKind Op) {
  if (T != LocalType::V)
    return {{T}};
  std::vector<Placement> All;
  const bool Cuts = detail::knowsShards(Op);
  if (Op != OperatorKind::AllToAll && Whole[0] == N)
    All.push_back({T});
  for (std::size_t D = 0; Cuts && D < Whole.size(); ++D) {
    const int Dim = static_cast<int>(D);
    if (Whole[D] % N == 0)
      All.push_back({T, true, Dim});
    // Rank 0 has what is left, and with many ranks some have none.
    ChunkSizes Sizes(static_cast<std::size_t>(N), Whole[D] / (N + 1));
    Sizes[0] = Whole[D] - (N - 1) * Sizes[0];
    All.push_back(S(Dim, Sizes));
  }
  return All;
}

std::vector<Case> casesOf(const Transition &Row, int MaxRanks) {
  std::vector<Case> All;
  const bool Both = Row.Src == LocalType::V && Row.Dst == LocalType::V;
  for (int N = 1; N <= MaxRanks; ++N)
    for (const Shape &Whole :
         {Shape{N}, Shape{5}, Shape{N, 3}, Shape{2, 2 * N}, Shape{N, 2, N},
          // Larger than what threads bring along as copies.
          Shape{2 * N, 600}})
      for (const Placement &Src : placements(Row.Src, Whole, N, Row.Op))
        for (const Placement &Dst : placements(Row.Dst, Whole, N, Row.Op))
          // The same buffers under another type have one shape.
          if (!(Row.Op == OperatorKind::Reinterpret &&
                (Src.Sizes || Dst.Sizes)) &&
              (!Both || !Src.HasDim || !Dst.HasDim || Src.Dim != Dst.Dim))
            for (const DType Type : Types)
              All.push_back({&Row, Src, Dst, Whole, N, Type});
  return All;
}

/// "all_gather of f32[4,3] on 4, S(0) to R".
std::string describe(const Case &C) {
  const auto Name = [](const Placement &P) {
    if (!P.HasDim)
      return std::string(1, rules::letter(P.Type));
    return "S(" + std::to_string(P.Dim) + (P.Sizes ? ", uneven)" : ")");
  };
  return std::string(rules::operatorName(C.Row->Op)) + " of " + nameOf(C.Type) +
         C.Whole.str() + " on " + std::to_string(C.N) + ", " + Name(C.Src) +
         " to " + Name(C.Dst);
}

} // namespace

void checkRow(const Transition &Row, int MaxRanks, Launcher &On) {
  const std::vector<Case> Cases = casesOf(Row, MaxRanks);
  EXPECT_LT(10U, Cases.size());
  const std::size_t Step = On.isSlow() ? std::size(Types) + 1 : 1;
  for (std::size_t Which = 0; Which < Cases.size(); Which += Step) {
    SCOPED_TRACE(describe(Cases[Which]));
    check(Cases[Which], On);
  }
}

} // namespace spmd::test
