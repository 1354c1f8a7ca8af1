//===- FromClient.cpp - What an editor asks -------------------------------===//

#include "Exchange.h"

#include "spmd/lint/Check.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace spmd::editor {

static std::string textOf(const json::Value &V) {
  std::string Out;
  llvm::raw_string_ostream(Out) << V;
  return Out;
}

static std::string uriIn(const json::Object &Params) {
  const json::Object *Document = Params.getObject("textDocument");
  const auto Uri = Document ? Document->getString("uri") : std::nullopt;
  return Uri ? Uri->str() : "";
}

/// Whether \p Path of nested objects is true.
static bool has(const json::Object *At, llvm::StringRef Path) {
  llvm::SmallVector<llvm::StringRef, 4> Keys;
  Path.split(Keys, '.');
  for (llvm::StringRef Key : llvm::drop_end(Keys))
    At = At ? At->getObject(Key) : nullptr;
  return At && At->getBoolean(Keys.back()).value_or(false);
}

void Settings::read(const json::Object &From) {
  if (const json::Value *Hints = From.get("inlayHints")) {
    HintAxes.clear();
    InlayHints = Hints->getAsBoolean().value_or(true);
    if (const json::Array *Axes = Hints->getAsArray())
      for (const json::Value &Axis : *Axes)
        if (const auto Name = Axis.getAsString())
          HintAxes.push_back(Name->str());
  }
  CodeLens = From.getBoolean("codeLens").value_or(CodeLens);
  Status = From.getBoolean("status").value_or(Status);
}

bool Settings::wantsHint(llvm::StringRef Axis) const {
  return HintAxes.empty() || llvm::is_contained(HintAxes, Axis);
}

/// When which `.spmd-tidy` above a file was written.
static std::string configStamp(llvm::StringRef File) {
  std::string Out;
  for (llvm::StringRef Folder = llvm::sys::path::parent_path(File);
       !Folder.empty(); Folder = llvm::sys::path::parent_path(Folder)) {
    llvm::SmallString<256> Path(Folder);
    llvm::sys::path::append(Path, ".spmd-tidy");
    llvm::sys::fs::file_status Status;
    if (!llvm::sys::fs::status(Path, Status))
      Out += Path.str().str() + ":" +
             std::to_string(
                 Status.getLastModificationTime().time_since_epoch().count()) +
             ":" + std::to_string(Status.getSize()) + "\n";
  }
  return Out;
}

bool Exchange::takeFromClient(json::Object &Message) {
  const auto Method = Message.getString("method");
  const json::Value *Id = Message.get("id");
  if (!Method) { // an answer; to us, if we asked
    const auto Name = Id ? Id->getAsString() : std::nullopt;
    return Name && Name->starts_with("spmd-");
  }
  json::Object *Params = Message.getObject("params");
  if (Id)
    return onRequest(Message, *Method, Params);
  onNotification(*Method, Params);
  return Method->starts_with("spmd/");
}

bool Exchange::onRequest(json::Object &Message, llvm::StringRef Method,
                         json::Object *Params) {
  if (!Params)
    return false;
  const std::string Id = textOf(*Message.get("id"));
  if (Method == "initialize") {
    onInitialize(*Params);
    Asked[Id] = {"initialize", {}, false};
    return false;
  }
  if (Method == "workspace/executeCommand") {
    const auto Command = Params->getString("command");
    if (!Command || !Command->starts_with("spmd."))
      return false;
    execute(Message, *Params);
    return true;
  }
  if (Method == "textDocument/completion")
    return complete(Message, *Params);
  const bool Completed = llvm::StringSwitch<bool>(Method)
                             .Case("textDocument/hover", true)
                             .Case("textDocument/inlayHint", true)
                             .Case("textDocument/documentSymbol", true)
                             .Case("textDocument/codeAction", true)
                             .Default(false);
  if (Completed) {
    Asked[Id] = {Method.str(), *Params, false};
    return false;
  }
  const bool Ours = Method == "textDocument/codeLens" ||
                    Method == "spmd/typeFlow" || Method == "spmd/status";
  if (!Ours)
    return false;
  Asked[Id] = {Method.str(), *Params, true};
  json::Object Instead(Message);
  Instead["method"] = "textDocument/documentSymbol";
  Instead["params"] =
      json::Object{{"textDocument", json::Object{{"uri", uriIn(*Params)}}}};
  toServer(std::move(Instead));
  return true;
}

void Exchange::onInitialize(json::Object &Params) {
  const json::Object *All = Params.getObject("capabilities");
  Can.ShowDocument = has(All, "window.showDocument.support");
  Can.Watches = has(All, "workspace.didChangeWatchedFiles.dynamicRegistration");
  Can.RefreshesHints = has(All, "workspace.inlayHint.refreshSupport");
  Can.RefreshesLenses = has(All, "workspace.codeLens.refreshSupport");
  const json::Object *Of = All ? All->getObject("textDocument") : nullptr;
  Of = Of ? Of->getObject("hover") : nullptr;
  if (const json::Array *Formats = Of ? Of->getArray("contentFormat") : nullptr)
    for (const json::Value &F : *Formats)
      Can.Markdown |= F.getAsString() == "markdown";
  if (const json::Object *Options = Params.getObject("initializationOptions"))
    if (const json::Object *Ours = Options->getObject("spmd"))
      Wanted.read(*Ours);
}

void Exchange::onNotification(llvm::StringRef Method, json::Object *Params) {
  if (Method == "initialized")
    return watch();
  if (!Params)
    return;
  if (Method == "workspace/didChangeConfiguration") {
    const json::Object *All = Params->getObject("settings");
    if (const json::Object *Ours = All ? All->getObject("spmd") : nullptr) {
      Wanted.read(*Ours);
      refresh();
    }
    return;
  }
  if (Method == "workspace/didChangeWatchedFiles") {
    const json::Array *Changes = Params->getArray("changes");
    for (const json::Value &C : Changes ? *Changes : json::Array())
      if (const json::Object *Change = C.getAsObject())
        if (Change->getString("uri").value_or("").ends_with("/.spmd-tidy"))
          return relint(/*OnlyIfConfigured=*/false);
    return;
  }
  const json::Object *Of = Params->getObject("textDocument");
  const std::string Uri = uriIn(*Params);
  if (Method == "textDocument/didOpen" && Of) {
    Document &D = Open[Uri];
    D.Text = Of->getString("text").value_or("").str();
    D.Version = Of->getInteger("version").value_or(0);
    D.ConfigStamp = configStamp(pathOf(Uri));
  } else if (Method == "textDocument/didChange" && Of) {
    Document &D = Open[Uri];
    D.Version = Of->getInteger("version").value_or(D.Version);
    if (const json::Array *Changes = Params->getArray("contentChanges"))
      applyChanges(D.Text, *Changes, In);
  } else if (Method == "textDocument/didClose") {
    Open.erase(Uri);
    Known.drop(pathOf(Uri));
  } else if (Method == "textDocument/didSave") {
    relint(/*OnlyIfConfigured=*/true);
  }
}

/// Analyses the open files again: all, or those for which some `.spmd-tidy` has
/// changed.
void Exchange::relint(bool OnlyIfConfigured) {
  for (auto &[Uri, D] : Open) {
    std::string Now = configStamp(pathOf(Uri));
    if (OnlyIfConfigured && Now == D.ConfigStamp)
      continue;
    D.ConfigStamp = std::move(Now);
    json::Object Params{
        {"textDocument", json::Object{{"uri", Uri}, {"version", D.Version}}},
        {"contentChanges", json::Array()},
        {"wantDiagnostics", true},
        {"forceRebuild", true}};
    toServer(json::Object{{"jsonrpc", "2.0"},
                          {"method", "textDocument/didChange"},
                          {"params", std::move(Params)}});
  }
}

void Exchange::refresh() {
  if (Can.RefreshesHints)
    requestClient("workspace/inlayHint/refresh", {});
  if (Can.RefreshesLenses)
    requestClient("workspace/codeLens/refresh", {});
}

void Exchange::watch() {
  if (!Can.Watches)
    return;
  json::Object Watcher{{"globPattern", "**/.spmd-tidy"}};
  json::Object Registration{
      {"id", "spmd.config"},
      {"method", "workspace/didChangeWatchedFiles"},
      {"registerOptions",
       json::Object{{"watchers", json::Array{std::move(Watcher)}}}}};
  requestClient(
      "client/registerCapability",
      json::Object{{"registrations", json::Array{std::move(Registration)}}});
}

bool Exchange::complete(const json::Object &Message,
                        const json::Object &Params) {
  const auto It = Open.find(uriIn(Params));
  const json::Object *Position = Params.getObject("position");
  if (It == Open.end() || !Position)
    return false;
  const std::string &Text = It->second.Text;
  const auto Last = Known.get(pathOf(It->first));
  if (auto Items =
          completePayload(Text, offsetOf(Text, *Position, In), Last.get())) {
    answer(*Message.get("id"),
           json::Object{{"isIncomplete", false}, {"items", std::move(*Items)}});
    return true;
  }
  // Characters that mean something in an attribute only.
  const json::Object *Context = Params.getObject("context");
  const auto By =
      Context ? Context->getString("triggerCharacter") : std::nullopt;
  if (!By || (*By != "@" && *By != ","))
    return false;
  answer(*Message.get("id"), json::Array());
  return true;
}

void Exchange::execute(const json::Object &Message,
                       const json::Object &Params) {
  const llvm::StringRef Command = *Params.getString("command");
  const json::Array *Arguments = Params.getArray("arguments");
  const json::Value *First =
      Arguments && !Arguments->empty() ? &Arguments->front() : nullptr;
  const json::Value Id = *Message.get("id");
  if (Command == "spmd.explain") {
    const auto Check = First ? First->getAsString() : std::nullopt;
    if (!Check || !lint::findCheck(*Check))
      return refuse(Id, "spmd.explain: there is no such check");
    explain(*Check);
    return answer(Id, lint::checkHelp(*Check));
  }
  const json::Object *Where = First ? First->getAsObject() : nullptr;
  const std::string Uri =
      Where ? Where->getString("uri").value_or("").str() : "";
  if (Command == "spmd.writeAnnotations" && !Uri.empty()) {
    const View V = view(Uri);
    const auto Edits = annotations(V, Where->getInteger("line"));
    if (!Edits.empty())
      requestClient("workspace/applyEdit",
                    json::Object{{"label", "write inferred SPMD types"},
                                 {"edit", workspaceEdit(Uri, V.Of, Edits)}});
    return answer(Id, static_cast<std::int64_t>(Edits.size()));
  }
  refuse(Id, Command.str() + ": no such command, or not with these arguments");
}

void Exchange::explain(llvm::StringRef Check) {
  const std::string Page = Pages.uri(Check);
  if (Can.ShowDocument && !Page.empty())
    return requestClient("window/showDocument",
                         json::Object{{"uri", Page}, {"takeFocus", true}});
  const std::string Says =
      (Check + ": " + lint::findCheck(Check)->Summary).str();
  notifyClient("window/showMessage",
               json::Object{{"type", 3}, {"message", Says}});
}

void Exchange::requestClient(llvm::StringRef Method, json::Object Params) {
  toClient(json::Object{{"jsonrpc", "2.0"},
                        {"id", "spmd-" + std::to_string(++OwnRequests)},
                        {"method", Method},
                        {"params", std::move(Params)}});
}

void Exchange::notifyClient(llvm::StringRef Method, json::Object Params) {
  toClient(json::Object{
      {"jsonrpc", "2.0"}, {"method", Method}, {"params", std::move(Params)}});
}

void Exchange::answer(const json::Value &Id, json::Value Result) {
  toClient(json::Object{
      {"jsonrpc", "2.0"}, {"id", Id}, {"result", std::move(Result)}});
}

void Exchange::refuse(const json::Value &Id, std::string Why) {
  constexpr int InvalidParams = -32602;
  toClient(json::Object{{"jsonrpc", "2.0"},
                        {"id", Id},
                        {"error", json::Object{{"code", InvalidParams},
                                               {"message", std::move(Why)}}}});
}

void Exchange::toClient(json::Object Message) {
  Out.ToClient.push_back(textOf(std::move(Message)));
}

void Exchange::toServer(json::Object Message) {
  Out.ToServer.push_back(textOf(std::move(Message)));
}

} // namespace spmd::editor
