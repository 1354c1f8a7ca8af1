//===- StandardStreams.cpp - clangd behind a session ----------------------===//
//
// clangd keeps the descriptors 0 and 1, which are pipes now; the editor is at
// copies of what they were. A thread for each direction only ever waits for the
// side that it reads from, or writes to.
//
//===----------------------------------------------------------------------===//

#include "StandardStreams.h"

#include "spmd/editor/MessageStream.h"

#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdlib>
#include <optional>
#include <thread>
#include <unistd.h>

namespace spmd::clangd {

using editor::MessageReader;
using editor::MessageWriter;
using editor::Outgoing;

namespace {

/// Puts a pipe in the place of a standard stream.
struct Replaced {
  int Editor = -1; ///< where the editor is
  int Ours = -1;   ///< our end of the pipe

  /// \p End: of the pipe that the server has.
  static std::optional<Replaced> of(int Stream, int End) {
    int Pipe[2];
    Replaced Out;
    if (::pipe(Pipe) != 0)
      return std::nullopt;
    Out.Editor = ::dup(Stream);
    Out.Ours = Pipe[1 - End];
    if (Out.Editor < 0 || ::dup2(Pipe[End], Stream) < 0)
      return std::nullopt;
    ::close(Pipe[End]);
    return Out;
  }
};

} // namespace

static void send(const Outgoing &Out, MessageWriter &Server,
                 MessageWriter &Client) {
  for (const std::string &Body : Out.ToServer)
    Server.write(Body);
  for (const std::string &Body : Out.ToClient)
    Client.write(Body);
}

void runBetween(editor::Session &Between, llvm::function_ref<int()> Server) {
  const auto In = Replaced::of(STDIN_FILENO, 0);
  const auto Out = In ? Replaced::of(STDOUT_FILENO, 1) : std::nullopt;
  if (!Out) {
    llvm::errs() << "spmd-clangd: no pipes left: SPMD types are not shown\n";
    std::exit(Server());
  }
  // An editor that has gone is no reason to die by a signal.
  std::signal(SIGPIPE, SIG_IGN);
  static MessageWriter ToServer(In->Ours), ToClient(Out->Editor);
  std::thread FromClient([&Between, In = *In] {
    MessageReader Reader(In.Editor);
    while (auto Body = Reader.next())
      send(Between.fromClient(std::move(*Body)), ToServer, ToClient);
    ::close(In.Ours); // clangd sees the end
  });
  std::thread FromServer([&Between, Out = *Out] {
    MessageReader Reader(Out.Ours);
    while (auto Body = Reader.next())
      send(Between.fromServer(std::move(*Body)), ToServer, ToClient);
  });
  const int Code = Server();
  llvm::outs().flush();
  ::close(STDOUT_FILENO);
  FromServer.join();
  // The other thread waits for the editor, which may never say anything more.
  std::_Exit(Code);
}

} // namespace spmd::clangd
