//===- FromServer.cpp - What a language server answers --------------------===//

#include "Exchange.h"

#include "spmd/lint/CompileCommands.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::editor {

bool Exchange::takeFromServer(json::Object &Message) {
  const json::Value *Id = Message.get("id");
  if (const auto Method = Message.getString("method")) {
    json::Object *Params = Message.getObject("params");
    if (*Method != "textDocument/publishDiagnostics" || !Params)
      return false;
    onPublished(*Params);
    json::Object Status;
    const bool IsAnalysed =
        view(Params->getString("uri").value_or("")).Now != nullptr;
    if (Wanted.Status)
      Status = status(view(Params->getString("uri").value_or("")));
    toClient(std::move(Message));
    if (!Status.empty())
      notifyClient("spmd/status", std::move(Status));
    // An editor may have asked before the text was analysed, and not ask again.
    if (IsAnalysed && Can.RefreshesLenses)
      requestClient("workspace/codeLens/refresh", {});
    return true;
  }
  if (!Id)
    return false;
  std::string Key;
  llvm::raw_string_ostream(Key) << *Id;
  const auto It = Asked.find(Key);
  if (It == Asked.end())
    return false;
  const Pending Of = std::move(It->second);
  Asked.erase(It);
  json::Value *Result = Message.get("result");
  if (!Result) // an error: that the request was cancelled, say
    return false;
  Message["result"] = amend(Of, std::move(*Result));
  toClient(std::move(Message));
  return true;
}

json::Value Exchange::amend(const Pending &Of, json::Value Reply) {
  if (Of.Method == "initialize")
    return initialized(std::move(Reply));
  const json::Object *Document = Of.Params.getObject("textDocument");
  const auto Uri = Document ? Document->getString("uri") : std::nullopt;
  const View V = view(Uri.value_or(""));
  if (Of.Method == "spmd/status")
    return status(V);
  if (!V.Now)
    return Of.Instead ? json::Value(json::Array()) : std::move(Reply);
  if (Of.Method == "textDocument/hover")
    return addHover(std::move(Reply), V, Of.Params, Can.Markdown);
  if (Of.Method == "textDocument/inlayHint")
    return addInlayHints(std::move(Reply), V, Of.Params);
  if (Of.Method == "textDocument/documentSymbol")
    return addSymbols(std::move(Reply), V);
  if (Of.Method == "textDocument/codeAction")
    return addCodeActions(std::move(Reply), V, Of.Params);
  if (Of.Method == "textDocument/codeLens")
    return codeLenses(V);
  return typeFlow(V, Of.Params);
}

/// What the two can do together.
json::Value Exchange::initialized(json::Value Reply) {
  json::Object *Result = Reply.getAsObject();
  json::Object *Able = Result ? Result->getObject("capabilities") : nullptr;
  if (!Able)
    return Reply;
  auto Unit = Able->getString("positionEncoding");
  if (!Unit)
    Unit = Result->getString("offsetEncoding");
  In = Unit == "utf-8"    ? Encoding::UTF8
       : Unit == "utf-32" ? Encoding::UTF32
                          : Encoding::UTF16;
  const auto Add = [&](llvm::StringRef Key, llvm::StringRef List,
                       llvm::ArrayRef<llvm::StringRef> More) {
    json::Object *Of = Able->getObject(Key);
    if (!Of) {
      (*Able)[Key] = json::Object();
      Of = Able->getObject(Key);
    }
    if (!Of->getArray(List))
      (*Of)[List] = json::Array();
    json::Array &Known = *Of->getArray(List);
    for (llvm::StringRef Entry : More)
      if (!llvm::is_contained(Known, json::Value(Entry)))
        Known.push_back(Entry);
  };
  Add("completionProvider", "triggerCharacters", {"@", ","});
  Add("executeCommandProvider", "commands",
      {"spmd.explain", "spmd.writeAnnotations"});
  if (Able->getObject("codeActionProvider"))
    Add("codeActionProvider", "codeActionKinds",
        {"source.fixAll", "refactor.rewrite"});
  if (!Able->get("codeLensProvider"))
    (*Able)["codeLensProvider"] = json::Object();
  (*Able)["inlayHintProvider"] = true;
  return Reply;
}

/// Says of a header that is not found why that may be so.
static void doubtCommands(json::Array &Findings, llvm::StringRef File) {
  for (json::Value &V : Findings) {
    json::Object *Finding = V.getAsObject();
    if (!Finding || Finding->getString("code") != "pp_file_not_found")
      continue;
    const std::string Why = lint::doubtOfCommands(File);
    if (!Why.empty())
      (*Finding)["message"] =
          Finding->getString("message").value_or("").str() + "; " + Why;
    return;
  }
}

void Exchange::onPublished(json::Object &Params) {
  json::Array *Findings = Params.getArray("diagnostics");
  const auto It = Open.find(Params.getString("uri").value_or("").str());
  if (!Findings)
    return;
  addLinks(*Findings, Pages);
  doubtCommands(*Findings, pathOf(Params.getString("uri").value_or("")));
  if (It != Open.end())
    It->second.Published = *Findings;
}

View Exchange::view(llvm::StringRef Uri) {
  View V{Uri.str(), pathOf(Uri), "", {"", In}, nullptr, In, Wanted, nullptr};
  const auto It = Open.find(Uri.str());
  if (It == Open.end())
    return V;
  V.Text = It->second.Text;
  V.Of = Positions(V.Text, In);
  V.Published = &It->second.Published;
  V.Now = Known.get(V.Path);
  if (V.Now && V.Now->Text != V.Text)
    V.Now = nullptr;
  return V;
}

} // namespace spmd::editor
