//===- IRScanner.h - Scanning the text form ---------------------*- C++ -*-===//

#ifndef SPMD_RULES_LIB_IRSCANNER_H
#define SPMD_RULES_LIB_IRSCANNER_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>
#include <optional>
#include <string>

namespace spmd::rules {

/// The first error sticks; everything after it is a no-op, so callers need not
/// test after every token.
class IRScanner {
protected:
  explicit IRScanner(llvm::StringRef Text) : Text(Text) {}

  bool failed() const { return !Error.empty(); }
  void fail(const llvm::Twine &Message) { failAt(Pos, Message); }
  void failAt(std::size_t Where, const llvm::Twine &Message) {
    if (failed())
      return;
    const llvm::StringRef Before = Text.take_front(Where);
    const auto Line = Before.count('\n') + 1;
    const auto Column = Where - (Before.rfind('\n') + 1) + 1;
    Error =
        (llvm::Twine(Line) + ":" + llvm::Twine(Column) + ": " + Message).str();
    Pos = Text.size();
  }
  void skipSpace() {
    while (Pos < Text.size()) {
      if (Text[Pos] == '#')
        Pos = std::min(Text.find('\n', Pos), Text.size());
      else if (llvm::isSpace(Text[Pos]))
        ++Pos;
      else
        return;
    }
  }
  bool at(llvm::StringRef Token) {
    skipSpace();
    if (!Text.substr(Pos).starts_with(Token))
      return false;
    // A word must not continue.
    const std::size_t End = Pos + Token.size();
    return !isWord(Token.back()) || End >= Text.size() || !isWord(Text[End]);
  }
  bool accept(llvm::StringRef Token) {
    if (!at(Token))
      return false;
    Pos += Token.size();
    return true;
  }
  void expect(llvm::StringRef Token) {
    if (!accept(Token))
      fail("expected '" + Token + "'");
  }
  static bool isWord(char C) {
    return llvm::isAlnum(C) || C == '_' || C == '.';
  }
  llvm::StringRef word() {
    skipSpace();
    const std::size_t Start = Pos;
    while (Pos < Text.size() && isWord(Text[Pos]))
      ++Pos;
    if (Pos == Start)
      fail("expected a name");
    return Text.slice(Start, Pos);
  }
  std::string string() {
    skipSpace();
    std::string Out;
    if (!accept("\"")) {
      fail("expected a string");
      return Out;
    }
    StringAt = Pos;
    while (Pos < Text.size() && Text[Pos] != '"') {
      if (Text[Pos] == '\\' && Pos + 2 < Text.size()) {
        if (Text[Pos + 1] == '\\') {
          Out += '\\';
          Pos += 2;
          continue;
        }
        std::uint8_t Byte = 0;
        if (!llvm::tryGetHexFromNibbles(Text[Pos + 1], Text[Pos + 2], Byte)) {
          fail("expected two hexadecimal digits after '\\'");
          return Out;
        }
        Out += static_cast<char>(Byte);
        Pos += 3;
        continue;
      }
      Out += Text[Pos++];
    }
    if (Pos >= Text.size())
      fail("unterminated string");
    else
      ++Pos;
    return Out;
  }
  std::string name() {
    skipSpace();
    return Pos < Text.size() && Text[Pos] == '"' ? string() : word().str();
  }
  /// May be negative.
  std::int64_t integer() {
    skipSpace();
    const std::size_t Start = Pos;
    if (Pos < Text.size() && Text[Pos] == '-')
      ++Pos;
    while (Pos < Text.size() && llvm::isDigit(Text[Pos]))
      ++Pos;
    std::int64_t N = 0;
    if (Text.slice(Start, Pos).getAsInteger(10, N)) {
      Pos = Start;
      fail("expected a number of 64 bits");
    }
    return N;
  }
  unsigned number() {
    skipSpace();
    unsigned N = 0;
    const std::size_t Start = Pos;
    while (Pos < Text.size() && llvm::isDigit(Text[Pos]) && Pos - Start < 9)
      N = N * 10 + static_cast<unsigned>(Text[Pos++] - '0');
    if (Pos == Start)
      fail("expected a number");
    return N;
  }
  template <typename Enum, std::size_t N>
  std::optional<Enum> keyword(const llvm::StringRef (&Names)[N]) {
    for (std::size_t I = 0; I != N; ++I)
      if (accept(Names[I]))
        return static_cast<Enum>(I);
    return std::nullopt;
  }

  llvm::StringRef Text;
  std::size_t Pos = 0;
  std::size_t StringAt = 0; ///< where the last string begins, in its quotes
  std::string Error;
};

} // namespace spmd::rules

#endif // SPMD_RULES_LIB_IRSCANNER_H
