//===- Session.cpp - Between an editor and its language server ------------===//

#include "spmd/editor/Session.h"

#include "Exchange.h"

namespace spmd::editor {

Session::Session(Analyses &Known, std::string CheckPages)
    : State(std::make_unique<Exchange>(Known, std::move(CheckPages))) {}
Session::~Session() = default;

/// What is not JSON is for the other side to judge.
static std::optional<json::Object> parse(llvm::StringRef Body) {
  auto Value = json::parse(Body);
  if (!Value) {
    llvm::consumeError(Value.takeError());
    return std::nullopt;
  }
  if (json::Object *Message = Value->getAsObject())
    return std::move(*Message);
  return std::nullopt;
}

Outgoing Session::fromClient(std::string Body) {
  auto Message = parse(Body);
  const std::lock_guard<std::mutex> Lock(Guard);
  if (!Message || !State->takeFromClient(*Message))
    State->Out.ToServer.insert(State->Out.ToServer.begin(), std::move(Body));
  return std::exchange(State->Out, {});
}

Outgoing Session::fromServer(std::string Body) {
  auto Message = parse(Body);
  const std::lock_guard<std::mutex> Lock(Guard);
  if (!Message || !State->takeFromServer(*Message))
    State->Out.ToClient.insert(State->Out.ToClient.begin(), std::move(Body));
  return std::exchange(State->Out, {});
}

} // namespace spmd::editor
