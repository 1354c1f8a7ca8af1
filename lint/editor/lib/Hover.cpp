//===- Hover.cpp - The type of what is under the cursor -------------------===//

#include "View.h"

#include "llvm/ADT/StringExtras.h"

namespace json = llvm::json;

namespace spmd::editor {

/// The innermost value around \p At. A declaration stands for what it declares
/// where its name is, and nowhere else.
static const lint::TypedPlace *innermost(const View &V, std::size_t At) {
  const lint::TypedPlace *Best = nullptr;
  for (const lint::TypedPlace &T : V.Now->Known.Types) {
    const lint::Place &P = T.Where;
    if (!V.isHere(P) || At < P.Offset || At > P.Offset + P.Length)
      continue;
    if (T.NameEnd && (At > *T.NameEnd || At + T.Name.size() < *T.NameEnd))
      continue;
    const auto Size = [](const lint::TypedPlace &X) {
      return X.NameEnd ? X.Name.size() : X.Where.Length;
    };
    if (!Best || Size(T) < Size(*Best))
      Best = &T;
  }
  return Best;
}

static std::string lineOf(const View &V, const lint::Place &From) {
  if (!From.Line)
    return "";
  return ", " + (V.isHere(From) ? "" : From.File + ":") +
         (V.isHere(From) ? "line " : "") + std::to_string(From.Line);
}

json::Value addHover(json::Value Reply, const View &V,
                     const json::Object &Params, bool Markdown) {
  const json::Object *Position = Params.getObject("position");
  const lint::TypedPlace *T =
      Position ? innermost(V, V.offset(*Position)) : nullptr;
  if (!T)
    return Reply;
  const std::string Quote = Markdown ? "`" : "";
  std::string Text = Markdown ? "**SPMD type** " : "SPMD type: ";
  Text += Quote + T->Type + Quote;
  for (const lint::TypeOnAxis &On : T->Axes)
    if (!On.Why.empty())
      Text += "\n- " + On.Type + " on " + On.Axis + ": " + On.Why +
              lineOf(V, On.From);
  json::Object *Hover = Reply.getAsObject();
  json::Object *Contents = Hover ? Hover->getObject("contents") : nullptr;
  if (Contents) {
    const std::string Said = Contents->getString("value").value_or("").str();
    (*Contents)["value"] = Said + (Markdown ? "\n\n---\n" : "\n\n") + Text;
    return Reply;
  }
  const std::size_t Begin =
      T->NameEnd ? *T->NameEnd - T->Name.size() : T->Where.Offset;
  const std::size_t Length =
      T->NameEnd ? T->Name.size() : std::size_t(T->Where.Length);
  return json::Object{
      {"contents", json::Object{{"kind", Markdown ? "markdown" : "plaintext"},
                                {"value", Text}}},
      {"range", V.Of.range(Begin, Length)}};
}

json::Value addInlayHints(json::Value Reply, const View &V,
                          const json::Object &Params) {
  if (!V.Wanted.InlayHints)
    return Reply;
  const json::Object *Range = Params.getObject("range");
  const json::Object *Start = Range ? Range->getObject("start") : nullptr;
  const json::Object *End = Range ? Range->getObject("end") : nullptr;
  const std::size_t From = Start ? V.offset(*Start) : 0;
  const std::size_t To = End ? V.offset(*End) : V.Text.size();
  json::Array Out;
  if (json::Array *Stock = Reply.getAsArray())
    Out = std::move(*Stock);
  for (const lint::TypedPlace &T : V.Now->Known.Types) {
    if (!T.NameEnd || !V.isHere(T.Where) || *T.NameEnd < From ||
        *T.NameEnd > To)
      continue;
    json::Array Parts;
    for (const lint::TypeOnAxis &On : T.Axes) {
      if (!V.Wanted.wantsHint(On.Axis))
        continue;
      json::Object Part{
          {"value", (Parts.empty() ? "[" : ", ") + On.Axis + ": " + On.Type}};
      if (!On.Why.empty())
        Part["tooltip"] = On.Why + lineOf(V, On.From);
      Parts.push_back(std::move(Part));
    }
    if (Parts.empty())
      continue;
    Parts.push_back(json::Object{{"value", "]"}});
    Out.push_back(json::Object{{"position", V.Of.of(*T.NameEnd)},
                               {"label", std::move(Parts)},
                               {"kind", 1},
                               {"paddingLeft", true}});
  }
  return Out;
}

} // namespace spmd::editor
