//===- MatcherText.cpp - Matchers in clang-query's language ---------------===//
//
// Clang's registry of matchers takes none from outside. Its parser asks a Sema
// for names, though, and this one knows ours as well.
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/MatcherText.h"

#include "spmd/lint/Matchers.h"
#include "spmd/lint/NearestName.h"
#include "spmd/types/TypeSpec.h"

#include "clang/ASTMatchers/Dynamic/Diagnostics.h"
#include "clang/ASTMatchers/Dynamic/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace clang::ast_matchers;
using namespace clang::ast_matchers::dynamic;
using clang::ast_matchers::internal::DynTypedMatcher;
using clang::ast_matchers::internal::Matcher;

namespace spmd::lint {

namespace {

namespace m = matchers;

struct Arguments {
  llvm::ArrayRef<ParserValue> Values;
  const rules::CollectiveApis &Apis;

  std::string text(unsigned I) const { return Values[I].Value.getString(); }
  template <typename T> Matcher<T> matcher(unsigned I) const {
    return Values[I].Value.getMatcher().getTypedMatcher<T>();
  }
};

/// One form of a matcher.
struct Form {
  llvm::StringLiteral Name;
  llvm::StringLiteral Takes; ///< a letter for each: see takes()
  VariantMatcher (*Make)(const Arguments &A);
};

template <typename T> VariantMatcher one(const Matcher<T> &M) {
  return VariantMatcher::SingleMatcher(M);
}
/// Of a kind of node: it can be given a name.
VariantMatcher node(const Matcher<Stmt> &M) {
  DynTypedMatcher Out(M);
  Out.setAllowBind(true);
  return VariantMatcher::SingleMatcher(Out);
}
template <typename T> VariantMatcher ofDeclOrStatement(const T &M) {
  return VariantMatcher::PolymorphicMatcher(
      {Matcher<Decl>(M), Matcher<AttributedStmt>(M)});
}

/// Without arguments, and of one type.
#define SPMD_PLAIN(NAME)                                                       \
  {#NAME, "", [](const Arguments &) { return one(m::NAME()); }}
/// The same, of an axis or a type.
#define SPMD_OF_TEXT(NAME)                                                     \
  {#NAME, "s", [](const Arguments &A) { return one(m::NAME(A.text(0))); }}
constexpr Form Forms[] = {
    SPMD_PLAIN(spmdAttribute),
    SPMD_PLAIN(spmdType),
    SPMD_OF_TEXT(spmdType),
    SPMD_PLAIN(spmdAxis),
    SPMD_OF_TEXT(spmdAxis),
    SPMD_PLAIN(spmdSize),
    SPMD_OF_TEXT(spmdSize),
    SPMD_PLAIN(spmdMesh),
    SPMD_PLAIN(spmdOp),
    SPMD_PLAIN(spmdGlobal),
    SPMD_PLAIN(spmdLocal),
    SPMD_PLAIN(spmdLocalMap),
    {"spmdNoTypecheck", "",
     [](const Arguments &) { return ofDeclOrStatement(m::spmdNoTypecheck()); }},
    {"spmdAllow", "",
     [](const Arguments &) { return ofDeclOrStatement(m::spmdAllow()); }},
    {"communicationCall", "",
     [](const Arguments &A) { return one(m::communicationCall(&A.Apis)); }},
    {"collectiveCall", "",
     [](const Arguments &A) { return one(m::collectiveCall(&A.Apis)); }},
    {"collectiveCall", "s",
     [](const Arguments &A) {
       return one(m::collectiveCall(&A.Apis, A.text(0)));
     }},
    {"hasCallRole", "se",
     [](const Arguments &A) {
       return one(m::hasCallRole(A.text(0), A.matcher<Expr>(1), A.Apis));
     }},
    SPMD_PLAIN(typedOperatorCall),
    SPMD_PLAIN(optimizerStep),
    SPMD_PLAIN(backwardCall),
    {"backwardCall", "e",
     [](const Arguments &A) {
       return one(m::backwardCall(A.matcher<Expr>(0)));
     }},
    SPMD_PLAIN(ownBody),
    {"attributedStmt", "",
     [](const Arguments &) { return node(m::attributedStmt()); }},
    {"attributedStmt", "a",
     [](const Arguments &A) {
       return node(m::attributedStmt(A.matcher<AttributedStmt>(0)));
     }},
    SPMD_PLAIN(meshType),
    {"callOperator", "m",
     [](const Arguments &A) {
       return one(m::callOperator(A.matcher<CXXMethodDecl>(0)));
     }},
};
#undef SPMD_OF_TEXT
#undef SPMD_PLAIN

llvm::StringRef takes(char Letter) {
  switch (Letter) {
  case 's':
    return "a string";
  case 'e':
    return "a matcher of expressions";
  case 'm':
    return "a matcher of methods";
  default:
    return "a matcher of statements with attributes";
  }
}

bool fits(const VariantValue &V, char Letter) {
  if (Letter == 's')
    return V.isString();
  if (!V.isMatcher())
    return false;
  const VariantMatcher &M = V.getMatcher();
  return Letter == 'e'   ? M.hasTypedMatcher<Expr>()
         : Letter == 'm' ? M.hasTypedMatcher<CXXMethodDecl>()
                         : M.hasTypedMatcher<AttributedStmt>();
}

/// "'spmdAxis' takes nothing, or a string"
std::string allForms(llvm::StringRef Name) {
  std::string Out = "'" + Name.str() + "' takes ";
  llvm::ListSeparator Or(", or ");
  for (const Form &F : Forms) {
    if (F.Name != Name)
      continue;
    Out += llvm::StringRef(Or);
    llvm::ListSeparator And(" and ");
    for (char Letter : F.Takes)
      Out += (llvm::StringRef(And) + takes(Letter)).str();
    Out += F.Takes.empty() ? "nothing" : "";
  }
  return Out;
}

/// What is wrong with the text of a type or of an axis.
std::string wrongText(llvm::StringRef Name, const std::string &Text) {
  if (Name == "spmdType") {
    if (auto T = rules::parseTypeSpec(Text); !T)
      return llvm::toString(T.takeError());
  } else if (Name == "collectiveCall") {
    std::vector<llvm::StringRef> Kinds;
    for (std::size_t K = 0; K != rules::NumCallKinds; ++K)
      Kinds.push_back(rules::callKindName(rules::CallKind(K)));
    if (!llvm::is_contained(Kinds, Text))
      return unknownName("kind of call", Text, Kinds);
  }
  return {};
}

class Names : public Parser::RegistrySema {
public:
  explicit Names(const rules::CollectiveApis &Apis) : Apis(Apis) {}

  /// A matcher of ours is known to the parser by the first form of its name,
  /// which it hands back without a look at it.
  std::optional<MatcherCtor> lookupMatcherCtor(llvm::StringRef Name) override {
    const Form *Ours =
        llvm::find_if(Forms, [&](const Form &F) { return F.Name == Name; });
    if (Ours != std::end(Forms))
      return reinterpret_cast<MatcherCtor>(Ours);
    const std::optional<MatcherCtor> Clangs =
        RegistrySema::lookupMatcherCtor(Name);
    if (!Clangs && Problem.empty())
      Problem = unknownName("matcher", Name, names());
    return Clangs;
  }
  bool isBuilderMatcher(MatcherCtor Ctor) const override {
    return !ours(Ctor) && RegistrySema::isBuilderMatcher(Ctor);
  }
  VariantMatcher actOnMatcherExpression(MatcherCtor Ctor,
                                        dynamic::SourceRange At,
                                        llvm::StringRef BindID,
                                        llvm::ArrayRef<ParserValue> Given,
                                        Diagnostics *Error) override {
    const Form *First = ours(Ctor);
    if (!First)
      return RegistrySema::actOnMatcherExpression(Ctor, At, BindID, Given,
                                                  Error);
    for (const Form &F : Forms) {
      if (F.Name != First->Name || F.Takes.size() != Given.size() ||
          !llvm::all_of_zip(Given, F.Takes, [](const ParserValue &V, char C) {
            return fits(V.Value, C);
          }))
        continue;
      if (F.Takes.starts_with("s"))
        Problem = wrongText(F.Name, Given[0].Value.getString());
      if (!Problem.empty())
        break;
      const VariantMatcher Out = F.Make({Given, Apis});
      if (BindID.empty())
        return Out;
      if (const std::optional<DynTypedMatcher> Single = Out.getSingleMatcher())
        if (const auto Bound = Single->tryBind(BindID))
          return VariantMatcher::SingleMatcher(*Bound);
      Problem = "'" + F.Name.str() +
                "' is of more than one kind of node, "
                "so it has no name of its own";
    }
    if (Problem.empty())
      Problem = allForms(First->Name);
    Error->addError(At, Diagnostics::ET_ParserFailedToBuildMatcher)
        << First->Name;
    return VariantMatcher();
  }

  std::string Problem; ///< in our words, where there is one

private:
  static std::vector<llvm::StringRef> names() {
    std::vector<llvm::StringRef> Out;
    for (const Form &F : Forms)
      Out.push_back(F.Name);
    return Out;
  }
  static const Form *ours(MatcherCtor Ctor) {
    const auto *F = reinterpret_cast<const Form *>(Ctor);
    return F >= std::begin(Forms) && F < std::end(Forms) ? F : nullptr;
  }

  const rules::CollectiveApis &Apis;
};

} // namespace

llvm::Expected<DynTypedMatcher>
parseMatcher(llvm::StringRef Text, const rules::CollectiveApis &Apis) {
  Names Known(Apis);
  Diagnostics Errors;
  std::optional<DynTypedMatcher> Out =
      Parser::parseMatcherExpression(Text, &Known, &Errors);
  if (Out)
    return *Out;
  // The last place is the innermost, where ours are looked at.
  const std::string Theirs = Errors.toStringFull();
  const llvm::StringRef Last = llvm::StringRef(Theirs).rsplit('\n').second;
  const llvm::StringRef Inner = Last.empty() ? llvm::StringRef(Theirs) : Last;
  if (Known.Problem.empty())
    return llvm::createStringError(Inner);
  return llvm::createStringError(Inner.take_while([](char C) {
    return C == ':' || llvm::isDigit(C);
  }) + " " + Known.Problem);
}

} // namespace spmd::lint
