//===- DomainTest.cpp - Laws of what is known about a value ---------------===//

#include "domain/Value.h"

#include "gtest/gtest.h"

#include <random>

using namespace spmd::rules;
using namespace spmd::rules::inference;

namespace {

/// Random contents, small enough that any two have something in common.
class Random {
public:
  explicit Random(unsigned Seed) : Engine(Seed) {}

  unsigned below(unsigned N) { return static_cast<unsigned>(Engine() % N); }
  bool flag() { return below(2); }
  AxisMask mask() { return below(4); }
  TypeSet types() { return TypeSet::fromBits(1 + below(15)); }

  void fill(AxisState &X) {
    static const TransferFact Sum = {};
    X.Set = types();
    X.May = flag() ? X.Set & types() : TypeSet::none();
    if (flag())
      X.Dim = static_cast<std::int8_t>(below(2));
    X.Constant = WithConstants &&
                 (LocalType::R | LocalType::I).subsetOf(X.Set) && flag();
    X.Assumed = below(4) == 0;
    X.Before = DivergedFrom(below(4));
    X.By = Collected(below(3));
    X.SumOfReplicas = flag() ? &Sum : nullptr;
    X.Own = OwnTerms(below(6));
  }
  void fill(Recovery &X) {
    X.Undefined = below(4) == 0;
    X.Wrong = X.Undefined && flag();
  }
  void fill(ViewPosition &X) {
    if (flag())
      return;
    X.Whole = below(2);
    X.Varies = mask();
    X.MayVary = mask();
    X.Some = flag();
  }
  void fill(RankFacts &X) { X = {mask(), mask(), mask(), mask()}; }
  void fill(Divergence &X) { X = {mask(), mask(), mask(), mask()}; }
  void fill(Layout &X) {
    X.SpecWrong = flag();
    if (flag())
      return;
    X.SpecWrong = false;
    PartitionSpec Spec;
    for (unsigned D = 0, N = 1 + below(2); D != N; ++D) {
      ShardedDim &Dim = Spec.Dims.emplace_back();
      if (flag())
        Dim.Size = Extent::number(1 + below(2));
      if (flag() && D == 0)
        Dim.Axes.push_back(below(2));
      if (Dim.isOpen() && flag())
        Dim.Local = Extent::number(1 + below(2));
    }
    Spec.Positions = flag();
    X.Spec = std::make_shared<const PartitionSpec>(std::move(Spec));
  }
  void fill(StorageFacts &X) {
    X.Untouched = flag();
    X.Number = flag();
    X.Gradient = flag() ? below(2) : NoCell;
    if (flag())
      X.Span = {below(2)};
  }
  void fill(AbstractValue &X) {
    fill(static_cast<Recovery &>(X));
    fill(static_cast<ViewPosition &>(X));
    fill(static_cast<RankFacts &>(X));
    fill(static_cast<Divergence &>(X));
    fill(static_cast<Layout &>(X));
    fill(static_cast<StorageFacts &>(X));
    for (unsigned A = 0; A != 2; ++A)
      fill(X.Axes.emplace_back());
  }
  template <typename T> T make() {
    T Out;
    fill(Out);
    return Out;
  }

  bool WithConstants = true;

private:
  std::mt19937 Engine;
};

constexpr unsigned Trials = 20000;

template <typename T> class Laws : public testing::Test {};
using AllParts =
    testing::Types<AxisState, Recovery, ViewPosition, RankFacts, Divergence,
                   Layout, StorageFacts, AbstractValue>;
TYPED_TEST_SUITE(Laws, AllParts);

TYPED_TEST(Laws, JoinIsSymmetricAndIdempotent) {
  Random Of(1);
  for (unsigned I = 0; I != Trials; ++I) {
    const auto A = Of.make<TypeParam>(), B = Of.make<TypeParam>();
    EXPECT_EQ(textOf(join(A, B)), textOf(join(B, A)));
    EXPECT_TRUE(join(A, B) == join(B, A));
    EXPECT_TRUE(join(A, A) == A) << textOf(A);
  }
}

/// What was joined once stays joined, so that a fixpoint is reached.
TYPED_TEST(Laws, JoinAbsorbs) {
  Random Of(2);
  for (unsigned I = 0; I != Trials; ++I) {
    const auto A = Of.make<TypeParam>(), B = Of.make<TypeParam>();
    const auto Both = join(A, B);
    EXPECT_TRUE(join(Both, B) == Both) << textOf(A) << "\n"
                                       << textOf(B) << "\n"
                                       << textOf(Both);
  }
}

TYPED_TEST(Laws, EqualContentsHaveOneHash) {
  Random Of(3);
  for (unsigned I = 0; I != Trials; ++I) {
    const auto A = Of.make<TypeParam>(), B = Of.make<TypeParam>();
    if (A == B)
      EXPECT_EQ(hash_value(A), hash_value(B));
    EXPECT_EQ(A == B, textOf(A) == textOf(B)) << textOf(A) << "\n" << textOf(B);
  }
}

template <typename T> class OrderedLaws : public testing::Test {};
using OrderedParts =
    testing::Types<AxisState, Recovery, ViewPosition, RankFacts, Divergence,
                   Layout, StorageFacts>;
TYPED_TEST_SUITE(OrderedLaws, OrderedParts);

// Not of constants: one is what the other path has, R or V or a pending sum,
// which then differs from a third path; joined with that first, it would not
// have been said to be anything. Nor, for the same reason, of whole values, of
// which one that is undefined is what the other path has.
TYPED_TEST(OrderedLaws, JoinIsAssociative) {
  Random Of(4);
  Of.WithConstants = false;
  for (unsigned I = 0; I != Trials; ++I) {
    const auto A = Of.make<TypeParam>(), B = Of.make<TypeParam>(),
               C = Of.make<TypeParam>();
    EXPECT_TRUE(join(join(A, B), C) == join(A, join(B, C))) << textOf(A) << "\n"
                                                            << textOf(B) << "\n"
                                                            << textOf(C);
  }
}

/// A is below B where joining it to B adds nothing.
TYPED_TEST(OrderedLaws, JoinIsMonotone) {
  Random Of(5);
  Of.WithConstants = false;
  for (unsigned I = 0; I != Trials; ++I) {
    const auto A = Of.make<TypeParam>(), Other = Of.make<TypeParam>(),
               C = Of.make<TypeParam>();
    const auto Above = join(A, Other);
    const auto Low = join(A, C), High = join(Above, C);
    EXPECT_TRUE(join(Low, High) == High) << textOf(A) << "\n"
                                         << textOf(Above) << "\n"
                                         << textOf(C);
  }
}

TEST(AxisState, AConstantBecomesWhatTheOtherPathHas) {
  const AxisState One =
      AxisState::constant(LocalType::R | LocalType::I, nullptr);
  EXPECT_TRUE(join(One, AxisState::of(LocalType::V, nullptr)) ==
              AxisState::of(LocalType::V, nullptr));
  EXPECT_EQ(textOf(join(One, AxisState::of(LocalType::P, nullptr))),
            "types=RIP may=RIP");
  EXPECT_EQ(
      textOf(join(One, AxisState::of(LocalType::V | LocalType::P, nullptr))),
      "types=VP may=P");
}

TEST(AxisState, AnExplanationIsNoPartOfWhatIsKnown) {
  Origin Here;
  EXPECT_TRUE(AxisState::of(LocalType::R, &Here) ==
              AxisState::of(LocalType::R, nullptr));
}

} // namespace
