//===- Message.h - What ranks and a TCP store say to each other -*- C++ -*-===//
//
// A rank that connects says hello, which is answered: where rank 0 has a secret
// by a challenge first, whose proof is answered; then it sets, which is
// not, and gets, one thing at a time. On the wire a message is its size in four
// bytes, lowest first, then a letter for its kind, the key after its size, and
// the value, which is the rest.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_LIB_BOOTSTRAP_MESSAGE_H
#define SPMD_LIB_BOOTSTRAP_MESSAGE_H

#include <cstddef>
#include <string>

namespace spmd::bootstrap {

struct Message {
  static constexpr char Hello = 'h', Set = 's', Get = 'g', Value = 'v',
                        Error = 'e', Challenge = 'c', Proof = 'p';
  char Kind = 0;
  /// Of a hello, "<rank> <size>".
  std::string Key;
  /// Of a hello, the job's id; of an error, its text.
  std::string Text;
};

constexpr std::size_t SizeBytes = 4;
/// Of a key and a value together.
constexpr std::size_t MaxMessage = (std::size_t(16) << 20) + 4096;

std::string encode(const Message &M);
/// The size that the first four bytes of \p Bytes give.
std::size_t decodeSize(const char *Bytes);
/// False when \p Bytes, those after the size, are no message.
bool decode(const std::string &Bytes, Message &Into);

} // namespace spmd::bootstrap

#endif // SPMD_LIB_BOOTSTRAP_MESSAGE_H
