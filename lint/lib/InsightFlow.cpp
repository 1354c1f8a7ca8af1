//===- InsightFlow.cpp - The values of a function as a graph --------------===//
//
// In the order of blocks; what comes round a loop is left out, as in a picture.
//
//===----------------------------------------------------------------------===//

#include "CollectInsight.h"

#include "TypeText.h"

#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

namespace spmd::lint {

using namespace rules;
using Role = TypedSlot::Role;

namespace {

/// The nodes that a slot's value comes from.
using Sources = llvm::SmallVector<unsigned, 2>;
/// On each axis on which something is known.
using Types = std::vector<std::pair<std::string, std::string>>;

class FlowGraph {
public:
  FlowGraph(const Function &F, const ProgramText &View)
      : F(F), View(View), Of(F.Slots.size()) {}

  /// \p TypesOf: of what stands at a fact, made or, where nothing is, taken;
  /// none of what is no value.
  FunctionFlow
  run(llvm::function_ref<std::optional<Types>(const Fact &, SlotId)> TypesOf,
      llvm::function_ref<std::pair<std::string, std::string>(
          const Fact &, const TransferFact &)>
          NameOf) {
    for (const Fact &X : factsOf(F))
      std::visit([&](const auto &Y) { visit(X, Y, TypesOf, NameOf); }, X);
    return std::move(Out);
  }

private:
  template <typename FactT, typename TypesFn, typename NameFn>
  void visit(const Fact &X, const FactT &Y, TypesFn TypesOf, NameFn NameOf) {
    FlowNode N;
    SlotId Made = SlotId::None;
    if constexpr (requires { Y.Dst; })
      Made = Y.Dst;
    if constexpr (std::is_same_v<FactT, BindFact> ||
                  std::is_same_v<FactT, ViewFact>) {
      if (Made != SlotId::None)
        of(Made) = sourcesOf(Y.Src.Slot, X, TypesOf);
      return;
    } else if constexpr (std::is_same_v<FactT, OpFact>) {
      N.K = FlowNode::Kind::Op;
      N.Label = std::string(Y.Rule ? Y.Rule->Name : "op");
      if (Made == SlotId::None)
        Made = Y.WritesTo;
    } else if constexpr (std::is_same_v<FactT, TransferFact>) {
      N.K = communicates(Y.K) ? FlowNode::Kind::Collective
                              : FlowNode::Kind::Conversion;
      std::tie(N.Label, N.Detail) = NameOf(X, Y);
      if (Made == SlotId::None)
        Made = Y.Out.Slot;
    } else if constexpr (std::is_same_v<FactT, CallFact>) {
      N.K = FlowNode::Kind::Call;
      const auto Text = View.text(&F, Y.At);
      N.Label =
          Text ? llvm::StringRef(Text->Text).split('(').first.trim().str() : "";
    } else if constexpr (std::is_same_v<FactT, ReturnFact>) {
      N.K = FlowNode::Kind::Return;
      N.Label = "return";
    } else {
      return;
    }
    Sources From;
    forEachOperand(X, [&](const Operand &O) {
      if (O.Slot != Made || std::is_same_v<FactT, OpFact>)
        for (unsigned S : sourcesOf(O.Slot, X, TypesOf))
          if (!llvm::is_contained(From, S))
            From.push_back(S);
    });
    N.Types = TypesOf(X, Made).value_or(Types());
    N.Where = View.place(&F, placeOf(X));
    if (!N.Where.Line || (From.empty() && N.Types.empty()))
      return;
    const unsigned Id = add(std::move(N));
    for (unsigned S : From)
      Out.Edges.push_back({S, Id});
    if (Made != SlotId::None) {
      of(Made) = {Id};
      if constexpr (std::is_same_v<FactT, OpFact>)
        if (Y.WritesTo != SlotId::None)
          of(Y.WritesTo) = {Id};
    }
  }

  /// What enters the function appears with its first use.
  template <typename TypesFn>
  Sources sourcesOf(SlotId S, const Fact &X, TypesFn TypesOf) {
    if (S == SlotId::None)
      return {};
    const Slot &Named = F.slot(S);
    const bool Enters = Named.Kind == SlotKind::Parameter ||
                        Named.Kind == SlotKind::Field ||
                        Named.Kind == SlotKind::Global;
    if (!of(S).empty() || !Enters || Named.Name.empty())
      return of(S);
    FlowNode N;
    N.Label = Named.Name;
    auto Is = TypesOf(X, S);
    if (!Is)
      return {};
    N.Types = std::move(*Is);
    N.Where = View.place(&F, Named.DeclaredAt);
    of(S) = {add(std::move(N))};
    return of(S);
  }

  unsigned add(FlowNode N) {
    Out.Nodes.push_back(std::move(N));
    return static_cast<unsigned>(Out.Nodes.size() - 1);
  }
  Sources &of(SlotId S) { return Of[index(S)]; }

  const Function &F;
  const ProgramText &View;
  std::vector<Sources> Of;
  FunctionFlow Out;
};

} // namespace

void CollectInsight::addFlow(const Function &F, Insight &Out) const {
  FunctionFlow Flow = FlowGraph(F, View).run(
      [&](const Fact &X, SlotId Slot) -> std::optional<Types> {
        const SeenType *Is = at(F, X, Role::Made, Slot);
        if (!Is || !Is->saysSomething())
          Is = at(F, X, Role::Taken, Slot);
        if (!Is)
          return std::nullopt;
        Types Out;
        for (const auto &[Axis, Type] : Is->Types)
          if (isKnown(Type))
            Out.emplace_back(Axis, printAxisType(Type));
        return Out;
      },
      [&](const Fact &X, const TransferFact &T) {
        const std::string Axes = axesOf(F, T);
        return std::pair(std::string(transferName(T.K)) +
                             (Axes.empty() ? "" : " on " + Axes),
                         detailOf(F, X, T));
      });
  Flow.Function = F.DisplayName;
  Flow.Where = View.definition(&F);
  if (!Flow.Nodes.empty() && Flow.Where.Line &&
      llvm::none_of(Out.Flows, [&](const FunctionFlow &Other) {
        return Other.Where == Flow.Where;
      }))
    Out.Flows.push_back(std::move(Flow));
}

} // namespace spmd::lint
