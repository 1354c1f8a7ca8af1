//===- Fingerprint.cpp - A finding, wherever its line went ----------------===//

#include "Fingerprint.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

/// A message without the numbers of the lines that it names.
static std::string withoutLines(StringRef Message) {
  static constexpr StringLiteral Line = "line ";
  std::string Out;
  for (std::size_t At; (At = Message.find(Line)) != StringRef::npos;) {
    Out += Message.take_front(At + Line.size());
    Message = Message.drop_front(At + Line.size()).ltrim("0123456789");
  }
  return Out + Message.str();
}

std::vector<std::string>
spmd::lint::fingerprints(ArrayRef<Diagnostic> Diagnostics,
                         const SourceTexts &Texts) {
  std::vector<std::string> Out;
  StringMap<unsigned> Seen;
  for (const Diagnostic &D : Diagnostics) {
    SmallVector<StringRef> Words;
    SplitString(Texts.line(D.Where.File, D.Where.Line), Words);
    const std::string Text =
        D.Check + "\n" + withoutLines(D.Message) + "\n" + join(Words, " ");
    std::string Print = utohexstr(xxh3_64bits(Text), /*LowerCase=*/true);
    Print.insert(0, 16 - Print.size(), '0');
    const unsigned Before = Seen[Print]++;
    Out.push_back(Print + ":" + utostr(Before + 1));
  }
  return Out;
}
