//===- ScanComments.cpp - NOLINT comments ---------------------------------===//
//
// Not clang-tidy's NoLintDirectiveHandler, which answers for one diagnostic at
// a time: here a comment that suppresses nothing, or gives no reason, is a
// finding.
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/Suppression.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace spmd::lint;

namespace {

class Scanner {
public:
  Scanner(StringRef File, StringRef Text) : File(File), Text(Text) {}

  FileSuppressions scan();

private:
  void comment(StringRef Comment);
  void keyword(StringRef Comment, StringRef Keyword, StringRef Rest);
  void end(const Suppression &S);
  Place placeOf(StringRef Part);

  StringRef File, Text;
  FileSuppressions Out;
  std::vector<Suppression> Open; ///< NOLINTBEGINs
  // Offsets only grow, so lines are counted once.
  std::size_t LineAt = 0;
  unsigned Line = 1;
  std::size_t LineStart = 0;
};

} // namespace

Place Scanner::placeOf(StringRef Part) {
  Place P;
  P.File = File.str();
  P.Offset = Part.data() - Text.data();
  P.Length = Part.size();
  if (P.Offset < LineAt) {
    LineAt = LineStart = 0;
    Line = 1;
  }
  for (; LineAt < P.Offset; ++LineAt)
    if (Text[LineAt] == '\n') {
      ++Line;
      LineStart = LineAt + 1;
    }
  P.Line = Line;
  P.Column = P.Offset - LineStart + 1;
  return P;
}

/// Comments of other tools are read, but never complained about.
static bool isOurs(const Suppression &S) {
  return llvm::any_of(S.Checks,
                      [](StringRef C) { return C.starts_with("spmd-"); });
}

/// Whether \p Rest, what follows the list of checks, gives a reason.
static bool hasReason(StringRef Rest) {
  Rest = Rest.ltrim(" \t");
  if (!Rest.consume_front(":"))
    return false;
  StringRef Line = Rest.take_until([](char C) { return C == '\n'; });
  Line.consume_back("*/");
  return llvm::any_of(Line, [](char C) { return isAlnum(C); });
}

void Scanner::end(const Suppression &S) {
  for (auto It = Open.rbegin(); It != Open.rend(); ++It)
    if (It->Checks == S.Checks) {
      It->LastLine = S.Where.Line;
      Out.Suppressions.push_back(std::move(*It));
      Open.erase(std::next(It).base());
      return;
    }
  if (isOurs(S))
    Out.Errors.push_back({S.Where,
                          "NOLINTEND without a NOLINTBEGIN of the same "
                          "checks before it"});
}

void Scanner::keyword(StringRef Comment, StringRef Keyword, StringRef Rest) {
  Suppression S;
  S.Where = placeOf(Keyword);
  S.Spelling = Keyword.str();
  S.FirstLine = S.LastLine = S.Where.Line;
  if (Rest.consume_front("(")) {
    auto [List, After] = Rest.split(')');
    if (List.size() == Rest.size()) {
      if (Rest.starts_with("spmd-"))
        Out.Errors.push_back({S.Where, (Keyword + "( is never closed").str()});
      return;
    }
    SmallVector<StringRef, 4> Globs;
    List.split(Globs, ',', -1, /*KeepEmpty=*/false);
    for (StringRef G : Globs)
      S.Checks.push_back(G.trim().str());
    Rest = After;
  }
  S.HasReason = hasReason(Rest);

  // Deleting is offered when the comment starts with the keyword: then what
  // follows is its reason.
  if (Comment.drop_front(2).ltrim().data() == Keyword.data()) {
    StringRef Before(Text.data(), Comment.data() - Text.data());
    const std::size_t Blanks = Before.size() - Before.rtrim(" \t").size();
    S.Removable =
        placeOf(StringRef(Comment.data() - Blanks, Comment.size() + Blanks));
    // A comment with a line of its own takes the line with it.
    StringRef After = Text.substr(S.Removable.Offset + S.Removable.Length);
    if (S.Removable.Column == 1 && After.starts_with("\n"))
      ++S.Removable.Length;
    else if (S.Removable.Column == 1 && After.starts_with("\r\n"))
      S.Removable.Length += 2;
  }

  if (Keyword == "NOLINTEND")
    return end(S);
  if (Keyword == "NOLINTNEXTLINE") {
    // The line after the comment, should it span several.
    S.FirstLine = S.LastLine = S.Where.Line + 1 + Rest.count('\n');
  } else if (Keyword == "NOLINTBEGIN") {
    S.Removable = {};
    Open.push_back(std::move(S));
    return;
  }
  Out.Suppressions.push_back(std::move(S));
}

void Scanner::comment(StringRef Comment) {
  constexpr StringLiteral Prefix = "NOLINT";
  for (std::size_t At = Comment.find(Prefix); At != StringRef::npos;
       At = Comment.find(Prefix, At + Prefix.size())) {
    if (At && (isAlnum(Comment[At - 1]) || Comment[At - 1] == '_'))
      continue;
    StringRef Keyword = Comment.substr(At).take_while(
        [](char C) { return isAlnum(C) || C == '_'; });
    if (Keyword == "NOLINT" || Keyword == "NOLINTNEXTLINE" ||
        Keyword == "NOLINTBEGIN" || Keyword == "NOLINTEND")
      keyword(Comment, Keyword, Comment.substr(At + Keyword.size()));
  }
}

FileSuppressions Scanner::scan() {
  // Most files have none.
  if (!Text.contains("NOLINT"))
    return {};
  clang::LangOptions Options;
  Options.CPlusPlus = Options.CPlusPlus11 = Options.LineComment = true;
  Options.RawStringLiterals = true;
  // The lexer wants a terminating zero; a buffer of a file has one, any other
  // text gets it here. Offsets are the same in the copy.
  const std::string Copy = Text.str();
  Text = Copy;
  clang::Lexer Lexer(clang::SourceLocation(), Options, Copy.data(), Copy.data(),
                     Copy.data() + Copy.size());
  Lexer.SetCommentRetentionState(true);
  clang::Token Token;
  for (bool End = false; !End;) {
    End = Lexer.LexFromRawLexer(Token);
    if (Token.is(clang::tok::comment)) {
      const char *EndOf = Lexer.getBufferLocation();
      comment(StringRef(EndOf - Token.getLength(), Token.getLength()));
    }
  }
  for (Suppression &S : Open)
    if (isOurs(S))
      Out.Errors.push_back({S.Where,
                            "NOLINTBEGIN without a NOLINTEND of the same "
                            "checks after it"});
  llvm::sort(Out.Suppressions);
  return std::move(Out);
}

FileSuppressions spmd::lint::scanSuppressions(StringRef File, StringRef Text) {
  return Scanner(File, Text).scan();
}
