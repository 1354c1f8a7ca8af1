//===- MessageStream.cpp - Messages of a language server ------------------===//

#include "spmd/editor/MessageStream.h"

#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <unistd.h>

namespace spmd::editor {

bool MessageReader::fill() {
  char Chunk[1 << 16];
  ssize_t Read = 0;
  do
    Read = ::read(Descriptor, Chunk, sizeof Chunk);
  while (Read < 0 && errno == EINTR);
  if (Read <= 0)
    return false;
  Buffer.append(Chunk, static_cast<std::size_t>(Read));
  return true;
}

/// The length that the head of a message gives.
static std::optional<std::size_t> lengthIn(llvm::StringRef Head) {
  llvm::SmallVector<llvm::StringRef, 4> Lines;
  Head.split(Lines, "\r\n");
  for (llvm::StringRef Line : Lines) {
    const auto [Name, Value] = Line.split(':');
    std::size_t Length = 0;
    if (Name.trim().equals_insensitive("content-length") &&
        !Value.trim().getAsInteger(10, Length))
      return Length;
  }
  return std::nullopt;
}

std::optional<std::string> MessageReader::next() {
  std::size_t End = 0;
  while ((End = Buffer.find("\r\n\r\n")) == std::string::npos)
    if (!fill())
      return std::nullopt;
  const auto Length = lengthIn(llvm::StringRef(Buffer).take_front(End));
  if (!Length)
    return std::nullopt;
  const std::size_t Begin = End + 4;
  while (Buffer.size() < Begin + *Length)
    if (!fill())
      return std::nullopt;
  std::string Body = Buffer.substr(Begin, *Length);
  Buffer.erase(0, Begin + *Length);
  return Body;
}

bool MessageWriter::write(llvm::StringRef Body) {
  const std::string Text = "Content-Length: " + std::to_string(Body.size()) +
                           "\r\n\r\n" + Body.str();
  const std::lock_guard<std::mutex> Lock(Guard);
  for (std::size_t Done = 0; Done != Text.size();) {
    const ssize_t Written =
        ::write(Descriptor, Text.data() + Done, Text.size() - Done);
    if (Written < 0 && errno != EINTR)
      return false;
    if (Written > 0)
      Done += static_cast<std::size_t>(Written);
  }
  return true;
}

} // namespace spmd::editor
