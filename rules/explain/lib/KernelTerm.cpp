//===- KernelTerm.cpp - Compositions of kernels as text -------------------===//

#include "spmd/explain/Kernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace spmd::explain {

namespace {

class Parser {
public:
  Parser(llvm::StringRef Text, llvm::ArrayRef<rules::RuleFormal> Formals)
      : Text(Text), Formals(Formals) {}

  llvm::Expected<KernelTerm> parse() {
    llvm::Expected<KernelTerm> Out = term();
    if (Out && !Text.trim().empty())
      return error("expected the end, found '" + Text.trim() + "'");
    return Out;
  }

private:
  static llvm::Error error(const llvm::Twine &Message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), Message);
  }
  bool consume(llvm::StringRef Mark) {
    Text = Text.ltrim();
    return Text.consume_front(Mark);
  }

  llvm::Expected<KernelTerm> term() {
    Text = Text.ltrim();
    const llvm::StringRef Name =
        Text.take_while([](char C) { return llvm::isAlnum(C) || C == '_'; });
    Text = Text.drop_front(Name.size());
    KernelTerm Out;
    const auto *Formal = llvm::find_if(
        Formals, [&](const rules::RuleFormal &F) { return F.Name == Name; });
    if (!Text.ltrim().starts_with("(") && Formal != Formals.end()) {
      Out.Operand = static_cast<unsigned>(Formal - Formals.begin());
      return Out;
    }
    Out.Apply =
        llvm::find_if(kernels(), [&](auto &K) { return K.Name == Name; });
    if (Out.Apply == kernels().end())
      return error("'" + Name + "' is neither a kernel nor an operand");
    if (consume("("))
      do {
        llvm::Expected<KernelTerm> Child = term();
        if (!Child)
          return Child;
        Out.Children.push_back(std::move(*Child));
      } while (consume(","));
    if (!Out.Children.empty() && !consume(")"))
      return error("expected ')' after the operands of '" + Name + "'");
    if (Out.Children.size() > Out.Apply->Most)
      return error("'" + Name + "' has too many operands");
    return Out;
  }

  llvm::StringRef Text;
  llvm::ArrayRef<rules::RuleFormal> Formals;
};

/// The operands that a term stands for: several for a variadic one.
void collect(const KernelTerm &Term, llvm::ArrayRef<Values> Actuals,
             llvm::ArrayRef<unsigned> FormalOf, std::vector<Values> &Out) {
  if (!Term.Apply) {
    for (std::size_t I = 0; I != Actuals.size(); ++I)
      if (FormalOf[I] == Term.Operand)
        Out.push_back(Actuals[I]);
    return;
  }
  std::vector<Values> Inner;
  for (const KernelTerm &Child : Term.Children)
    collect(Child, Actuals, FormalOf, Inner);
  if (Inner.size() >= Term.Apply->Least)
    Out.push_back(Term.Apply->Run(Inner));
}

} // namespace

llvm::Expected<KernelTerm>
parseKernelTerm(llvm::StringRef Text,
                llvm::ArrayRef<rules::RuleFormal> Formals) {
  return Parser(Text, Formals).parse();
}

Values evaluate(const KernelTerm &Term, llvm::ArrayRef<Values> Actuals,
                llvm::ArrayRef<unsigned> FormalOf) {
  std::vector<Values> Out;
  collect(Term, Actuals, FormalOf, Out);
  return Out.empty() ? Values{} : Out.front();
}

} // namespace spmd::explain
