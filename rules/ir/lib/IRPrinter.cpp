//===- IRPrinter.cpp - Printing the text form -----------------------------===//

#include "IRNames.h"
#include "spmd/ir/IRText.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace spmd::rules {
namespace {

/// What the rules that are in no catalogue are called in the text.
using RuleNames = llvm::DenseMap<const OpRule *, std::string>;

class Printer {
public:
  Printer(const Function &F, llvm::raw_ostream &OS, const RuleNames *Own)
      : F(F), OS(OS), Own(Own), Numbers(F.Slots.size()) {
    number();
  }

  void print() {
    OS << "func @" << quotedIfNeeded(F.Symbol);
    if (F.DisplayName != F.Symbol)
      OS << " as " << quote(F.DisplayName);
    OS << '(';
    for (unsigned I = 0; I != F.NumParameters; ++I) {
      if (I)
        OS << ", ";
      declaration(I);
    }
    OS << ')';
    if (F.Result)
      OS << " -> " << quote(printTypeAnnotation(*F.Result))
         << place(F.ResultAt);
    if (!F.ResultAxes.empty())
      OS << " axis " << quote(printAxes(F.ResultAxes));
    if (F.Trusted)
      OS << " trusted";
    if (F.IsConstructor)
      OS << " constructor";
    if (F.IsKernel)
      OS << " kernel";
    if (F.IsChoice)
      OS << " choice";
    mode(F.Mode);
    mesh(F.Mesh.get());
    OS << " {\n";
    for (std::uint32_t I = F.NumParameters; I != F.Slots.size(); ++I)
      if (F.Slots[I].Kind != SlotKind::Temporary) {
        OS << "  slot ";
        declaration(I);
        OS << '\n';
      }
    for (const SlotList &Names : Objects) {
      OS << "  object";
      for (SlotId S : Names)
        OS << ' ' << slot(S);
      OS << '\n';
    }
    for (std::size_t B = 0; B != F.Blocks.size(); ++B) {
      OS << 'b' << B << ":\n";
      for (const Fact &X : F.Blocks[B].Facts) {
        OS << "  ";
        std::visit([this](const auto &Y) { fact(Y); }, X);
        OS << place(placeOf(X), '@') << '\n';
      }
      OS << "  ->";
      for (BlockId S : F.Blocks[B].Successors)
        OS << " b" << index(S);
      if (const Operand &If = F.Blocks[B].Condition;
          If.Slot != SlotId::None || If.At != PlaceId::None)
        OS << " if " << operand(If);
      if (F.Blocks[B].OnData)
        OS << " on data";
      if (const std::optional<BranchTest> &Test = F.Blocks[B].Test) {
        OS << " when " << TestNames[static_cast<unsigned>(Test->K)] << ' ';
        if (Test->Parameter != SlotId::None)
          OS << slot(Test->Parameter) << ' ';
        OS << quote(Test->Of) << ' '
           << RelationNames[static_cast<unsigned>(Test->R)] << ' ' << Test->To;
        if (Test->Loop != BlockId::None)
          OS << " of b" << index(Test->Loop);
      }
      OS << '\n';
    }
    OS << "}\n";
  }

  static std::string quote(llvm::StringRef S) {
    std::string Out = "\"";
    llvm::raw_string_ostream Stream(Out);
    llvm::printEscapedString(S, Stream);
    return Out + "\"";
  }
  static std::string quotedIfNeeded(llvm::StringRef S) {
    const bool Plain = !S.empty() && llvm::all_of(S, [](char C) {
      return llvm::isAlnum(C) || C == '_' || C == '.';
    });
    return Plain ? S.str() : quote(S);
  }

private:
  /// Slots have the numbers that the parser gives them: in the order in which
  /// the text first mentions them.
  void number() {
    std::uint32_t Next = 0;
    const auto Mention = [&](SlotId S) {
      if (S == SlotId::None)
        return;
      std::optional<std::uint32_t> &Number = Numbers[index(S)];
      if (!Number)
        Number = Next++;
    };
    for (std::uint32_t I = 0; I != F.Slots.size(); ++I)
      if (I < F.NumParameters || F.Slots[I].Kind != SlotKind::Temporary) {
        Mention(SlotId(I));
        Mention(F.Slots[I].Base);
      }
    findObjects();
    for (const SlotList &Names : Objects)
      llvm::for_each(Names, Mention);
    for (const Block &B : F.Blocks) {
      for (const Fact &X : B.Facts)
        forEachSlot(X, [&](SlotId S, SlotAccess) { Mention(S); });
      Mention(B.Condition.Slot);
    }
  }
  /// The classes of ObjectOf that have several slots. Declared slots, which
  /// have their numbers by now, come before temporaries.
  void findObjects() {
    Objects.resize(F.ObjectOf.size());
    for (std::uint32_t I = 0; I != F.ObjectOf.size(); ++I)
      Objects[index(F.ObjectOf[I])].push_back(SlotId(I));
    llvm::erase_if(Objects,
                   [](const SlotList &Names) { return Names.size() < 2; });
    const auto Before = [this](SlotId A, SlotId B) {
      const auto Rank = [this](SlotId S) {
        const std::optional<std::uint32_t> Number = Numbers[index(S)];
        return std::pair(!Number, Number.value_or(index(S)));
      };
      return Rank(A) < Rank(B);
    };
    for (SlotList &Names : Objects)
      llvm::sort(Names, Before);
    llvm::sort(Objects, [&](const SlotList &A, const SlotList &B) {
      return Before(A.front(), B.front());
    });
  }

  /// Operands and declarations carry `!line:column`, facts `@line:column`.
  std::string place(PlaceId P, char Mark = '!') const {
    if (P == PlaceId::None)
      return "";
    const Place &X = F.Places[index(P)];
    return std::string(" ") + Mark + std::to_string(X.Line) + ":" +
           std::to_string(X.Column);
  }
  /// Names may repeat (shadowing, temporaries), numbers do not.
  std::string slot(SlotId S) const {
    if (S == SlotId::None)
      return "_";
    const Slot &X = F.slot(S);
    const std::string Number = std::to_string(*Numbers[index(S)]);
    if (X.Name.empty())
      return "%" + Number;
    return "%" + quotedIfNeeded(X.Name + "." + Number);
  }
  std::string operand(const Operand &O, bool OfOp = false) const {
    return slot(O.Slot) + (OfOp && O.Scalar ? " scalar" : "") + place(O.At);
  }

  void mesh(const MeshSpec *M) {
    if (M)
      OS << " mesh " << quote(printMesh(*M));
  }
  void mode(const CheckingMode &Mode) {
    const auto Where = [&](llvm::StringRef Word, bool All,
                           const std::vector<std::string> &Some) {
      if (All || !Some.empty())
        OS << ' ' << Word;
      if (!All && !Some.empty())
        OS << ' ' << quote(printAxes(Some));
    };
    Where("global", Mode.AllGlobal, Mode.GlobalAxes);
    Where("local", Mode.AllLocal, Mode.LocalAxes);
    if (Mode.LocalMap)
      OS << " local_map";
  }
  void argument(const OpArgument &A) {
    using None = OpArgument::None;
    if (!A.Value)
      OS << '?';
    else if (std::holds_alternative<None>(*A.Value))
      OS << "none";
    else if (const bool *B = std::get_if<bool>(&*A.Value))
      OS << (*B ? "true" : "false");
    else if (const auto *S = std::get_if<std::string>(&*A.Value))
      OS << quote(*S);
    else if (const auto *V = std::get_if<SizeValue>(&*A.Value))
      size(*V, /*InList=*/false);
    else {
      OS << '{';
      for (const auto &V : std::get<SizeList>(*A.Value)) {
        OS << (&V == std::get<SizeList>(*A.Value).data() ? "" : ", ");
        if (V)
          size(*V, /*InList=*/true);
        else
          OS << '?';
      }
      OS << '}';
    }
  }
  /// A number, then what is multiplied, then what it is divided by.
  void size(const SizeValue &V, bool InList) {
    const auto Product = llvm::find_if(
        V.Terms, [](const SizeTerm &T) { return T.Exponent > 0; });
    // Alone, a quoted name would be a string.
    bool First = true;
    if (V.Number != 1 || Product == V.Terms.end() ||
        (!InList && !Product->Variable.empty() &&
         variable(Product->Variable) != Product->Variable)) {
      OS << V.Number;
      First = false;
    }
    const auto Powers = [&](char Sign, int Direction) {
      for (const SizeTerm &T : V.Terms)
        for (int I = 0; I < Direction * T.Exponent; ++I) {
          if (!First)
            OS << Sign;
          First = false;
          if (T.Tensor != SlotId::None)
            OS << slot(T.Tensor) << '[' << T.Dim << ']';
          else
            OS << variable(T.Variable);
        }
    };
    Powers('*', 1);
    Powers('/', -1);
    if (V.Divisor != 1)
      OS << '/' << V.Divisor;
  }
  static std::string variable(llvm::StringRef Name) {
    const bool Keyword = Name == "none" || Name == "true" || Name == "false";
    return Keyword || Name.empty() || llvm::isDigit(Name.front())
               ? quote(Name)
               : quotedIfNeeded(Name);
  }

  void declaration(std::uint32_t I) {
    const Slot &S = F.Slots[I];
    OS << slot(SlotId(I));
    if (I >= F.NumParameters)
      OS << ' ' << SlotKindNames[static_cast<int>(S.Kind)];
    if (S.Kind == SlotKind::Field)
      OS << ' ' << slot(S.Base) << ' ' << quotedIfNeeded(S.Member);
    if (S.Kind == SlotKind::Global && !S.Member.empty())
      OS << " as " << quote(S.Member);
    if (S.ByReference)
      OS << " ref";
    if (S.Escapes)
      OS << " escapes";
    if (S.Owned)
      OS << " owned";
    if (S.Outermost)
      OS << " outermost";
    if (S.InPlace)
      OS << " inplace";
    if (S.IsTensor)
      OS << " tensor";
    if (S.Integer)
      OS << " integer";
    if (S.Apart)
      OS << " apart";
    if (S.Declared)
      OS << (S.Inherited ? ": inherited " : ": ")
         << quote(printTypeAnnotation(*S.Declared));
    if (!S.DeclaredAxes.empty())
      OS << " axis " << quote(printAxes(S.DeclaredAxes));
    mesh(S.Mesh.get());
    OS << place(S.DeclaredAt);
  }
  void dst(SlotId S) {
    if (S != SlotId::None)
      OS << slot(S) << " = ";
  }

  void fact(const DefineFact &X) {
    dst(X.Dst);
    OS << DefineNames[static_cast<int>(X.K)];
    if (X.K == DefineFact::Kind::Declared)
      OS << ' ' << quote(X.Type ? printTypeSpec(*X.Type) : std::string());
    else if (X.isOfAxis())
      OS << ' ' << slot(X.Axis);
    else if (X.K == DefineFact::Kind::Axes)
      OS << ' ' << quote(printAxes(X.AxisNames));
  }
  void fact(const BindFact &X) {
    dst(X.Dst);
    OS << (X.Refers ? "refer " : X.Joins ? "join " : "bind ") << operand(X.Src);
  }
  void fact(const ViewFact &X) {
    dst(X.Dst);
    using K = ViewFact::Kind;
    OS << (X.K == K::Handle    ? "handle "
           : X.K == K::Element ? "element "
           : X.K == K::Region  ? "region "
                               : "view ")
       << operand(X.Src) << " at " << operand(X.Offset);
  }
  void fact(const OpFact &X) {
    dst(X.Dst);
    const auto Name = Own ? Own->find(X.Rule) : RuleNames::const_iterator();
    OS << "op "
       << quotedIfNeeded(Own && Name != Own->end() ? Name->second
                                                   : X.Rule->Name)
       << '(';
    for (std::size_t I = 0; I != X.Operands.size(); ++I)
      OS << (I ? ", " : "") << X.Rule->Formals[X.FormalOf[I]].Name << '='
         << operand(X.Operands[I], /*OfOp=*/true);
    OS << ')';
    if (!X.Arguments.empty()) {
      OS << " [";
      for (const OpArgument &A : X.Arguments) {
        OS << (&A == X.Arguments.data() ? "" : ", ") << quotedIfNeeded(A.Name)
           << '=';
        argument(A);
      }
      OS << ']';
    }
    if (X.WritesTo != SlotId::None)
      OS << (X.PartialWrite ? " into part " : " into ") << slot(X.WritesTo);
  }
  void fact(const TransferFact &X) {
    dst(X.Dst);
    OS << transferName(X.K) << ' ' << operand(X.Src) << " on "
       << operand(X.Axis);
    if (X.FromType)
      OS << " from " << quote(printTypeSpec(*X.FromType)) << place(X.FromAt);
    else if (X.From)
      OS << " from " << printAtom(*X.From) << place(X.FromAt);
    if (X.ToType)
      OS << " to " << quote(printTypeSpec(*X.ToType)) << place(X.ToAt);
    else if (X.To)
      OS << " to " << printAtom(*X.To) << place(X.ToAt);
    if (X.Reduction != ReductionKind::Sum)
      OS << " with " << ReductionNames[static_cast<int>(X.Reduction)];
    if (X.Expert)
      OS << " expert";
    if (X.Few)
      OS << " few";
    if (X.Counts)
      OS << " counts";
    if (X.Out.Slot != SlotId::None)
      OS << " into " << operand(X.Out);
  }
  void fact(const AssertFact &X) {
    OS << "require " << AssertNames[static_cast<int>(X.K)]
       << (X.IsElement ? " element " : " ");
    if (X.Buffer != SlotId::None)
      OS << "in " << slot(X.Buffer) << ' ';
    OS << operand(X.Value) << ' '
       << quote(X.Type ? printTypeSpec(*X.Type) : std::string());
    if (!X.Subject.empty() || X.DeclaredAt != PlaceId::None)
      OS << " of " << quote(X.Subject) << place(X.DeclaredAt);
    mesh(X.Mesh.get());
  }
  void fact(const CallFact &X) {
    dst(X.Dst);
    OS << "call @" << quotedIfNeeded(X.Callee) << '(';
    for (std::size_t I = 0; I != X.Arguments.size(); ++I) {
      OS << (I ? ", " : "") << operand(X.Arguments[I]);
      for (const GivenNumber &Given : X.Numbers)
        if (Given.Argument == I)
          Given.Same == SlotId::None ? OS << " is " << Given.Value
                                     : OS << " is " << slot(Given.Same);
    }
    OS << ')';
    if (X.Receiver.Slot != SlotId::None)
      OS << " on " << operand(X.Receiver);
    if (X.NoGrad)
      OS << " no_grad";
    if (!X.Backward)
      return;
    OS << " pullback " << operand(X.Backward->Output) << " from (";
    llvm::ListSeparator Comma;
    for (const Operand &O : X.Backward->Inputs)
      OS << Comma << operand(O);
    OS << ')';
  }
  void fact(const GradientFact &X) {
    dst(X.Dst);
    OS << (X.Clears ? "clear " : "gradient ") << operand(X.Src);
  }
  void fact(const BackwardFact &X) { OS << "backward " << operand(X.Loss); }
  void fact(const HavocFact &X) {
    OS << "havoc " << slot(X.Slot) << (X.Rebinds ? " rebinds" : "")
       << (X.Gradients ? " gradients" : "") << (X.Alone ? " alone" : "");
    if (X.Comm != SlotId::None)
      OS << " over " << slot(X.Comm);
  }
  void fact(const NullFact &X) { OS << "null " << slot(X.Slot); }
  void fact(const ReturnFact &X) { OS << "return " << operand(X.Value); }
  void fact(const PointFact &X) {
    OS << "point " << quotedIfNeeded(X.Name) << '(';
    for (const Operand &O : X.Of)
      OS << (&O == X.Of.data() ? "" : ", ") << operand(O);
    OS << ')';
  }

  const Function &F;
  llvm::raw_ostream &OS;
  const RuleNames *Own; ///< null: all rules are the catalogue's
  std::vector<std::optional<std::uint32_t>> Numbers; ///< by slot
  std::vector<SlotList> Objects;
};

/// A rule as it is declared before the functions, called \p Label there.
void printRule(const OpRule &Rule, llvm::StringRef Label,
               llvm::raw_ostream &OS) {
  OS << "rule " << Printer::quotedIfNeeded(Label) << '(';
  for (const RuleFormal &Formal : Rule.Formals) {
    OS << (&Formal == Rule.Formals.data() ? "" : ", ") << Formal.Name;
    if (!Formal.ZeroedBy.empty())
      OS << '[' << Formal.ZeroedBy << ']';
    OS << (Formal.Optional ? "?" : "") << (Formal.Variadic ? "*" : "");
  }
  OS << ") = " << Printer::quote(Rule.TermText);
  if (Label != Rule.Name)
    OS << " named " << Printer::quotedIfNeeded(Rule.Name);
  if (Rule.Shape)
    OS << " shape " << Printer::quote(printShapeRule(*Rule.Shape));
  if (!Rule.Roles.empty())
    OS << " roles " << printOpRoles(Rule.Roles);
  if (!Rule.Views.empty())
    OS << " views " << Printer::quote(printViews(Rule));
  if (Rule.Replaces)
    OS << " replaces";
  if (!Rule.Kernel.empty())
    OS << " kernel " << Printer::quote(Rule.Kernel);
  OS << '\n';
}

/// The rules that are not the catalogue's. Several may have one name, which may
/// be that of another op in the catalogue: each is called otherwise here.
RuleNames printOwnRules(const Module &M, llvm::raw_ostream &OS) {
  RuleNames Labels;
  llvm::StringSet<> Taken;
  const OpCatalogue &Catalogue = OpCatalogue::builtin();
  for (const auto &F : M.Functions)
    for (const Block &B : F->Blocks)
      for (const Fact &X : B.Facts) {
        const auto *O = std::get_if<OpFact>(&X);
        if (!O || Labels.count(O->Rule))
          continue;
        const OpRule *Known = Catalogue.rule(O->Rule->Name);
        if (Known && *Known == *O->Rule)
          continue;
        const std::string Name = (Known ? "own." : "") + O->Rule->Name;
        std::string Label = Name;
        for (unsigned I = 2; !Taken.insert(Label).second; ++I)
          Label = Name + "." + std::to_string(I);
        printRule(*O->Rule, Label, OS);
        Labels[O->Rule] = std::move(Label);
      }
  return Labels;
}

} // namespace

llvm::ArrayRef<IRWords> irWords() {
  static const IRWords All[] = {{"slots", SlotKindNames},
                                {"definitions", DefineNames},
                                {"transfers", TransferNames},
                                {"reductions", ReductionNames},
                                {"requirements", AssertNames}};
  return All;
}

std::string printFunction(const Function &F) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  Printer(F, OS, nullptr).print();
  return Out;
}

std::string printModule(const Module &M) {
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  const RuleNames Own = printOwnRules(M, OS);
  for (const auto &F : M.Functions)
    Printer(*F, OS, &Own).print();
  return Out;
}

} // namespace spmd::rules
