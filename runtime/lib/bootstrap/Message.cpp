#include "Message.h"

#include <cstdint>

namespace spmd::bootstrap {

static void appendSize(std::string &To, std::size_t Size) {
  for (int Shift = 0; Shift < 32; Shift += 8)
    To += static_cast<char>(Size >> Shift & 0xff);
}

std::size_t decodeSize(const char *Bytes) {
  std::size_t Size = 0;
  for (int B = 0; B < 4; ++B)
    Size |= static_cast<std::size_t>(static_cast<std::uint8_t>(Bytes[B]))
            << (8 * B);
  return Size;
}

std::string encode(const Message &M) {
  std::string Bytes;
  appendSize(Bytes, 1 + SizeBytes + M.Key.size() + M.Text.size());
  Bytes += M.Kind;
  appendSize(Bytes, M.Key.size());
  return Bytes + M.Key + M.Text;
}

bool decode(const std::string &Bytes, Message &Into) {
  constexpr std::size_t Head = 1 + SizeBytes;
  if (Bytes.size() < Head)
    return false;
  const std::size_t Key = decodeSize(Bytes.data() + 1);
  if (Key > Bytes.size() - Head)
    return false;
  Into = {Bytes[0], Bytes.substr(Head, Key), Bytes.substr(Head + Key)};
  return true;
}

} // namespace spmd::bootstrap
