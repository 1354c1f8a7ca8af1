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

/// One letter too many, too few or wrong, two that changed places, or the wrong
/// case.
static bool isSlipOf(llvm::StringRef Name, llvm::StringRef Meant) {
  const std::string Lower = Name.lower();
  if (llvm::StringRef(Lower).edit_distance(Meant) <= 1)
    return true;
  for (std::size_t I = 0; I + 1 < Lower.size(); ++I) {
    std::string Swapped = Lower;
    std::swap(Swapped[I], Swapped[I + 1]);
    if (Swapped == Meant)
      return true;
  }
  return false;
}

bool isSlipOfScope(llvm::StringRef Scope) {
  // Most words of a program are longer.
  return Scope.size() >= 3 && Scope.size() <= 5 && isSlipOf(Scope, "spmd");
}

bool looksLikeOurs(llvm::StringRef Scope, llvm::StringRef Name) {
  if (Scope == "spmd")
    return !isKnownAttribute(Name);
  return isSlipOfScope(Scope) &&
         llvm::any_of(Known, [&](auto Meant) { return isSlipOf(Name, Meant); });
}

std::string unknownAttribute(llvm::StringRef Scope, llvm::StringRef Name) {
  return unknownName("attribute", (Scope + "::" + Name).str(),
                     {"spmd::type", "spmd::axis", "spmd::size", "spmd::mesh",
                      "spmd::op", "spmd::global", "spmd::local",
                      "spmd::local_map", "spmd::no_typecheck", "spmd::allow"});
}

namespace {

/// The lists of attributes in the tokens of a file.
class AttributeLists {
public:
  AttributeLists(Lexer &Lex, std::vector<UnknownAttribute> &Out)
      : Lex(Lex), Out(Out) {}

  void scan() {
    bool AfterSquare = false;
    for (next(); T.isNot(tok::eof);) {
      const bool Begins = AfterSquare && T.is(tok::l_square);
      AfterSquare = T.is(tok::l_square);
      next();
      if (Begins) {
        list();
        AfterSquare = false;
      }
    }
  }

private:
  void next() { Lex.LexFromRawLexer(T); }

  /// From behind `[[` to its end, or to where it turns out to be something
  /// else, as in `a[[] { … }()]`.
  void list() {
    Common.clear();
    if (isWord("using")) {
      next();
      Common = word();
      next();
      if (T.isNot(tok::colon))
        return;
      next();
    }
    while (T.is(tok::raw_identifier)) {
      attribute();
      while (T.is(tok::comma) || T.is(tok::ellipsis))
        next();
    }
  }

  void attribute() {
    std::string Scope = Common, Name = word();
    UnknownAttribute Here{T.getLocation(), "", ""};
    next();
    if (T.is(tok::coloncolon)) {
      next();
      // What is wrong is where the reader looks first.
      if (Name == "spmd")
        Here.Loc = T.getLocation();
      Scope = std::exchange(Name, word());
      next();
    }
    const bool Quoted = arguments();
    // Of other libraries' names only what is written as we write ours.
    if (!Name.empty() && looksLikeOurs(Scope, Name) &&
        (Scope == "spmd" || Quoted)) {
      Here.Scope = Scope;
      Here.Name = Name;
      Out.push_back(Here);
    }
  }

  /// Skips what is in parentheses; whether there is nothing, or a string first.
  bool arguments() {
    if (T.isNot(tok::l_paren))
      return true;
    next();
    const bool Quoted = T.is(tok::string_literal);
    unsigned Depth = 1;
    for (; T.isNot(tok::eof); next()) {
      Depth += T.is(tok::l_paren);
      Depth -= T.is(tok::r_paren);
      if (!Depth) {
        next();
        break;
      }
    }
    return Quoted;
  }

  bool isWord(llvm::StringRef Text) const {
    return T.is(tok::raw_identifier) && T.getRawIdentifier() == Text;
  }
  std::string word() const {
    return T.is(tok::raw_identifier) ? T.getRawIdentifier().str() : "";
  }

  Lexer &Lex;
  std::vector<UnknownAttribute> &Out;
  Token T;
  std::string Common; ///< the scope of all, after `using`
};

} // namespace

std::vector<UnknownAttribute>
scanAttributes(FileID File, const SourceManager &SM, const LangOptions &Opts) {
  std::vector<UnknownAttribute> Out;
  const std::optional<llvm::MemoryBufferRef> Buffer = SM.getBufferOrNone(File);
  if (!Buffer || !Buffer->getBuffer().contains("[["))
    return Out;
  Lexer Lex(File, *Buffer, SM, Opts);
  AttributeLists(Lex, Out).scan();
  return Out;
}

} // namespace spmd::lint
