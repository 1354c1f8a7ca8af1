//===- Actions.cpp - What can be done about a finding ---------------------===//

#include "View.h"

#include "spmd/lint/Fixes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace json = llvm::json;

namespace spmd::editor {

std::string CheckPages::uri(llvm::StringRef Check) const {
  return Folder.empty() ? "" : uriOf(Folder + "/" + Check.str() + ".md");
}

static bool isOurs(llvm::StringRef Check) { return Check.starts_with("spmd-"); }

/// clangd links a check's name to clang-tidy's site, which has no page of ours.
void addLinks(json::Array &Diagnostics, const CheckPages &Pages) {
  for (json::Value &V : Diagnostics) {
    json::Object *Finding = V.getAsObject();
    const auto Check = Finding ? Finding->getString("code") : std::nullopt;
    if (!Check || !isOurs(*Check))
      continue;
    const std::string Page = Pages.uri(*Check);
    if (Page.empty())
      Finding->erase("codeDescription");
    else
      (*Finding)["codeDescription"] = json::Object{{"href", Page}};
  }
}

std::vector<lint::Diagnostic> View::shown() const {
  std::vector<lint::Diagnostic> Out;
  for (const lint::Diagnostic &D :
       Now ? Now->Diagnostics : std::vector<lint::Diagnostic>()) {
    const json::Object Start = Of.of(D.Where.Offset);
    const auto IsIt = [&](const json::Value &V) {
      const json::Object *Finding = V.getAsObject();
      const json::Object *Range =
          Finding ? Finding->getObject("range") : nullptr;
      const json::Object *At = Range ? Range->getObject("start") : nullptr;
      return At && *At == Start &&
             Finding->getString("code") == llvm::StringRef(D.Check);
    };
    if (isHere(D.Where) && Published && llvm::any_of(*Published, IsIt))
      Out.push_back(D);
  }
  return Out;
}

namespace {

class ActionList {
public:
  ActionList(json::Array Stock, const View &V, const json::Object &Params)
      : Out(std::move(Stock)), V(V) {
    const json::Object *Context = Params.getObject("context");
    if (const json::Array *Only = Context ? Context->getArray("only") : nullptr)
      for (const json::Value &Kind : *Only)
        Kinds.push_back(Kind.getAsString().value_or("").str());
    const json::Object *Range = Params.getObject("range");
    const json::Object *Start = Range ? Range->getObject("start") : nullptr;
    const json::Object *End = Range ? Range->getObject("end") : nullptr;
    From = Start ? V.offset(*Start) : 0;
    To = End ? V.offset(*End) : From;
    Line = Start ? Start->getInteger("line").value_or(0) : 0;
  }

  json::Array run() {
    const std::vector<lint::Diagnostic> All = V.shown();
    for (const lint::Diagnostic &D : All)
      if (D.Where.Offset <= To && From <= D.Where.Offset + D.Where.Length) {
        prefer(D);
        if (wants("quickfix"))
          suppress(D), explain(D);
      }
    if (wants("source.fixAll.spmd"))
      fixAll(All);
    if (wants("refactor.rewrite"))
      annotate();
    return std::move(Out);
  }

private:
  bool wants(llvm::StringRef Kind) const {
    return Kinds.empty() || llvm::any_of(Kinds, [&](llvm::StringRef K) {
             return Kind == K || Kind.starts_with((K + ".").str());
           });
  }

  /// clangd knows of each repair only what it does.
  void prefer(const lint::Diagnostic &D) {
    for (const lint::Fix &F : D.Fixes) {
      if (!F.Preferred)
        continue;
      const std::string Title = F.Description;
      for (json::Value &A : Out)
        if (json::Object *Action = A.getAsObject())
          if (Action->getString("title").value_or("").starts_with(Title))
            (*Action)["isPreferred"] = true;
    }
  }

  void add(llvm::StringRef Title, llvm::StringRef Kind,
           const std::vector<lint::Edit> &Edits) {
    Out.push_back(json::Object{{"title", Title.str()},
                               {"kind", Kind.str()},
                               {"edit", workspaceEdit(V.Uri, V.Of, Edits)}});
  }

  void suppress(const lint::Diagnostic &D) {
    const std::size_t Begin = V.Text.take_front(D.Where.Offset).rfind('\n') + 1;
    const llvm::StringRef Indent = V.Text.substr(Begin).take_while(
        [](char C) { return C == ' ' || C == '\t'; });
    const std::string Comment = Indent.str() + "// NOLINTNEXTLINE(" + D.Check +
                                "): say here why it is right\n";
    add("accept this '" + D.Check + "', with a reason to be written",
        "quickfix", {{V.Path, static_cast<unsigned>(Begin), 0, Comment}});
  }

  void explain(const lint::Diagnostic &D) {
    const std::string Title = "explain '" + D.Check + "'";
    Out.push_back(json::Object{
        {"title", Title},
        {"kind", "quickfix"},
        {"command", json::Object{{"title", Title},
                                 {"command", "spmd.explain"},
                                 {"arguments", json::Array{D.Check}}}}});
  }

  void fixAll(const std::vector<lint::Diagnostic> &All) {
    const lint::FixSelection Chosen =
        lint::selectFixes(All, /*Unsafe=*/false,
                          [&](llvm::StringRef File) { return File == V.Path; });
    const auto It = Chosen.Edits.find(V.Path);
    if (It != Chosen.Edits.end())
      add("fix all that spmd-tidy can fix safely", "source.fixAll.spmd",
          It->second);
  }

  void annotate() {
    if (const auto Edits = annotations(V, Line); !Edits.empty())
      add("write the inferred SPMD types of this function", "refactor.rewrite",
          Edits);
  }

  json::Array Out;
  const View &V;
  std::vector<std::string> Kinds;
  std::size_t From = 0, To = 0;
  std::int64_t Line = 0;
};

} // namespace

json::Value addCodeActions(json::Value Reply, const View &V,
                           const json::Object &Params) {
  json::Array Stock;
  if (json::Array *Actions = Reply.getAsArray())
    Stock = std::move(*Actions);
  return ActionList(std::move(Stock), V, Params).run();
}

} // namespace spmd::editor
