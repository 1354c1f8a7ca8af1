//===- Symbols.cpp - Collectives in the outline, contracts as lenses ------===//

#include "View.h"

#include "llvm/ADT/STLExtras.h"

namespace json = llvm::json;

namespace spmd::editor {

namespace {

/// A symbol of the reply, with what is to be put into it.
struct Outlined {
  json::Object *Is;
  std::int64_t First, Last; ///< lines
  std::vector<Outlined> Inside;
  json::Array Sites;
};

} // namespace

static std::pair<std::int64_t, std::int64_t> lines(const json::Object &Symbol) {
  const json::Object *Range = Symbol.getObject("range");
  const auto LineOf = [&](llvm::StringRef End) -> std::int64_t {
    const json::Object *P = Range ? Range->getObject(End) : nullptr;
    return P ? P->getInteger("line").value_or(-1) : -1;
  };
  return {LineOf("start"), LineOf("end")};
}

static std::vector<Outlined> outline(json::Array &Symbols) {
  std::vector<Outlined> Out;
  for (json::Value &V : Symbols) {
    json::Object *Symbol = V.getAsObject();
    if (!Symbol || !Symbol->getObject("range"))
      continue;
    const auto [First, Last] = lines(*Symbol);
    json::Array *Children = Symbol->getArray("children");
    Out.push_back({Symbol,
                   First,
                   Last,
                   Children ? outline(*Children) : std::vector<Outlined>(),
                   {}});
  }
  return Out;
}

/// The innermost symbol around a line; null outside of all.
static Outlined *innermost(std::vector<Outlined> &Symbols, std::int64_t Line) {
  for (Outlined &S : Symbols)
    if (Line >= S.First && Line <= S.Last) {
      Outlined *Deeper = innermost(S.Inside, Line);
      return Deeper ? Deeper : &S;
    }
  return nullptr;
}

/// From the inside out: what is put into an array moves what it has.
static void putInto(std::vector<Outlined> &Symbols) {
  for (Outlined &S : Symbols) {
    putInto(S.Inside);
    if (S.Sites.empty())
      continue;
    if (!S.Is->getArray("children"))
      (*S.Is)["children"] = json::Array();
    for (json::Value &Site : S.Sites)
      S.Is->getArray("children")->push_back(std::move(Site));
  }
}

json::Value addSymbols(json::Value Reply, const View &V) {
  json::Array *Symbols = Reply.getAsArray();
  if (!Symbols)
    return Reply;
  // A client that takes no tree gets places by themselves.
  const json::Object *First =
      Symbols->empty() ? nullptr : Symbols->front().getAsObject();
  const bool Flat = First && First->getObject("location");
  constexpr int Event = 24; // SymbolKind
  std::vector<Outlined> Known = outline(*Symbols);
  json::Array Outside;
  for (const lint::CollectiveSite &S : V.Now->Known.Collectives) {
    if (!V.isHere(S.Where))
      continue;
    json::Object Site{{"name", S.Name}, {"kind", Event}};
    if (Flat) {
      Site["location"] =
          json::Object{{"uri", V.Uri}, {"range", V.range(S.Where)}};
      Site["containerName"] = S.Function;
      Symbols->push_back(std::move(Site));
      continue;
    }
    Site["detail"] = S.Detail;
    Site["range"] = V.range(S.Where);
    Site["selectionRange"] = V.range(S.Where);
    Outlined *Around =
        innermost(Known, static_cast<std::int64_t>(S.Where.Line) - 1);
    (Around ? Around->Sites : Outside).push_back(std::move(Site));
  }
  putInto(Known);
  for (json::Value &Site : Outside)
    Symbols->push_back(std::move(Site));
  return Reply;
}

json::Value codeLenses(const View &V) {
  json::Array Out;
  if (!V.Now || !V.Wanted.CodeLens)
    return Out;
  for (const lint::InferredContract &C : V.Now->Known.Contracts) {
    if (!V.isHere(C.Where))
      continue;
    json::Object Command{{"title", "SPMD: " + C.Text}, {"command", ""}};
    if (!C.Edits.empty()) {
      Command["title"] = "SPMD: " + C.Text + " | write annotations";
      Command["command"] = "spmd.writeAnnotations";
      Command["arguments"] = json::Array{
          json::Object{{"uri", V.Uri},
                       {"line", static_cast<std::int64_t>(C.Where.Line) - 1}}};
    }
    Out.push_back(json::Object{{"range", V.Of.range(C.Where.Offset, 0)},
                               {"command", std::move(Command)}});
  }
  return Out;
}

std::vector<lint::Edit> annotations(const View &V,
                                    std::optional<std::int64_t> Line) {
  std::vector<lint::Edit> Out;
  if (!V.Now)
    return Out;
  for (const lint::InferredContract &C : V.Now->Known.Contracts) {
    const auto First = static_cast<std::int64_t>(C.Where.Line) - 1;
    const auto Lines = static_cast<std::int64_t>(
        V.Text.substr(C.Where.Offset, C.Where.Length).count('\n'));
    const bool Asked = !Line || (*Line >= First && *Line <= First + Lines);
    if (Asked && V.isHere(C.Where) &&
        llvm::all_of(C.Edits,
                     [&](const lint::Edit &E) { return E.File == V.Path; }))
      llvm::append_range(Out, C.Edits);
  }
  return Out;
}

static llvm::StringRef kindName(lint::FlowNode::Kind K) {
  constexpr llvm::StringLiteral Names[] = {"value",      "op",   "collective",
                                           "conversion", "call", "return"};
  return Names[static_cast<int>(K)];
}

json::Value typeFlow(const View &V, const json::Object &Params) {
  const json::Object *Position = Params.getObject("position");
  if (!V.Now || !Position)
    return nullptr;
  const std::size_t At = V.offset(*Position);
  const lint::FunctionFlow *Around = nullptr;
  for (const lint::FunctionFlow &F : V.Now->Known.Flows)
    if (V.isHere(F.Where) && At >= F.Where.Offset &&
        At <= F.Where.Offset + F.Where.Length &&
        (!Around || F.Where.Length < Around->Where.Length))
      Around = &F;
  if (!Around)
    return nullptr;
  json::Array Nodes, Edges;
  for (const lint::FlowNode &N : Around->Nodes) {
    json::Object Types;
    for (const auto &[Axis, Type] : N.Types)
      Types[Axis] = Type;
    json::Object Node{{"kind", kindName(N.K)},
                      {"label", N.Label},
                      {"detail", N.Detail},
                      {"types", std::move(Types)}};
    if (V.isHere(N.Where))
      Node["range"] = V.range(N.Where);
    Nodes.push_back(std::move(Node));
  }
  for (const lint::FlowEdge &E : Around->Edges)
    Edges.push_back(json::Object{{"from", E.From}, {"to", E.To}});
  return json::Object{{"uri", V.Uri},
                      {"function", Around->Function},
                      {"range", V.range(Around->Where)},
                      {"nodes", std::move(Nodes)},
                      {"edges", std::move(Edges)}};
}

json::Object status(const View &V) {
  std::int64_t Errors = 0, Warnings = 0, Fixable = 0;
  json::Object Out{{"uri", V.Uri}};
  if (!V.Now)
    return Out;
  for (const lint::Diagnostic &D : V.shown()) {
    (D.Level == lint::Severity::Error ? Errors : Warnings) += 1;
    Fixable += llvm::any_of(
        D.Fixes, [](const lint::Fix &F) { return F.Preferred && F.Safe; });
  }
  std::map<std::string, std::pair<unsigned, unsigned>> Axes;
  unsigned Collectives = 0, Given = 0;
  for (const lint::FunctionCoverage &F : V.Now->Covered.Functions) {
    Collectives += F.Collectives;
    Given += F.Given;
    for (const lint::TypedOn &T : F.Typed) {
      Axes[T.Axis].first += T.Typed;
      Axes[T.Axis].second += T.Of;
    }
  }
  json::Array Coverage;
  for (const auto &[Axis, Of] : Axes)
    if (Of.second)
      Coverage.push_back(
          json::Object{{"axis", Axis}, {"typed", Of.first}, {"of", Of.second}});
  Out["mesh"] = V.Now->Mesh;
  Out["errors"] = Errors;
  Out["warnings"] = Warnings;
  Out["fixable"] = Fixable;
  Out["coverage"] = std::move(Coverage);
  Out["collectives"] = Collectives;
  Out["collectivesTyped"] = Given;
  return Out;
}

} // namespace spmd::editor
