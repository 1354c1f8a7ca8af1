//===- InsertOperators.cpp - A suggestion's redistributions as code -------===//
//
// An operator goes around the expression that makes a value where all uses want
// it alike, else around each use. A sum over shards is declared to be pending
// where it is made.
//
//===----------------------------------------------------------------------===//

#include "SuggestSharding.h"

#include "spmd/ir/Inline.h"
#include "spmd/ir/Walk.h"
#include "spmd/sharding/Suggest.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd;
using namespace spmd::lint;

namespace {

using rules::LocalType;
using sharding::AxisIndex;
using sharding::ValueType;

/// `spmd::name(` … `, axis, spmd::S(1), spmd::R)`.
struct Wrapping {
  std::string Before, After;
  void add(llvm::StringRef Name, llvm::StringRef Rest) {
    Before = (Name + "(" + Before).str();
    After += (", " + Rest + ")").str();
  }
};

class Inserter {
public:
  Inserter(const sharding::Suggestion &S, const rules::InlinedFunction &In,
           const ProgramText &Text)
      : S(S), In(In), Text(Text), Q(Text.qualifier()) {}

  std::vector<Edit> run() {
    if (hasOperators() ||
        !llvm::all_of(S.Of.Values, [](const sharding::Value &V) {
          return V.HasDims; // what lies how is known of all
        }))
      return {};
    for (const sharding::Transition &T : S.Transitions)
      if (!T.IsGradient && !T.IsNextLayer && !insert(T))
        return {};
    for (const sharding::PendingSum &P : S.PendingSums)
      if (!declarePending(P))
        return {};
    if (!llvm::all_of(All, [&](const Wrapped &W) { return isAlwaysSo(W); }))
      return {};
    return edits();
  }

private:
  /// Of one expression the inner ones first.
  enum Rank : std::uint8_t { AroundSum, AroundMaker, AroundUse };
  struct Wrapped {
    fixits::SourceText Where;
    Rank Order;
    Wrapping With;
    rules::PlaceId At = rules::PlaceId::None;
    unsigned Times = 1; ///< it was asked for
  };

  /// Of a body that is called twice, both calls want it.
  bool isAlwaysSo(const Wrapped &W) const {
    if (In.original(W.At).In == In.original(In.F.ResultAt).In)
      return true;
    unsigned There = 0;
    for (const sharding::Node &N : S.Of.Nodes)
      if (W.Order != AroundUse)
        There += !N.Joins && N.At == W.At;
      else
        There += static_cast<unsigned>(
            llvm::count_if(N.Operands, [&](const sharding::Node::Use &U) {
              return U.At == W.At;
            }));
    return There <= W.Times;
  }

  bool hasOperators() const {
    return !rules::factsOf<rules::TransferFact>(*S.Of.F).empty();
  }

  /// As the function that \p At is in can write it.
  std::string handle(AxisIndex A, rules::PlaceId At) const {
    return Text.axisSpelling(In.original(At).In, S.Mesh.All[A].Name);
  }

  bool wrap(rules::PlaceId At, Rank Order, const Wrapping &With) {
    const rules::OriginalPlace Was = In.original(At);
    const auto Where = Text.text(Was.In, Was.At);
    if (!Where || !Text.isTensor(Was.In, Was.At))
      return false;
    // A body that is called twice is written once.
    for (Wrapped &W : All)
      if (W.Where.File == Where->File && W.Where.Offset == Where->Offset &&
          W.Where.Length == Where->Length && W.Order == Order) {
        ++W.Times;
        return W.With.Before == With.Before && W.With.After == With.After;
      }
    All.push_back({*Where, Order, With, At});
    return true;
  }

  bool declarePending(const sharding::PendingSum &P) {
    Wrapping W;
    for (AxisIndex A : P.Axes) {
      const std::string On = handle(A, P.At);
      if (On.empty())
        return false;
      W.add(Q + "out_partial", On);
    }
    return wrap(P.At, AroundSum, W);
  }

  bool insert(const sharding::Transition &T) {
    const auto Wrap = [&](rules::PlaceId At, Rank Order) {
      const std::optional<Wrapping> W = path(T.FromType, T.ToType, At);
      return W && wrap(At, Order, *W);
    };
    if (T.WrapsProducer)
      return Wrap(T.MadeAt, AroundMaker);
    return llvm::all_of(T.Uses,
                        [&](rules::PlaceId At) { return Wrap(At, AroundUse); });
  }

  //===--- One axis at a time ---------------------------------------------===//

  std::string tag(const ValueType &T, AxisIndex A) const {
    for (std::size_t D = 0; D != T.Where.Dims.size(); ++D)
      if (llvm::is_contained(T.Where.Dims[D], A))
        return Q + "S(" + std::to_string(D) + ")";
    return Q + letter(T.on(A));
  }

  /// The operator for \p A from \p Now to \p To; empty when there is none.
  static llvm::StringRef operatorFor(LocalType From, LocalType To) {
    using L = LocalType;
    if (From == L::P)
      return To == L::V ? "reduce_scatter" : "all_reduce";
    if (From == L::V)
      return To == L::V ? "all_to_all" : "all_gather";
    if (From == L::I && To == L::R)
      return "invariant_to_replicate";
    return From == L::R || To == L::V ? "convert" : "";
  }

  /// Where \p Now gets when \p A becomes as in \p To; nothing when A is not
  /// the last of its dim, or would not be as far in as it should.
  std::optional<ValueType> after(const ValueType &Now, const ValueType &To,
                                 AxisIndex A) const {
    ValueType Out = Now;
    for (planner::Axes &D : Out.Where.Dims)
      if (llvm::is_contained(D, A)) {
        if (D.back() != A)
          return std::nullopt;
        D.pop_back();
      }
    llvm::erase(Out.Where.Partial, A);
    llvm::erase(Out.Invariant, A);
    for (std::size_t D = 0; D != To.Where.Dims.size(); ++D)
      if (llvm::is_contained(To.Where.Dims[D], A)) {
        planner::Axes &Here = Out.Where.Dims[D];
        Here.push_back(A);
        if (Here.size() > To.Where.Dims[D].size() ||
            !std::equal(Here.begin(), Here.end(), To.Where.Dims[D].begin()))
          return std::nullopt;
      }
    if (To.on(A) == LocalType::P)
      Out.Where.Partial.push_back(A);
    if (To.on(A) == LocalType::I)
      Out.Invariant.push_back(A);
    llvm::sort(Out.Where.Partial);
    llvm::sort(Out.Invariant);
    return Out;
  }

  std::optional<Wrapping> path(ValueType Now, const ValueType &To,
                               rules::PlaceId At) const {
    Wrapping Out;
    while (!(Now == To)) {
      bool Moved = false;
      for (AxisIndex A = 0; A != S.Mesh.All.size() && !Moved; ++A) {
        const std::string From = tag(Now, A), Into = tag(To, A);
        const std::string On = handle(A, At);
        if (S.Mesh.All[A].Size == 1 || From == Into)
          continue;
        const llvm::StringRef Name = operatorFor(Now.on(A), To.on(A));
        std::optional<ValueType> Next = after(Now, To, A);
        if (!Next || Name.empty() || On.empty())
          continue;
        Out.add(Q + Name.str(), Name == "invariant_to_replicate"
                                    ? On
                                    : On + ", " + From + ", " + Into);
        Now = std::move(*Next);
        Moved = true;
      }
      if (!Moved)
        return std::nullopt;
    }
    return Out;
  }

  //===--- As insertions --------------------------------------------------===//

  /// What begins at one place: longer expressions first, and of one expression
  /// the outer operator; where one ends, the other way round.
  std::vector<Edit> edits() {
    std::vector<Edit> Out;
    const auto Inner = [](const Wrapped &A, const Wrapped &B) {
      return std::pair(A.Where.Length, A.Order) <
             std::pair(B.Where.Length, B.Order);
    };
    llvm::sort(All, Inner);
    for (const Wrapped &W : llvm::reverse(All))
      Out.push_back({W.Where.File, W.Where.Offset, 0, W.With.Before});
    for (const Wrapped &W : All)
      Out.push_back(
          {W.Where.File, W.Where.Offset + W.Where.Length, 0, W.With.After});
    if (!All.empty())
      if (const auto Include = Text.includeLibrary(All.front().Where.File))
        Out.push_back(
            {Include->File, Include->Offset, Include->Length, Include->Text});
    return Out;
  }

  const sharding::Suggestion &S;
  const rules::InlinedFunction &In;
  const ProgramText &Text;
  std::string Q;
  std::vector<Wrapped> All;
};

} // namespace

std::vector<Edit> lint::insertOperators(const sharding::Suggestion &S,
                                        const rules::InlinedFunction &In,
                                        const ProgramText &Text) {
  return Inserter(S, In, Text).run();
}
