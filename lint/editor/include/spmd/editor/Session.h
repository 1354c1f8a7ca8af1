//===- Session.h - Between an editor and its language server ----*- C++ -*-===//
//
// Every message of a session passes here. What clangd answers is completed by
// what the analysis knows; what clangd does not know is answered here. Only the
// protocol is relied on: no part of clangd but its messages.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_EDITOR_SESSION_H
#define SPMD_EDITOR_SESSION_H

#include "spmd/editor/Analysis.h"
#include "spmd/editor/MessageStream.h"

#include <memory>

namespace spmd::editor {

class Exchange;

class Session {
public:
  /// \p CheckPages: the folder with a page for each check; may be empty.
  Session(Analyses &Known, std::string CheckPages);
  ~Session();

  /// The two may be called by two threads.
  Outgoing fromClient(std::string Body);
  Outgoing fromServer(std::string Body);

private:
  std::mutex Guard;
  std::unique_ptr<Exchange> State;
};

} // namespace spmd::editor

#endif // SPMD_EDITOR_SESSION_H
