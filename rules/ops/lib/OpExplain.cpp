//===- OpExplain.cpp - Op rules for people --------------------------------===//

#include "spmd/ops/OpExplain.h"

#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

namespace spmd::rules {
namespace {

/// More operands would make tables of hundreds of lines.
constexpr std::size_t MaxTableOperands = 3;

std::string letters(TypeSet Set) {
  std::string Out;
  for (LocalType T : AllLocalTypes)
    if (Set.contains(T)) {
      Out += Out.empty() ? "" : " or ";
      Out += letter(T);
    }
  return Out;
}

/// Those whose types matter and that are always there; all of them if the table
/// stays small.
llvm::SmallVector<unsigned, 4> tableOperands(const OpRule &Rule) {
  llvm::SmallVector<unsigned, 4> All;
  for (unsigned I = 0; I != Rule.Formals.size(); ++I)
    if (readsValue(Rule.Term, I))
      All.push_back(I);
  if (All.size() <= MaxTableOperands)
    return All;
  llvm::erase_if(All, [&](unsigned I) { return Rule.Formals[I].Optional; });
  if (All.size() > MaxTableOperands)
    All.clear();
  return All;
}

std::string joinNames(llvm::ArrayRef<std::string> Names) {
  return llvm::join(Names, ", ");
}

/// Where a factor occurs in a notation.
struct FactorRole {
  bool InOperand = false, InResult = false, Whole = false;
};

/// One line per combination of types that is legal.
void printTable(const OpRule &Rule, llvm::raw_ostream &OS) {
  const llvm::SmallVector<unsigned, 4> Operands = tableOperands(Rule);
  if (Rule.Term.K == RuleTerm::Kind::Source) {
    OS << "  result: " << letters(applyRule(Rule, {}, {}).Output) << '\n';
    return;
  }
  if (Operands.empty())
    return;
  llvm::SmallVector<std::size_t, 4> Widths;
  OS << ' ';
  for (unsigned I : Operands) {
    Widths.push_back(std::max<std::size_t>(Rule.Formals[I].Name.size(), 1));
    OS << ' ' << Rule.Formals[I].Name;
  }
  OS << "  result\n";
  unsigned Legal = 0;
  const unsigned Total = 1u << (2 * Operands.size());
  for (unsigned Tuple = 0; Tuple != Total; ++Tuple) {
    llvm::SmallVector<TypeSet, 4> Sets;
    for (std::size_t I = 0; I != Operands.size(); ++I)
      Sets.push_back(
          AllLocalTypes[(Tuple >> (2 * (Operands.size() - 1 - I))) & 3]);
    const TypeSet Out = applyRule(Rule, Sets, Operands).Output;
    if (Out.empty())
      continue;
    ++Legal;
    OS << ' ';
    for (std::size_t I = 0; I != Sets.size(); ++I)
      OS << ' ' << llvm::left_justify(letters(Sets[I]), Widths[I]);
    OS << "  " << letters(Out) << '\n';
  }
  if (Legal != Total)
    OS << "  all other combinations are illegal\n";
}

/// What a notation says of its factors, in the order in which they occur.
std::string meaningOf(const FactorNotation &N) {
  llvm::MapVector<llvm::StringRef, FactorRole> Roles;
  const auto Visit = [&](const FactorTensor &T, bool IsResult) {
    for (const FactorDim &D : T) {
      if (D.K == FactorDim::Kind::Ellipsis) {
        Roles["..."].InOperand = true;
        Roles["..."].InResult |= IsResult;
      }
      for (const FactorUse &F : D.Factors) {
        FactorRole &R = Roles[F.Name];
        R.InResult |= IsResult;
        R.InOperand |= !IsResult;
        R.Whole |= F.Mark == '^';
      }
    }
  };
  for (const FactorTensor &T : N.Operands)
    Visit(T, /*IsResult=*/false);
  for (const FactorTensor &T : N.Results)
    Visit(T, /*IsResult=*/true);
  llvm::SmallVector<llvm::StringRef, 4> Kept, Added, Whole, New;
  for (const auto &[Name, R] : Roles)
    if (Name != "..." || R.InResult)
      (!R.InOperand ? New
       : R.Whole    ? Whole
       : R.InResult ? Kept
                    : Added)
          .push_back(Name);
  llvm::SmallVector<std::string, 4> Parts;
  const auto Say = [&](llvm::ArrayRef<llvm::StringRef> Names,
                       llvm::StringRef One, llvm::StringRef Several) {
    if (!Names.empty())
      Parts.push_back(llvm::join(Names, ", ") +
                      (Names.size() == 1 ? One : Several).str());
  };
  Say(Kept, " is kept", " are kept");
  Say(Added, " is added up, so that its shards give a pending sum",
      " are added up, so that their shards give a pending sum");
  Say(Whole, " is needed whole", " are needed whole");
  Say(New, " is new", " are new");
  return Parts.empty() ? "no dims" : llvm::join(Parts, "; ");
}

/// Each alternative with one sentence of meaning.
void printShape(const ShapeRule &Rule, llvm::raw_ostream &OS) {
  const auto Print = [&](const ShapeRule &R, llvm::StringRef Meaning) {
    OS << "  dims: " << printShapeRule(R) << "\n        " << Meaning << '\n';
  };
  ShapeRule One = Rule;
  One.Otherwise.clear();
  if (Rule.Notations.empty())
    Print(One, shapeTermMeaning(Rule.Term));
  for (const FactorNotation &N : Rule.Notations) {
    One.Notations = {N};
    Print(One, meaningOf(N));
  }
  for (const ShapeRule &Other : Rule.Otherwise)
    printShape(Other, OS);
}

} // namespace

std::string printSignature(const OpRule &Rule) {
  std::string Out = Rule.Name + "(";
  for (const RuleFormal &F : Rule.Formals) {
    Out += &F == &Rule.Formals.front() ? "" : ", ";
    Out += F.Name;
    Out += F.Optional ? "?" : F.Variadic ? "*" : "";
  }
  return Out + ")";
}

llvm::Expected<std::string> explainOp(const OpCatalogue &Ops,
                                      llvm::StringRef Name) {
  OpMatch Match = Ops.find(Name);
  // Without a namespace, as in the catalogue.
  if (!Match && !Name.contains("::"))
    Match = Ops.find(("at::" + Name).str());
  if (!Match) {
    std::string Message = ("no rule for '" + Name + "'").str();
    const std::vector<std::string> Near = Ops.nearest(Name);
    if (!Near.empty())
      Message += "; the nearest are '" + llvm::join(Near, "', '") + "'";
    return llvm::createStringError(llvm::inconvertibleErrorCode(), Message);
  }
  const OpRule &R = *Match.Rule;
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  OS << printSignature(R) << " = " << R.TermText << '\n';
  if (!R.Reason.empty())
    OS << "  why: " << R.Reason << '\n';
  if (!R.Kernel.empty())
    OS << "  computes: " << R.Kernel << '\n';
  if (R.Shape)
    printShape(*R.Shape, OS);
  for (OpRole Role : allOpRoles())
    if (R.is(Role))
      OS << "  " << opRoleName(Role) << ": " << opRoleMeaning(Role) << '\n';
  for (const RuleFormal &F : R.Formals)
    if (!F.ZeroedBy.empty())
      OS << "  '" << F.Name << "' is not read when '" << F.ZeroedBy
         << "' is zero\n";
  if (Match.InPlace && R.Writes.empty() && !R.Formals.empty())
    OS << "  in place: the result is written to '" << R.Formals.front().Name
       << "'\n";
  if (Match.OutVariant)
    OS << "  the result is written to parameter 'out'\n";
  else if (!R.Writes.empty())
    OS << (R.Replaces ? "  the result replaces parameter '"
                      : "  the result is written to parameter '")
       << R.Writes << "'\n";
  if (!R.Views.empty())
    OS << "  the result "
       << (R.HowMuch == ViewKind::Perhaps ? "may share" : "shares")
       << (R.HowMuch == ViewKind::Part ? " a part of" : "")
       << " the storage of '" << R.Views << "'\n";
  if (!R.Aliases.empty())
    OS << "  also: " << joinNames(R.Aliases) << '\n';
  if (!R.FullNames.empty())
    OS << "  called: " << joinNames(R.FullNames) << '\n';
  OS << "  from: " << R.File << ':' << R.Line << "\n\n";
  printTable(R, OS);
  return Out;
}

void listRules(const OpCatalogue &Ops, llvm::raw_ostream &OS) {
  llvm::MapVector<llvm::StringRef, std::vector<const OpRule *>> Families;
  std::size_t Names = 0, Shapes = 0;
  for (const OpRule &R : Ops.rules()) {
    Families[R.Family].push_back(&R);
    Names += 1 + R.Aliases.size() + R.FullNames.size();
    Shapes += R.Shape.has_value();
  }
  for (const auto &[Family, Rules] : Families) {
    OS << "# " << Family << '\n';
    for (const OpRule *R : Rules) {
      OS << printSignature(*R) << " = " << R->TermText << '\n';
      if (R->Shape)
        OS << "    dims: " << printShapeRule(*R->Shape) << '\n';
      if (!R->Roles.empty())
        OS << "    roles: " << printOpRoles(R->Roles) << '\n';
    }
    OS << '\n';
  }
  OS << Ops.rules().size() << " ops with " << Names << " names; what " << Shapes
     << " of them do to dims is known\n";
}

} // namespace spmd::rules
