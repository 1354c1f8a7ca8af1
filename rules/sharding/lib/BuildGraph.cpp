//===- BuildGraph.cpp - From the IR of a function to whole tensors --------===//

#include "Declare.h"
#include "FindFactors.h"
#include "Joins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace spmd::rules;

namespace spmd::sharding {

char GraphError::ID;
void GraphError::log(llvm::raw_ostream &OS) const { OS << What.Message; }
std::error_code GraphError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

void Graph::note(PlaceId At, const llvm::Twine &Message) {
  for (const Note &N : Notes)
    if (N.At == At && N.Message == Message.str())
      return;
  Notes.push_back({At, Message.str()});
}

namespace {

class Builder {
public:
  Builder(const Function &F, const planner::DeviceMesh &Mesh,
          const GraphOptions &Options)
      : F(F), Options(Options), Meet(G) {
    G.F = &F;
    G.Mesh = Mesh;
    G.Sizes = Options.Sizes;
    for (const planner::DeviceMesh::Axis &A : Mesh.All)
      G.Axes.All.push_back({A.Name, Extent::number(A.Size)});
  }

  llvm::Expected<Graph> run() {
    if (llvm::Error E = addParameters())
      return std::move(E);
    const Ways W(F);
    for (const Ways::Stop &At : W.Order)
      if (llvm::Error E = visit(At))
        return std::move(E);
    addReturned();
    if (llvm::none_of(G.Values, [](const Value &V) { return V.HasDims; }))
      return graphError(F.ResultAt, "no parameter of '" + F.DisplayName +
                                        "' says its dims, as in "
                                        "[[spmd::type(\"[B, S, H]\")]]");
    if (G.Nodes.empty())
      return graphError(F.ResultAt,
                        "'" + F.DisplayName + "' has no op on tensors");
    return std::move(G);
  }

private:
  void note(PlaceId At, const llvm::Twine &Message) { G.note(At, Message); }

  //===--- Declarations ---------------------------------------------------===//

  /// The batch is what the first parameter has first, unless it is named.
  void findBatch(Value &V) {
    if (V.Written.empty())
      return;
    if (G.BatchName.empty())
      G.BatchName = Options.Batch.empty() ? V.Written[0] : Options.Batch;
    for (unsigned D = 0; D != V.Written.size(); ++D)
      if (V.Written[D] == G.BatchName && !V.BatchDim)
        V.BatchDim = D;
    if (V.BatchDim)
      V.From = Value::Source::Input;
  }

  llvm::Expected<ValueId> addDeclared(SlotId S) {
    const Slot &Info = F.slot(S);
    Value V;
    V.From = Value::Source::Weight;
    V.Name = Info.Name;
    V.At = Info.DeclaredAt;
    V.Slot = S;
    V.Declared = Info.Declared;
    if (Info.Declared)
      if (llvm::Error E = declare(V, Info.Declared->Entry, Options.Sizes))
        return std::move(E);
    if (Info.Kind == SlotKind::Parameter)
      findBatch(V);
    G.Values.push_back(std::move(V));
    return static_cast<ValueId>(G.Values.size() - 1);
  }

  llvm::Error addParameters() {
    for (unsigned P = 0; P != F.NumParameters; ++P) {
      const SlotId S = SlotId(P);
      const Slot &Info = F.slot(S);
      if (!Info.Declared || !Info.Declared->Entry.Global)
        continue;
      llvm::Expected<ValueId> V = addDeclared(S);
      if (!V)
        return V.takeError();
      Here.Now[S] = makeStorage(*V);
    }
    if (!Options.Batch.empty() &&
        llvm::none_of(G.Values, [](const Value &V) { return V.BatchDim; }))
      return graphError(F.ResultAt, "no parameter has the batch dim '" +
                                        Options.Batch + "'");
    return llvm::Error::success();
  }

  //===--- Control flow ---------------------------------------------------===//

  llvm::Error visit(const Ways::Stop &At) {
    if (!At.Before.empty()) {
      std::vector<const Storages *> Ends;
      for (BlockId B : At.Before)
        Ends.push_back(&After[index(B)]);
      Here = Meet.meet(Ends);
    }
    if (!At.Again.empty())
      Loops.push_back(Meet.beginLoop(F, At, Here));
    const std::size_t First = G.Nodes.size();
    for (const Fact &X : F.Blocks[index(At.At)].Facts)
      if (llvm::Error E = visit(X))
        return E;
    After[index(At.At)] = Here;
    for (Joins::Loop &L : Loops) {
      if (L.At->Loop.contains(index(At.At)))
        noteLoop(L, First);
      if (llvm::is_contained(L.At->Again, At.At))
        Meet.endLoop(L, Here);
    }
    return llvm::Error::success();
  }

  void noteLoop(Joins::Loop &L, std::size_t First) {
    for (std::size_t N = First; N != G.Nodes.size() && !L.IsNoted; ++N)
      if (!G.Nodes[N].Joins) {
        L.IsNoted = true;
        note(G.Nodes[N].At, "this is in a loop: its body is counted once");
      }
  }

  void addReturned() {
    llvm::SmallVector<std::optional<ValueId>, 2> All;
    for (const auto &[V, At] : Returns) {
      All.push_back(V);
      G.ReturnedAt = At;
    }
    G.Returned = Meet.join(All);
  }

  //===--- Storage --------------------------------------------------------===//

  StorageId makeStorage(std::optional<ValueId> V) {
    const StorageId New = Meet.newStorage();
    Here.Contents[New] = V;
    return New;
  }

  /// The tensor in a slot; nothing for host numbers and what is never made.
  llvm::Expected<std::optional<ValueId>> read(SlotId S) {
    if (S == SlotId::None)
      return std::nullopt;
    if (auto It = Here.Now.find(S); It != Here.Now.end())
      return Here.Contents[It->second];
    const Slot &Info = F.slot(S);
    const bool IsDeclared = Info.Declared && Info.Declared->Entry.Global;
    if (!IsDeclared && Info.Kind != SlotKind::Field &&
        Info.Kind != SlotKind::Global && Info.Kind != SlotKind::Parameter)
      return std::nullopt;
    if (!Info.DeclaredAxes.empty())
      return std::nullopt;
    llvm::Expected<ValueId> V = addDeclared(S);
    if (!V)
      return V.takeError();
    Here.Now[S] = makeStorage(*V);
    return *V;
  }

  //===--- Facts ----------------------------------------------------------===//

  llvm::Error visit(const Fact &X) {
    if (const auto *B = std::get_if<BindFact>(&X))
      return B->Joins ? unseen(B->Dst, {B->Src}, "a list of tensors", B->At)
                      : bind(B->Dst, B->Src.Slot);
    if (const auto *D = std::get_if<DefineFact>(&X)) {
      Here.Now[D->Dst] = makeStorage(std::nullopt);
      return llvm::Error::success();
    }
    if (const auto *O = std::get_if<OpFact>(&X)) {
      const bool MakesNothing = // a shape that is asked for
          O->Dst == SlotId::None && O->WritesTo == SlotId::None;
      return MakesNothing ? llvm::Error::success() : visit(*O);
    }
    if (const auto *T = std::get_if<TransferFact>(&X)) {
      if (T->Out.Slot != SlotId::None)
        if (llvm::Error E = bind(T->Out.Slot, T->Src.Slot))
          return E;
      return bind(T->Dst, T->Src.Slot);
    }
    if (const auto *A = std::get_if<AssertFact>(&X))
      return assertion(*A);
    if (const auto *R = std::get_if<ReturnFact>(&X))
      return visit(*R);
    if (const auto *C = std::get_if<CallFact>(&X))
      return call(*C);
    if (const auto *V = std::get_if<ViewFact>(&X))
      return unseen(V->Dst, {V->Src}, "a part of a buffer", V->At);
    if (const auto *D = std::get_if<GradientFact>(&X))
      return unseen(D->Dst, {D->Src}, "a gradient", D->At);
    if (const auto *H = std::get_if<HavocFact>(&X))
      return unseen(H->Slot, {}, "unknown code", H->At);
    return llvm::Error::success();
  }

  llvm::Error bind(SlotId Dst, SlotId Src) {
    if (Dst == SlotId::None)
      return llvm::Error::success();
    llvm::Expected<std::optional<ValueId>> V = read(Src);
    if (!V)
      return V.takeError();
    auto It = Here.Now.find(Src);
    Here.Now[Dst] = It != Here.Now.end() ? It->second : makeStorage(*V);
    if (*V && !F.slot(Dst).Name.empty() &&
        G.Values[**V].From == Value::Source::Made)
      G.Values[**V].Name = F.slot(Dst).Name;
    return llvm::Error::success();
  }

  /// What is declared of a value tells its dims where nothing else does, and
  /// on the axes that it mentions how the value lies.
  llvm::Error assertion(const AssertFact &A) {
    llvm::Expected<std::optional<ValueId>> V = read(A.Value.Slot);
    if (!V)
      return V.takeError();
    if (!*V || !A.Type || !A.Type->Global)
      return llvm::Error::success();
    if (!G.Values[**V].HasDims)
      if (llvm::Error E = declare(G.Values[**V], *A.Type, Options.Sizes))
        return E;
    if (G.Values[**V].Sizes.size() != A.Type->Global->Dims.size())
      return graphError(A.At, "'" + G.Values[**V].Name + "' has " +
                                  llvm::Twine(G.Values[**V].Sizes.size()) +
                                  " dims, its annotation " +
                                  llvm::Twine(A.Type->Global->Dims.size()));
    ValueId Of = **V;
    if (!A.Type->Axes.empty()) {
      Of = Meet.add(Of, A.Type);
      Here.Contents[Here.Now.at(A.Value.Slot)] = Of;
    }
    if (A.DeclaredAt != PlaceId::None)
      G.Descriptions.push_back({A.Subject, A.DeclaredAt, Of, A.Type});
    return llvm::Error::success();
  }

  llvm::Error visit(const ReturnFact &R) {
    llvm::Expected<std::optional<ValueId>> V = read(R.Value.Slot);
    if (!V)
      return V.takeError();
    Returns.emplace_back(*V, R.Value.At);
    return llvm::Error::success();
  }

  llvm::Error call(const CallFact &C) {
    llvm::SmallVector<Operand, 4> All(C.Arguments.begin(), C.Arguments.end());
    if (C.Receiver.Slot != SlotId::None)
      All.push_back(C.Receiver);
    return unseen(C.Dst, All, "a call", C.At);
  }

  /// Code without a rule: it needs all of what it is given.
  llvm::Error unseen(SlotId Dst, llvm::ArrayRef<Operand> Operands,
                     llvm::StringRef What, PlaceId At) {
    Node N;
    N.Name = What.str();
    N.At = At;
    for (const Operand &X : Operands) {
      llvm::Expected<std::optional<ValueId>> V = read(X.Slot);
      if (!V)
        return V.takeError();
      if (*V)
        N.Operands.push_back({*V, X.At});
    }
    if (N.Operands.empty())
      return llvm::Error::success();
    note(At, What + " is taken to need whole tensors, and to take no time");
    addResult(N, Dst, SlotId::None, Value());
    G.Nodes.push_back(std::move(N));
    return llvm::Error::success();
  }

  void addResult(Node &N, SlotId Dst, SlotId WritesTo, Value Made) {
    Made.Name = N.Name;
    Made.At = N.At;
    Made.Maker = static_cast<unsigned>(G.Nodes.size());
    G.Values.push_back(std::move(Made));
    N.Result = static_cast<ValueId>(G.Values.size() - 1);
    if (WritesTo != SlotId::None) {
      if (auto It = Here.Now.find(WritesTo); It != Here.Now.end())
        Here.Contents[It->second] = N.Result;
      else
        Here.Now[WritesTo] = makeStorage(N.Result);
      if (Dst != SlotId::None)
        Here.Now[Dst] = Here.Now[WritesTo];
    } else if (Dst != SlotId::None) {
      Here.Now[Dst] = makeStorage(N.Result);
    }
  }

  //===--- Ops ------------------------------------------------------------===//

  llvm::Error visit(const OpFact &O) {
    Node N;
    N.Op = &O;
    N.Name = O.Rule->Name;
    N.At = O.At;
    bool AnyTensor = O.Rule->Shape &&
                     O.Rule->Shape->Term == ShapeTerm::Create &&
                     O.Rule->Shape->Notations.empty();
    for (const Operand &X : O.Operands) {
      llvm::Expected<std::optional<ValueId>> V =
          X.Scalar ? std::optional<ValueId>() : read(X.Slot);
      if (!V)
        return V.takeError();
      AnyTensor |= V->has_value();
      N.Operands.push_back({*V, X.At});
    }
    if (!AnyTensor) {
      for (SlotId S : {O.Dst, O.WritesTo})
        if (S != SlotId::None && !Here.Now.contains(S))
          Here.Now[S] = makeStorage(std::nullopt);
      return llvm::Error::success();
    }
    if (llvm::Error E = measure(N, O))
      return E;
    const Value *Written = nullptr;
    if (O.WritesTo != SlotId::None)
      if (auto It = Here.Now.find(O.WritesTo);
          It != Here.Now.end() && Here.Contents[It->second])
        Written = &G.Values[*Here.Contents[It->second]];
    Value Made = findFactors(G, N, Written);
    const bool IsPart = O.PartialWrite && O.WritesTo != SlotId::None;
    if (IsPart)
      note(N.At, "'" + N.Name +
                     "' writes a part of a tensor: the rest is "
                     "taken to lie as it did");
    addResult(N, O.Dst, O.WritesTo, std::move(Made));
    G.Nodes.push_back(std::move(N));
    return llvm::Error::success();
  }

  /// Arguments may speak of the sizes of tensors.
  llvm::Error measure(Node &N, const OpFact &O) {
    const auto Add = [&](const std::optional<SizeValue> &S) -> llvm::Error {
      for (const SizeTerm &T : S ? llvm::ArrayRef<SizeTerm>(S->Terms)
                                 : llvm::ArrayRef<SizeTerm>()) {
        if (T.Tensor == SlotId::None)
          continue;
        llvm::Expected<std::optional<ValueId>> V = read(T.Tensor);
        if (!V)
          return V.takeError();
        if (*V)
          N.Measured.push_back({T.Tensor, **V});
      }
      return llvm::Error::success();
    };
    for (const OpArgument &A : O.Arguments) {
      if (!A.Value)
        continue;
      if (const auto *S = std::get_if<SizeValue>(&*A.Value))
        if (llvm::Error E = Add(*S))
          return E;
      if (const auto *L = std::get_if<SizeList>(&*A.Value))
        for (const std::optional<SizeValue> &S : *L)
          if (llvm::Error E = Add(S))
            return E;
    }
    return llvm::Error::success();
  }

  const Function &F;
  const GraphOptions &Options;
  Graph G;
  Storages Here;
  std::map<std::uint32_t, Storages> After; ///< by block
  Joins Meet;
  std::vector<Joins::Loop> Loops;
  std::vector<std::pair<std::optional<ValueId>, PlaceId>> Returns;
};

} // namespace

llvm::Expected<Graph> buildGraph(const Function &F,
                                 const planner::DeviceMesh &Mesh,
                                 const GraphOptions &Options) {
  return Builder(F, Mesh, Options).run();
}

} // namespace spmd::sharding
