//===- RuleTerm.cpp - The terms of op rules as text -----------------------===//

#include "OpNames.h"
#include "spmd/ops/OpRule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace spmd::rules {

char RuleTermError::ID = 0;

void RuleTermError::log(llvm::raw_ostream &OS) const {
  OS << "column " << Column << ": " << Message;
}

std::error_code RuleTermError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

namespace {

constexpr llvm::StringRef SourceNames[] = {"constant", "zero", "unknown",
                                           "unwritten"};

class Parser {
public:
  Parser(llvm::StringRef Text, llvm::ArrayRef<RuleFormal> Formals)
      : Text(Text), Formals(Formals) {}

  llvm::Expected<RuleTerm> parse() {
    llvm::Expected<RuleTerm> Root = term(0);
    if (!Root)
      return Root;
    if (Root->K == RuleTerm::Kind::Operand && formal(*Root).Variadic)
      return error(0, "several operands '" + formal(*Root).Name +
                          "' need a class that combines them");
    skipSpace();
    if (Pos != Text.size())
      return error(Pos, "expected the end of the rule, found '" +
                            Text.substr(Pos).str() + "'");
    return Root;
  }

private:
  /// Deeper terms are mistakes, and would let a file exhaust the stack.
  static constexpr unsigned MaxDepth = 32;

  llvm::Error error(std::size_t At, std::string Message) const {
    return llvm::make_error<RuleTermError>(static_cast<unsigned>(At) + 1,
                                           std::move(Message));
  }

  const RuleFormal &formal(const RuleTerm &T) const {
    return Formals[T.Operand];
  }

  void skipSpace() {
    while (Pos != Text.size() && llvm::isSpace(Text[Pos]))
      ++Pos;
  }

  bool consume(char C) {
    skipSpace();
    if (Pos == Text.size() || Text[Pos] != C)
      return false;
    ++Pos;
    return true;
  }

  llvm::Expected<RuleTerm> term(unsigned Depth) {
    skipSpace();
    const std::size_t Start = Pos;
    while (Pos != Text.size() && (llvm::isAlnum(Text[Pos]) || Text[Pos] == '_'))
      ++Pos;
    const llvm::StringRef Name = Text.slice(Start, Pos);
    if (Name.empty())
      return error(Start, "expected a class, an operand or a source");
    if (Depth == MaxDepth)
      return error(Start, "the rule is nested too deeply");
    if (!consume('('))
      return leaf(Name, Start);
    return application(Name, Start, Depth);
  }

  llvm::Expected<RuleTerm> leaf(llvm::StringRef Name, std::size_t Start) {
    RuleTerm T;
    for (const auto &[I, F] : llvm::enumerate(Formals))
      if (F.Name == Name) {
        T.Operand = static_cast<unsigned>(I);
        return T;
      }
    for (const auto &[I, S] : llvm::enumerate(SourceNames))
      if (S == Name) {
        T.K = RuleTerm::Kind::Source;
        T.Source = static_cast<SourceKind>(I);
        return T;
      }
    if (findClass(Name))
      return error(Start + Name.size(),
                   "expected '(' after the class '" + Name.str() + "'");
    llvm::SmallVector<llvm::StringRef, 8> Known(std::begin(SourceNames),
                                                std::end(SourceNames));
    for (const RuleFormal &F : Formals)
      Known.push_back(F.Name);
    return error(Start, unknownName("operand", Name, Known));
  }

  llvm::Expected<RuleTerm> application(llvm::StringRef Name, std::size_t Start,
                                       unsigned Depth) {
    const std::optional<OpClass> Class = findClass(Name);
    if (!Class) {
      llvm::SmallVector<llvm::StringRef, NumOpClasses> Known;
      for (int I = 0; I != NumOpClasses; ++I)
        Known.push_back(opClassName(static_cast<OpClass>(I)));
      return error(Start, unknownName("class", Name, Known));
    }
    RuleTerm T;
    T.K = RuleTerm::Kind::Apply;
    T.Class = *Class;
    do {
      skipSpace();
      const std::size_t ChildStart = Pos;
      llvm::Expected<RuleTerm> Child = term(Depth + 1);
      if (!Child)
        return Child;
      // What is left of a quotient without its numerator is no quotient.
      if (T.Children.empty() && T.Class == OpClass::Quotient &&
          !alwaysOne(*Child))
        return error(ChildStart, "the numerator of a quotient is one operand "
                                 "that is always there");
      T.Children.push_back(std::move(*Child));
    } while (consume(','));
    if (!consume(')'))
      return error(Pos, Pos == Text.size()
                            ? "expected ',' or ')' before the end of the rule"
                            : "expected ',' or ')', found '" +
                                  Text.substr(Pos, 1).str() + "'");
    return T;
  }

  /// Whether \p T stands for exactly one value in every call.
  bool alwaysOne(const RuleTerm &T) const {
    switch (T.K) {
    case RuleTerm::Kind::Source:
      return true;
    case RuleTerm::Kind::Operand:
      return !formal(T).Optional && !formal(T).Variadic;
    case RuleTerm::Kind::Apply:
      return llvm::any_of(T.Children,
                          [&](const RuleTerm &C) { return alwaysOne(C); });
    }
    return false;
  }

  static std::optional<OpClass> findClass(llvm::StringRef Name) {
    for (int I = 0; I != NumOpClasses; ++I)
      if (Name == llvm::StringRef(opClassName(static_cast<OpClass>(I))))
        return static_cast<OpClass>(I);
    return std::nullopt;
  }

  llvm::StringRef Text;
  llvm::ArrayRef<RuleFormal> Formals;
  std::size_t Pos = 0;
};

} // namespace

llvm::Expected<RuleTerm> parseRuleTerm(llvm::StringRef Text,
                                       llvm::ArrayRef<RuleFormal> Formals) {
  return Parser(Text, Formals).parse();
}

std::string printRuleTerm(const RuleTerm &Term,
                          llvm::ArrayRef<RuleFormal> Formals) {
  switch (Term.K) {
  case RuleTerm::Kind::Operand:
    return Formals[Term.Operand].Name;
  case RuleTerm::Kind::Source:
    return SourceNames[static_cast<int>(Term.Source)].str();
  case RuleTerm::Kind::Apply:
    break;
  }
  std::string Out(opClassName(Term.Class));
  Out += '(';
  for (const RuleTerm &Child : Term.Children) {
    if (&Child != &Term.Children.front())
      Out += ", ";
    Out += printRuleTerm(Child, Formals);
  }
  return Out + ')';
}

} // namespace spmd::rules
