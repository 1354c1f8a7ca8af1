//===- ScanAttributes.cpp - Attributes that the parser dropped ------------===//

#include "ScanAttributes.h"

#include "spmd/lint/NearestName.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace spmd::lint {

static constexpr llvm::StringRef Known[] = {
    "type",   "axis",  "size",      "mesh",         "op",
    "global", "local", "local_map", "no_typecheck", "allow"};

bool isKnownAttribute(llvm::StringRef Name) {
  return llvm::is_contained(Known, Name);
}

std::string unknownAttribute(llvm::StringRef Name) {
  return unknownName("attribute", ("spmd::" + Name).str(),
                     {"spmd::type", "spmd::axis", "spmd::size", "spmd::mesh",
                      "spmd::op", "spmd::global", "spmd::local",
                      "spmd::local_map", "spmd::no_typecheck", "spmd::allow"});
}

std::vector<UnknownAttribute>
scanAttributes(FileID File, const SourceManager &SM, const LangOptions &Opts) {
  std::vector<UnknownAttribute> Out;
  const std::optional<llvm::MemoryBufferRef> Buffer = SM.getBufferOrNone(File);
  if (!Buffer || !Buffer->getBuffer().contains("[[") ||
      !Buffer->getBuffer().contains("spmd"))
    return Out;
  Lexer Lex(File, *Buffer, SM, Opts);
  Token T;
  // Whether the tokens so far end in `[[`, and then in `spmd` `::`; brackets
  // and parentheses within the attribute are counted.
  bool AfterSquare = false, InList = false, AfterScope = false;
  unsigned Depth = 0;
  std::string Scope;
  for (Lex.LexFromRawLexer(T); T.isNot(tok::eof); Lex.LexFromRawLexer(T)) {
    if (!InList) {
      InList = AfterSquare && T.is(tok::l_square);
      AfterSquare = T.is(tok::l_square);
      Depth = 0;
      continue;
    }
    if (T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace))
      ++Depth;
    else if (T.isOneOf(tok::r_paren, tok::r_brace) && Depth)
      --Depth;
    else if (T.is(tok::r_square) && Depth)
      --Depth;
    else if (T.isOneOf(tok::r_square, tok::semi))
      InList = AfterSquare = false; // `a[[] { … }()]` is no attribute
    const bool WasScope =
        std::exchange(AfterScope, T.is(tok::coloncolon) && Scope == "spmd");
    if (T.isNot(tok::raw_identifier)) {
      if (T.isNot(tok::coloncolon))
        Scope.clear();
      continue;
    }
    const llvm::StringRef Name = T.getRawIdentifier();
    if (WasScope && Depth == 0 && !isKnownAttribute(Name))
      Out.push_back({T.getLocation(), Name.str()});
    Scope = Depth == 0 ? Name.str() : std::string();
  }
  return Out;
}

} // namespace spmd::lint
