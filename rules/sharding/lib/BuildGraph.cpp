//===- BuildGraph.cpp - From the IR of a function to whole tensors --------===//

#include "FindFactors.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

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

/// From the digits of the name: bf16 has two bytes, f32 and no name four.
int bytesOf(llvm::StringRef DType) {
  unsigned Bits = 32;
  const llvm::StringRef Digits = DType.ltrim("abcdefghijklmnopqrstuvwxyz");
  if (Digits.take_while(llvm::isDigit).getAsInteger(10, Bits) || Bits < 8)
    return DType == "bool" ? 1 : 4;
  return static_cast<int>(Bits / 8);
}

bool isInteger(llvm::StringRef DType) {
  return DType == "bool" || DType.starts_with("i") || DType.starts_with("u");
}

class Builder {
public:
  Builder(const Function &F, const planner::DeviceMesh &Mesh,
          const GraphOptions &Options)
      : F(F), Options(Options) {
    G.F = &F;
    G.Mesh = Mesh;
    G.Sizes = Options.Sizes;
    for (const planner::DeviceMesh::Axis &A : Mesh.All)
      G.Axes.All.push_back({A.Name, Extent::number(A.Size)});
  }

  llvm::Expected<Graph> run() {
    if (llvm::Error E = addParameters())
      return std::move(E);
    llvm::Expected<std::vector<const Block *>> Path = straightLine();
    if (!Path)
      return Path.takeError();
    for (const Block *B : *Path)
      for (const Fact &X : B->Facts)
        if (llvm::Error E = visit(X))
          return std::move(E);
    if (llvm::none_of(G.Values, [](const Value &V) { return V.HasDims; }))
      return error(F.ResultAt, "no parameter of '" + F.DisplayName +
                                   "' says its dims, as in "
                                   "[[spmd::type(\"[B, S, H]\")]]");
    if (G.Nodes.empty())
      return error(F.ResultAt, "'" + F.DisplayName + "' has no op on tensors");
    return std::move(G);
  }

private:
  static llvm::Error error(PlaceId At, const llvm::Twine &Message) {
    return llvm::make_error<GraphError>(Note{At, Message.str()});
  }
  void note(PlaceId At, const llvm::Twine &Message) { G.note(At, Message); }

  //===--- Declarations ---------------------------------------------------===//

  llvm::Expected<std::int64_t> sizeOf(llvm::StringRef Written, PlaceId At) {
    std::int64_t Out = 1;
    llvm::SmallVector<llvm::StringRef, 4> Parts;
    Written.split(Parts, '*');
    for (llvm::StringRef Part : Parts) {
      Part = Part.trim();
      std::int64_t N = 0;
      if (Part.getAsInteger(10, N)) {
        auto It = Options.Sizes.find(Part);
        if (It == Options.Sizes.end())
          return error(At, "the size of '" + Part +
                               "' is not known: give it as --size=" + Part +
                               "=<number>, or under Sizes in .spmd-tidy");
        N = It->second;
      }
      if (N <= 0 || Out > (std::int64_t(1) << 50) / N)
        return error(At, "'" + Written + "' is no size of a tensor");
      Out *= N;
    }
    return Out;
  }

  llvm::Error declare(Value &V, const TypeSpec &T) {
    if (!T.Global)
      return llvm::Error::success();
    for (const DimSpec &D : T.Global->Dims) {
      llvm::Expected<std::int64_t> Size = sizeOf(D.Extent, V.At);
      if (!Size)
        return Size.takeError();
      V.Sizes.push_back(*Size);
      V.Written.push_back(D.Extent);
    }
    V.HasDims = true;
    V.DType = T.Global->DType;
    V.ElementBytes = bytesOf(V.DType);
    V.Differentiable = !isInteger(V.DType);
    return llvm::Error::success();
  }

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
      if (llvm::Error E = declare(V, Info.Declared->Entry))
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
      Now[S] = makeStorage(*V);
    }
    if (!Options.Batch.empty() &&
        llvm::none_of(G.Values, [](const Value &V) { return V.BatchDim; }))
      return error(F.ResultAt,
                   "no parameter has the batch dim '" + Options.Batch + "'");
    return llvm::Error::success();
  }

  //===--- Control flow ---------------------------------------------------===//

  /// The one way through the function. Blocks that throw or end the program
  /// are their own successors.
  llvm::Expected<std::vector<const Block *>> straightLine() {
    std::vector<const Block *> Out;
    std::vector<bool> Seen(F.Blocks.size(), false);
    for (BlockId At{0};;) {
      const Block &B = F.Blocks[index(At)];
      if (Seen[index(At)])
        return branches(*Out.back());
      Seen[index(At)] = true;
      Out.push_back(&B);
      std::optional<BlockId> Next;
      for (BlockId S : B.Successors) {
        if (llvm::is_contained(F.Blocks[index(S)].Successors, S))
          continue;
        if (Next && *Next != S)
          return branches(B);
        Next = S;
      }
      if (!Next)
        return Out;
      At = *Next;
    }
  }
  llvm::Error branches(const Block &B) const {
    const PlaceId At = B.Facts.empty() ? F.ResultAt : placeOf(B.Facts.back());
    return error(At, "'" + F.DisplayName +
                         "' branches or loops here: a suggestion takes "
                         "straight-line code, such as one layer");
  }

  //===--- Storage --------------------------------------------------------===//

  using StorageId = unsigned;
  StorageId makeStorage(std::optional<ValueId> V) {
    Contents.push_back(V);
    return static_cast<StorageId>(Contents.size() - 1);
  }

  /// The tensor in a slot; nothing for host numbers and what is never made.
  llvm::Expected<std::optional<ValueId>> read(SlotId S) {
    if (S == SlotId::None)
      return std::nullopt;
    if (auto It = Now.find(S); It != Now.end())
      return Contents[It->second];
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
    Now[S] = makeStorage(*V);
    return *V;
  }

  //===--- Facts ----------------------------------------------------------===//

  llvm::Error visit(const Fact &X) {
    if (const auto *B = std::get_if<BindFact>(&X))
      return B->Joins ? unseen(B->Dst, {B->Src}, "a list of tensors", B->At)
                      : bind(B->Dst, B->Src.Slot);
    if (const auto *D = std::get_if<DefineFact>(&X)) {
      Now[D->Dst] = makeStorage(std::nullopt);
      return llvm::Error::success();
    }
    if (const auto *O = std::get_if<OpFact>(&X))
      return visit(*O);
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
    auto It = Now.find(Src);
    Now[Dst] = It != Now.end() ? It->second : makeStorage(*V);
    if (*V && !F.slot(Dst).Name.empty() &&
        G.Values[**V].From == Value::Source::Made)
      G.Values[**V].Name = F.slot(Dst).Name;
    return llvm::Error::success();
  }

  /// What is declared of a value tells its dims where nothing else does.
  llvm::Error assertion(const AssertFact &A) {
    llvm::Expected<std::optional<ValueId>> V = read(A.Value.Slot);
    if (!V)
      return V.takeError();
    if (!*V || G.Values[**V].HasDims || !A.Type || !A.Type->Global)
      return llvm::Error::success();
    return declare(G.Values[**V], *A.Type);
  }

  llvm::Error visit(const ReturnFact &R) {
    llvm::Expected<std::optional<ValueId>> V = read(R.Value.Slot);
    if (!V)
      return V.takeError();
    G.Returned = *V;
    G.ReturnedAt = R.Value.At;
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
      if (auto It = Now.find(WritesTo); It != Now.end())
        Contents[It->second] = N.Result;
      else
        Now[WritesTo] = makeStorage(N.Result);
      if (Dst != SlotId::None)
        Now[Dst] = Now[WritesTo];
    } else if (Dst != SlotId::None) {
      Now[Dst] = makeStorage(N.Result);
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
        if (S != SlotId::None && !Now.contains(S))
          Now[S] = makeStorage(std::nullopt);
      return llvm::Error::success();
    }
    if (llvm::Error E = measure(N, O))
      return E;
    const Value *Written = nullptr;
    if (O.WritesTo != SlotId::None)
      if (auto It = Now.find(O.WritesTo);
          It != Now.end() && Contents[It->second])
        Written = &G.Values[*Contents[It->second]];
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
  llvm::DenseMap<SlotId, StorageId> Now;
  std::vector<std::optional<ValueId>> Contents; ///< by storage
};

} // namespace

llvm::Expected<Graph> buildGraph(const Function &F,
                                 const planner::DeviceMesh &Mesh,
                                 const GraphOptions &Options) {
  return Builder(F, Mesh, Options).run();
}

} // namespace spmd::sharding
