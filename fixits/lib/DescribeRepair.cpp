//===- DescribeRepair.cpp - Repairs in words ------------------------------===//

#include "OperatorNames.h"

#include "spmd/fixits/Edits.h"
#include "spmd/ir/Walk.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::fixits {

std::string nameOf(const ViolationOperand &O, const Function *F,
                   const SourceEnvironment &Source) {
  if (!O.Name.empty())
    return "'" + O.Name + "'";
  constexpr std::size_t Longest = 40;
  if (const auto Text = Source.text(F, O.At))
    if (!Text->Text.empty() && Text->Text.size() <= Longest &&
        Text->Text.find('\n') == std::string::npos)
      return "'" + Text->Text + "'";
  return "this value";
}

std::string inWords(const AxisType &T) {
  std::string Out;
  for (const char C : printAxisType(T))
    C == '|' ? Out += " or " : Out += C;
  return Out;
}

std::string nameOf(const Transition &T, const Atom &From, const Atom &To) {
  return std::string(isInvariantToReplicate(T)
                         ? "invariant_to_replicate"
                         : std::string(operatorName(T.Op)) + " from " +
                               printAtom(From) + " to " + printAtom(To));
}

/// `'tp'`, `'dp' and 'tp'`
static std::string quotedAxes(llvm::ArrayRef<std::string> Axes) {
  std::string Out;
  for (const std::string &A : Axes)
    Out += (Out.empty() ? "'" : " and '") + A + "'";
  return Out;
}

/// "all_gather from S(0) to R on 'tp', then …"
static std::string steps(const Repair &R, const Violation &V) {
  std::string Text;
  const auto AxisOf = [&](const Step &X) {
    return X.Axis.empty() ? V.Axis : X.Axis;
  };
  for (std::size_t I = 0; I != R.Steps.size(); ++I) {
    const Step &S = R.Steps[I];
    Text += (I ? ", then " : "") + nameOf(*S.Row, S.from(), S.to());
    // Once for several in a row.
    if (I + 1 == R.Steps.size() || AxisOf(R.Steps[I + 1]) != AxisOf(S))
      Text += " on '" + AxisOf(S) + "'";
  }
  return Text;
}

/// "through all_gather from S(0) to R on 'tp'", "from [B@dp] to [B]"
static std::string move(const Repair &R, const Violation &V) {
  if (R.FromType)
    return "from " + printTypeSpec(*R.FromType) + " to " +
           printTypeSpec(*R.ToType);
  std::string Text;
  if (!R.PartialOn.empty())
    Text = "out_partial on " + quotedAxes(R.PartialOn) +
           (R.Steps.empty() ? "" : ", then ");
  return "through " + Text + steps(R, V);
}

/// The op that \p R is about, if it names one.
static const OpFact *opOf(const Repair &R, const Violation &V) {
  if (R.Of != PlaceId::None)
    for (const OpFact &O : factsOf<OpFact>(*V.In))
      if (O.At == R.Of)
        return &O;
  return nullptr;
}
static std::string nameOfOp(const Repair &R, const Violation &V) {
  const OpFact *O = opOf(R, V);
  return "'" + (O ? O->Rule->Name : V.Op) + "'";
}

/// What several ops make that are like the one of \p R.
static std::string resultsOf(const Repair &R, const Violation &V) {
  const OpFact *O = opOf(R, V);
  return O && O->Rule->Shape && O->Rule->Shape->Notations.empty() &&
                 O->Rule->Shape->Term == ShapeTerm::Sum
             ? "sums"
             : "products";
}

/// "the result of 'matmul' is a pending sum on 'tp'", "each of the 2 products
/// is …"
static std::string pendingResult(const Repair &R, const Violation &V) {
  const auto Others = llvm::count_if(R.Also, [](const Repair &X) {
    return X.A == Repair::Action::ReducePartial;
  });
  return (R.A == Repair::Action::ReducePartial && Others
              ? "each of the " + std::to_string(1 + Others) + " " +
                    resultsOf(R, V)
              : "the result of " + nameOfOp(R, V)) +
         " is a pending sum on " + quotedAxes(R.PartialOn);
}

/// "take 'x' and 'y' through …"; those that move alike together.
static std::string describeMoves(const Repair &R, const Violation &V,
                                 const SourceEnvironment &Source) {
  std::string Text = R.FromType ? "redistribute " : "take ", Pending;
  std::string Before = move(R, V);
  Text += nameOf(V.Operands[R.Operand], V.In, Source);
  for (const Repair &Other : R.Also) {
    if (Other.A == Repair::Action::ReducePartial) {
      Pending += ", and say that " + pendingResult(Other, V);
      continue;
    }
    const std::string Here = move(Other, V);
    if (Here != Before)
      Text += " " + Before;
    Text += " and " + nameOf(V.Operands[Other.Operand], V.In, Source);
    Before = Here;
  }
  return Text + " " + Before + Pending;
}

static std::string describeOne(const Repair &R, const Violation &V,
                               const SourceEnvironment &Source) {
  const std::string Name = V.Operands.empty()
                               ? "this value"
                               : nameOf(V.Operands[R.Operand], V.In, Source);
  const std::string On = " on '" + V.Axis + "'";
  switch (R.A) {
  case Repair::Action::WrapOperand:
    if (renderAtVariable(R, V, Source))
      return "declare " + Name + " as " + conversionOf(R, V);
    return describeMoves(R, V, Source);
  case Repair::Action::Redistribute:
    return describeMoves(R, V, Source);
  case Repair::Action::RemoveCollective:
    return "remove this " + V.Op + ": " + Name + " needs none" + On;
  case Repair::Action::RemoveCall: {
    const Function *Called = R.Call ? V.CalledFrom[R.Call - 1].In : V.In;
    const std::string Call = "this call of '" + Called->DisplayName + "' in '" +
                             V.CalledFrom[R.Call].In->DisplayName + "'";
    if (!isWholeCall(R, V, Source))
      return Name + " needs no " + V.Op + On + " in " + Call +
             ", which does more than that";
    return "remove " + Call + ": " + Name + " needs no " + V.Op + On;
  }
  case Repair::Action::ChangeAxis:
    return "run this " + V.Op + " on '" + R.Axis + "', where " + Name + " is " +
           inWords(V.as<SrcType>()->Legal);
  case Repair::Action::ChangeSource:
    return "declare the source as " + printAtom(R.NewSource);
  case Repair::Action::ReplaceOperator:
    return "use " + std::string(operatorName(R.Steps[0].Row->Op)) +
           ": it takes " + letter(R.Steps[0].Row->Src) + " to " +
           letter(R.Steps[0].Row->Dst);
  case Repair::Action::AddExpert:
    return "say spmd::expert if this is meant";
  case Repair::Action::Shortcut: {
    const auto &Found = *V.as<RedundantChain>();
    const std::string All = Found.Chain.size() == 2
                                ? "both"
                                : "all " + std::to_string(Found.Chain.size());
    if (!Found.Instead)
      return "remove " + All + ": " + Name + " is " + printAtom(Found.To) + On;
    return "use " + nameOf(*Found.Instead, Found.From, Found.To) + On +
           " in place of " + All;
  }
  case Repair::Action::Average:
    return "average the ranks' results of " + nameOfOp(R, V) + On +
           ": divide them by the number of ranks, and add them up";
  case Repair::Action::ReducePartial: {
    std::string Text = "say that " + pendingResult(R, V);
    if (R.FromType)
      return Text + ", and redistribute it to " + printTypeSpec(*R.ToType);
    if (R.Steps.empty())
      return Text + ", for later code to reduce";
    if (llvm::all_of(R.Steps, [](const Step &S) {
          return S.Row->Op == OperatorKind::AllReduce;
        }))
      return Text + ", and add it up" +
             (R.Steps[0].Row->Dst == LocalType::I ? " as I" : "");
    return Text + ", and take it through " + steps(R, V);
  }
  }
  return "";
}

std::string describe(const Repair &R, const Violation &V,
                     const SourceEnvironment &Source) {
  const std::string What = describeOne(R, V, Source);
  const bool IsOfCall = R.InWords && R.A != Repair::Action::Average &&
                        R.A != Repair::Action::RemoveCall;
  if (!IsOfCall || V.CalledFrom.empty())
    return What;
  return What + ", for the call in '" + V.CalledFrom.front().In->DisplayName +
         "' only: others call '" + V.In->DisplayName + "' too";
}

} // namespace spmd::fixits
