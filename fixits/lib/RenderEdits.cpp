//===- RenderEdits.cpp - Repairs as text ----------------------------------===//

#include "spmd/fixits/Edits.h"

#include "OperatorNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

bool isWholeCall(const Repair &R, const Violation &V,
                 const SourceEnvironment &Source) {
  return Source.isWholeBody(V.In, V.At) &&
         llvm::all_of(
             llvm::ArrayRef(V.CalledFrom).take_front(R.Call),
             [&](const Site &S) { return Source.isWholeBody(S.In, S.At); });
}

namespace {

/// Whether `.` and `*` after \p Text apply to all of it: names, calls,
/// subscripts and members only.
bool isPostfix(llvm::StringRef Text) {
  int Depth = 0;
  for (std::size_t I = 0; I != Text.size(); ++I) {
    const char C = Text[I];
    if (C == '"' || C == '\'')
      return false;
    if (C == '(' || C == '[' || C == '{')
      ++Depth;
    else if (C == ')' || C == ']' || C == '}')
      --Depth;
    else if (Depth == 0 && C == '-' && Text.substr(I).starts_with("->"))
      ++I;
    else if (Depth == 0 && !llvm::isAlnum(C) &&
             !llvm::StringRef("_:.").contains(C))
      return false;
  }
  return true;
}

std::string inPlaceOfCall(std::string Text) {
  return isPostfix(Text) ? Text : "(" + std::move(Text) + ")";
}

/// `spmd::all_reduce(TEXT, AXIS, spmd::P, spmd::R)`; \p From and \p To where
/// they say more than the row does.
std::string call(const Step &S, const std::string &Text,
                 const std::string &Axis, const std::string &Q,
                 const std::string &From = "", const std::string &To = "") {
  const Transition &T = *S.Row;
  if (isInvariantToReplicate(T))
    return Q + "invariant_to_replicate(" + Text + ", " + Axis + ")";
  auto Tag = [&](LocalType L, const std::string &Exact) {
    return Q + (Exact.empty() ? std::string(1, letter(L)) : Exact);
  };
  return Q + std::string(operatorName(T.Op)) + "(" + Text + ", " + Axis + ", " +
         Tag(T.Src, From) + ", " + Tag(T.Dst, To) + ")";
}

const TransferFact *transferOf(const Violation &V) {
  return V.Cause ? std::get_if<TransferFact>(V.Cause) : nullptr;
}

TextEdit replace(const SourceText &Where, std::string Text) {
  return {Where.File, Where.Offset, Where.Length, std::move(Text)};
}

/// What stands there becomes a call into the library.
std::vector<TextEdit> replaceByCall(const SourceText &Where, std::string Call,
                                    const SourceEnvironment &Source) {
  std::vector<TextEdit> Out;
  if (auto Include = Source.includeLibrary(Where.File))
    Out.push_back(std::move(*Include));
  Out.push_back(replace(Where, std::move(Call)));
  return Out;
}

/// `out_partial(TEXT, tp, dp)`; empty where an axis has no name.
std::string outPartialCall(const Repair &R, const std::string &Text,
                           const Violation &V,
                           const SourceEnvironment &Source) {
  std::string New = Source.qualifier() + "out_partial(" + Text;
  for (const std::string &Name : R.PartialOn) {
    const std::string Axis = Source.axisSpelling(V.In, Name);
    if (Axis.empty())
      return {};
    New += ", " + Axis;
  }
  return New + ")";
}

std::vector<TextEdit> wrapOperand(const Repair &R, const Violation &V,
                                  const SourceEnvironment &Source) {
  if (auto AtVariable = renderAtVariable(R, V, Source))
    return {std::move(*AtVariable)};
  const ViolationOperand &O = V.Operands[R.Operand];
  const auto Text = Source.text(V.In, O.At);
  if (!Text || !Source.isTensor(V.In, O.At))
    return {};
  std::string New = R.PartialOn.empty()
                        ? Text->Text
                        : outPartialCall(R, Text->Text, V, Source);
  if (New.empty())
    return {};
  for (const Step &S : R.Steps) {
    const std::string On =
        Source.axisSpelling(V.In, S.Axis.empty() ? V.Axis : S.Axis);
    if (On.empty())
      return {};
    New = call(S, New, On, Source.qualifier(), printAtom(S.from()),
               printAtom(S.to()));
  }
  return replaceByCall(*Text, std::move(New), Source);
}

/// `redistribute(x, mesh, "[B@(dp,tp)]", "[B@(tp,dp)]")`; empty without a name
/// for the mesh.
std::string redistributeCall(const Repair &R, const std::string &Text,
                             const Violation &V,
                             const SourceEnvironment &Source) {
  const std::string Mesh = Source.meshSpelling(V.In);
  return Mesh.empty() ? std::string()
                      : Source.qualifier() + "redistribute(" + Text + ", " +
                            Mesh + ", \"" + printTypeSpec(*R.FromType) +
                            "\", \"" + printTypeSpec(*R.ToType) + "\")";
}

std::vector<TextEdit> redistribute(const Repair &R, const Violation &V,
                                   const SourceEnvironment &Source) {
  const ViolationOperand &O = V.Operands[R.Operand];
  const auto Text = Source.text(V.In, O.At);
  if (!Text || !Source.isTensor(V.In, O.At))
    return {};
  std::string New = redistributeCall(R, Text->Text, V, Source);
  if (New.empty())
    return {};
  return replaceByCall(*Text, std::move(New), Source);
}

/// `all_reduce(out_partial(matmul(x, w), tp), tp, P, R)`. As insertions around
/// what stands there, which others change inside.
std::vector<TextEdit> reducePartial(const Repair &R, const Violation &V,
                                    const SourceEnvironment &Source) {
  const PlaceId At = R.Of == PlaceId::None ? V.At : R.Of;
  const auto Text = Source.text(V.In, At);
  if (!Text || !Source.isTensor(V.In, At))
    return {};
  std::string New = outPartialCall(R, Text->Text, V, Source);
  if (R.FromType && !New.empty())
    New = redistributeCall(R, New, V, Source);
  for (const Step &S : R.Steps) {
    const std::string Axis =
        Source.axisSpelling(V.In, S.Axis.empty() ? V.Axis : S.Axis);
    if (Axis.empty() || New.empty())
      return {};
    New = call(S, New, Axis, Source.qualifier(), printAtom(S.from()),
               printAtom(S.to()));
  }
  if (New.empty())
    return {};
  std::vector<TextEdit> Out;
  if (auto Include = Source.includeLibrary(Text->File))
    Out.push_back(std::move(*Include));
  const auto [Before, After] = llvm::StringRef(New).split(Text->Text);
  Out.push_back({Text->File, Text->Offset, 0, Before.str()});
  Out.push_back({Text->File, Text->Offset + Text->Length, 0, After.str()});
  return Out;
}

std::vector<TextEdit> removeCollective(const Violation &V,
                                       const SourceEnvironment &Source) {
  const TransferFact *T = transferOf(V);
  if (!T)
    return {};
  // A raw collective is a statement; one of the library is an expression whose
  // value is its operand's.
  if (T->Out.Slot != SlotId::None) {
    if (T->Out.Slot != T->Src.Slot)
      return {};
    if (auto Statement = Source.statement(V.In, T->At))
      return {replace(*Statement, "")};
    return {};
  }
  const auto Whole = Source.text(V.In, T->At);
  const auto Operand = Source.text(V.In, T->Src.At);
  if (!Whole || !Operand)
    return {};
  return {replace(*Whole, inPlaceOfCall(Operand->Text))};
}

const CallFact *callAt(const Site &Site) {
  for (const Block &B : Site.In->Blocks)
    for (const Fact &X : B.Facts)
      if (const auto *Call = std::get_if<CallFact>(&X);
          Call && Call->At == Site.At)
        return Call;
  return nullptr;
}

/// The call of a function that is one collective, or calls one that is: a
/// statement, or an expression whose value is its argument's.
std::vector<TextEdit> removeCall(const Repair &R, const Violation &V,
                                 const SourceEnvironment &Source) {
  if (R.Call >= V.CalledFrom.size() || !isWholeCall(R, V, Source))
    return {};
  const Site &Call = V.CalledFrom[R.Call];
  const TransferFact *T = transferOf(V);
  if (T && T->Out.Slot == SlotId::None) {
    const CallFact *Fact = R.Call ? nullptr : callAt(Call);
    if (!Fact || index(T->Src.Slot) >= Fact->Arguments.size())
      return {};
    const auto Whole = Source.text(Call.In, Call.At);
    const auto Given =
        Source.text(Call.In, Fact->Arguments[index(T->Src.Slot)].At);
    if (!Whole || !Given)
      return {};
    return {replace(*Whole, inPlaceOfCall(Given->Text))};
  }
  if (auto Statement = Source.statement(Call.In, Call.At))
    return {replace(*Statement, "")};
  return {};
}

std::vector<TextEdit> changeAxis(const Repair &R, const Violation &V,
                                 const SourceEnvironment &Source) {
  const TransferFact *T = transferOf(V);
  auto Where = T ? Source.text(V.In, T->Axis.At) : std::nullopt;
  if (!Where)
    return {};
  // `group->allreduce(…)`: the arrow stays.
  if (llvm::StringRef(Where->Text).ends_with("->")) {
    Where->Length -= 2;
    Where->Text.resize(Where->Text.size() - 2);
  }
  const std::string Axis =
      Source.axisSpelling(V.In, R.Axis, T->From ? "" : Where->Text);
  if (Axis.empty())
    return {};
  return {replace(*Where, Axis)};
}

std::vector<TextEdit> changeSource(const Repair &R, const Violation &V,
                                   const SourceEnvironment &Source) {
  const TransferFact *T = transferOf(V);
  const auto Where = T ? Source.text(V.In, T->FromAt) : std::nullopt;
  if (!Where)
    return {};
  return {replace(*Where, Source.qualifier() + printAtom(R.NewSource))};
}

std::vector<TextEdit> replaceOperator(const Repair &R, const Violation &V,
                                      const SourceEnvironment &Source) {
  const TransferFact *T = transferOf(V);
  if (!T)
    return {};
  const auto Whole = Source.text(V.In, T->At);
  const auto Operand = Source.text(V.In, T->Src.At);
  const auto Axis = Source.text(V.In, T->Axis.At);
  if (!Whole || !Operand || !Axis)
    return {};
  return {replace(
      *Whole, call(R.Steps[0], Operand->Text, Axis->Text, Source.qualifier()))};
}

std::vector<TextEdit> addExpert(const Violation &V,
                                const SourceEnvironment &Source) {
  const TransferFact *T = transferOf(V);
  const auto Last = T ? Source.text(V.In, T->ToAt) : std::nullopt;
  if (!Last)
    return {};
  return {{Last->File, Last->Offset + Last->Length, 0,
           ", " + Source.qualifier() + "expert"}};
}

/// The operators of a chain, each inside a later one or a statement of its own.
class ShortcutText {
public:
  ShortcutText(const Violation &V, const SourceEnvironment &Source)
      : V(V), Source(Source) {}

  std::vector<TextEdit> edits() {
    std::vector<TextEdit> Out;
    for (const TransferFact *T : Found.Chain) {
      const bool Inside = llvm::any_of(Found.Chain, [&](const TransferFact *X) {
        return X->Src.At == T->At;
      });
      if (Inside)
        continue;
      const auto Whole = Source.text(V.In, T->At);
      const std::string New = textOf(*T);
      if (!Whole || New.empty())
        return {};
      Out.push_back(replace(*Whole, inPlaceOfCall(New)));
    }
    return Out;
  }

private:
  /// What stands for \p T afterwards; empty when it cannot be written.
  std::string textOf(const TransferFact &T) const {
    const auto Before = llvm::find_if(
        Found.Chain, [&](const TransferFact *X) { return X->At == T.Src.At; });
    std::string Operand;
    if (Before != Found.Chain.end())
      Operand = textOf(**Before);
    else if (const auto Text = Source.text(V.In, T.Src.At);
             Text && Source.isTensor(V.In, T.Src.At))
      Operand = Text->Text;
    if (Operand.empty() || &T != Found.Chain.front() || !Found.Instead)
      return Operand;
    const auto Axis = Source.text(V.In, T.Axis.At);
    if (!Axis)
      return {};
    return call(Step{Found.Instead}, Operand, Axis->Text, Source.qualifier(),
                printAtom(Found.From), printAtom(Found.To));
  }

  const Violation &V;
  const RedundantChain &Found = *V.as<RedundantChain>();
  const SourceEnvironment &Source;
};

} // namespace

std::string conversionOf(const Repair &R, const Violation &V) {
  const Step &S = R.Steps.front();
  const std::string &Axis = S.Axis.empty() ? V.Axis : S.Axis;
  return "[[spmd::type(\"" + Axis + ": " + printAtom(S.from()) + " -> " + Axis +
         ": " + printAtom(S.to()) + "\")]]";
}

std::optional<TextEdit> renderAtVariable(const Repair &R, const Violation &V,
                                         const SourceEnvironment &Source) {
  if (!R.AtVariable)
    return std::nullopt;
  const PlaceId At = V.Operands[R.Operand].At;
  const auto Text = Source.text(V.In, At);
  if (!Text || !Source.includeLibrary(Text->File))
    return std::nullopt;
  return Source.annotateVariable(V.In, At, conversionOf(R, V));
}

static std::vector<TextEdit> editsOf(const Repair &R, const Violation &V,
                                     const SourceEnvironment &Source) {
  if (R.InWords)
    return {};
  switch (R.A) {
  case Repair::Action::WrapOperand:
    return wrapOperand(R, V, Source);
  case Repair::Action::RemoveCollective:
    return removeCollective(V, Source);
  case Repair::Action::RemoveCall:
    return removeCall(R, V, Source);
  case Repair::Action::ChangeAxis:
    return changeAxis(R, V, Source);
  case Repair::Action::ChangeSource:
    return changeSource(R, V, Source);
  case Repair::Action::ReplaceOperator:
    return replaceOperator(R, V, Source);
  case Repair::Action::AddExpert:
    return addExpert(V, Source);
  case Repair::Action::Shortcut:
    return ShortcutText(V, Source).edits();
  case Repair::Action::ReducePartial:
    return reducePartial(R, V, Source);
  case Repair::Action::Redistribute:
    return redistribute(R, V, Source);
  case Repair::Action::Average: // in words
    return {};
  }
  return {};
}

std::vector<TextEdit> renderEdits(const Repair &R, const Violation &V,
                                  const SourceEnvironment &Source) {
  std::vector<TextEdit> Out = editsOf(R, V, Source);
  for (const Repair &Other : R.Also) {
    std::vector<TextEdit> More = editsOf(Other, V, Source);
    if (Out.empty() || More.empty())
      return {};
    // The library is included once.
    for (TextEdit &E : More)
      if (E.Length || llvm::none_of(Out, [&](const TextEdit &Known) {
            return Known.Offset == E.Offset && Known.Text == E.Text;
          }))
        Out.push_back(std::move(E));
  }
  llvm::sort(Out, [](const TextEdit &A, const TextEdit &B) {
    return A.Offset < B.Offset;
  });
  return Out;
}

} // namespace spmd::fixits
