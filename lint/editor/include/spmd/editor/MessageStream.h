//===- MessageStream.h - Messages of a language server ----------*- C++ -*-===//

#ifndef SPMD_EDITOR_MESSAGESTREAM_H
#define SPMD_EDITOR_MESSAGESTREAM_H

#include "llvm/ADT/StringRef.h"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace spmd::editor {

/// Message bodies to be sent on.
struct Outgoing {
  std::vector<std::string> ToServer, ToClient;
};

/// Takes messages off a file descriptor.
class MessageReader {
public:
  explicit MessageReader(int Descriptor) : Descriptor(Descriptor) {}
  /// The next body; none at the end, or after what is no message.
  std::optional<std::string> next();

private:
  bool fill();

  int Descriptor;
  std::string Buffer;
};

/// Puts messages on a file descriptor, each as a whole.
class MessageWriter {
public:
  explicit MessageWriter(int Descriptor) : Descriptor(Descriptor) {}
  /// False when nobody reads any more.
  bool write(llvm::StringRef Body);

private:
  int Descriptor;
  std::mutex Guard;
};

} // namespace spmd::editor

#endif // SPMD_EDITOR_MESSAGESTREAM_H
