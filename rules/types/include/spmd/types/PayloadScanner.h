//===- PayloadScanner.h - Scanning annotation payloads ----------*- C++ -*-===//

#ifndef SPMD_RULES_LIB_PAYLOADSCANNER_H
#define SPMD_RULES_LIB_PAYLOADSCANNER_H

#include "spmd/types/TypeSpec.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace spmd::rules {

/// A cursor over one payload. The first error sticks; what is scanned after it
/// is empty, so that a parser need not test after every token.
class PayloadScanner {
public:
  explicit PayloadScanner(llvm::StringRef Text) : Text(Text) {}

  std::size_t offset() {
    skipSpace();
    return Pos;
  }
  bool atEnd() { return offset() == Text.size(); }
  /// The byte at the cursor, white space included; 0 at the end.
  char peek() const { return Pos < Text.size() ? Text[Pos] : '\0'; }
  bool at(char C) { return offset() < Text.size() && Text[Pos] == C; }
  bool at(llvm::StringRef Token) {
    return Text.substr(offset()).starts_with(Token);
  }
  bool atName(llvm::StringRef Name) {
    return at(Name) && (Pos + Name.size() == Text.size() ||
                        !continuesName(Text[Pos + Name.size()]));
  }
  bool accept(llvm::StringRef Token) {
    if (!at(Token))
      return false;
    Pos += Token.size();
    return true;
  }
  bool expect(llvm::StringRef Token, llvm::StringRef After = {}) {
    if (accept(Token))
      return true;
    fail("expected '" + Token + "'" + (After.empty() ? "" : " " + After) +
         ", got " + found());
    return false;
  }

  static bool startsName(char C) { return llvm::isAlpha(C) || C == '_'; }
  static bool continuesName(char C) {
    return llvm::isAlnum(C) || C == '_' || C == '.';
  }
  /// A name, or empty (no error) when there is none.
  llvm::StringRef name() {
    const std::size_t Start = offset();
    if (Start == Text.size() || !startsName(Text[Start]))
      return {};
    while (Pos < Text.size() && continuesName(Text[Pos]))
      ++Pos;
    return Text.slice(Start, Pos);
  }
  llvm::StringRef expectName(llvm::StringRef What) {
    const llvm::StringRef N = name();
    if (N.empty())
      fail("expected " + What + ", got " + found());
    return N;
  }
  /// A signed number, or nothing when there is none or it is out of range.
  std::optional<long long> number(long long Min, long long Max) {
    const llvm::StringRef Digits = digits();
    long long Value;
    if (Digits.getAsInteger(10, Value) || Value < Min || Value > Max)
      return std::nullopt;
    Pos += Digits.size();
    return Value;
  }

  /// What stands at the cursor, for messages.
  std::string found() {
    if (atEnd())
      return "the end";
    if (startsName(Text[Pos])) {
      std::size_t End = Pos;
      while (End < Text.size() && continuesName(Text[End]))
        ++End;
      return quoted(Text.slice(Pos, End));
    }
    if (const llvm::StringRef Digits = digits(); !Digits.empty())
      return quoted(Digits);
    const char C = Text[Pos];
    if (!llvm::isPrint(C))
      return "a byte that is no printable character";
    return std::string("'") + C + "'";
  }
  /// \p Word in quotes, cut where it would make a message unreadable.
  static std::string quoted(llvm::StringRef Word) {
    constexpr std::size_t Longest = 40;
    return "'" + Word.take_front(Longest).str() +
           (Word.size() > Longest ? "...'" : "'");
  }
  void fail(const llvm::Twine &Message) { failAt(offset(), Message); }
  void failAt(std::size_t Offset, const llvm::Twine &Message) {
    if (!Error.empty())
      return;
    Error = Message.str();
    ErrorOffset = Offset;
    Pos = Text.size();
  }
  bool failed() const { return !Error.empty(); }
  llvm::Error takeError() const {
    return llvm::make_error<PayloadError>(ErrorOffset, Error);
  }

private:
  /// The number at the cursor, sign included; "-" alone is none.
  llvm::StringRef digits() {
    const std::size_t Start = offset();
    std::size_t End = Start + (Start < Text.size() && Text[Start] == '-');
    const std::size_t First = End;
    while (End < Text.size() && llvm::isDigit(Text[End]))
      ++End;
    return End == First ? llvm::StringRef() : Text.slice(Start, End);
  }
  void skipSpace() {
    while (Pos < Text.size() && llvm::isSpace(Text[Pos]))
      ++Pos;
  }

  llvm::StringRef Text;
  std::size_t Pos = 0;
  std::string Error;
  std::size_t ErrorOffset = 0;
};

} // namespace spmd::rules

#endif // SPMD_RULES_LIB_PAYLOADSCANNER_H
