//===- CheckProgram.cpp - Whether a program is what its types say ---------===//

#include "spmd/oracle/Execute.h"
#include "spmd/oracle/RandomProgram.h"

#include "spmd/ir/IRText.h"

#include "llvm/ADT/STLExtras.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

/// Calls \p Visit with each choice of one member for each axis.
void eachType(const TypedProgram &P,
              llvm::function_ref<void(const TypeSpec &)> Visit) {
  unsigned Choices = 1;
  for (std::size_t A = 0; A != P.Result.size(); ++A)
    Choices *= NumLocalTypes;
  for (unsigned Code = 0; Code != Choices; ++Code) {
    TypeSpec T;
    bool Allowed = true;
    unsigned Rest = Code;
    for (std::size_t A = 0; A != P.Result.size(); ++A, Rest /= NumLocalTypes) {
      const LocalType Member = AllLocalTypes[Rest % NumLocalTypes];
      Allowed &= P.Result[A].contains(Member);
      T.Axes.push_back({P.On.Axes[A].Name, {Member, std::nullopt}, 0});
    }
    if (Allowed)
      Visit(T);
  }
}

std::string checkOnPath(const TypedProgram &P, const TypeSpec &Result,
                        unsigned Path, unsigned Seed) {
  Trace T = traceFunction(P.M, P.function(), P.On, Path);
  if (!T.Unsupported.empty())
    return {};
  // What parameters hold at the end is not part of the question.
  llvm::erase_if(T.Observed,
                 [](const Observation &O) { return O.Key != "the result"; });
  for (Observation &O : T.Observed)
    O.Types = typesOn(P.On, Result);
  return difference(runOnRanks(T, P.On, Seed), runAsMeant(T, P.On, Seed));
}

bool mayPart(const TypedProgram &P) {
  return llvm::any_of(P.function().Blocks, [](const Block &B) {
    return B.Condition.Slot != SlotId::None;
  });
}

/// Whether what is V was one value on this path after all: other paths make it
/// differ, or the ranks chose alike.
bool isRightForOneValue(const TypedProgram &P, TypeSpec Result, unsigned Path,
                        unsigned Seed) {
  for (auto &Axis : Result.Axes)
    if (Axis.Value.Type == LocalType::V) {
      Axis.Value.Type = LocalType::R;
      if (checkOnPath(P, Result, Path, Seed).empty() ||
          isRightForOneValue(P, Result, Path, Seed))
        return true;
      Axis.Value.Type = LocalType::V;
    }
  return false;
}

} // namespace

InferenceOptions optionsFor(bool Branches) {
  InferenceOptions Options;
  Options.Strict = Branches;
  return Options;
}

unsigned TypedProgram::facts() const {
  std::size_t Out = 0;
  for (const Block &B : function().Blocks)
    Out += B.Facts.size();
  return static_cast<unsigned>(Out);
}

std::string TypedProgram::str() const { return printFunction(function()); }

std::string checkProgram(const TypedProgram &P, unsigned Seed) {
  if (!inferModule(P.M, optionsFor(P.Branches)).GivenUp.empty())
    return "the inference comes to no end";
  if (const std::string Why = checkText(P); !Why.empty())
    return Why;
  const bool Parts = mayPart(P);
  // Ranks that take different ways may come to values of different types: each
  // is then right for some of them, and none for all.
  if (Parts && !llvm::all_of(P.Result, [](TypeSet T) { return T.isSingle(); }))
    return {};
  const unsigned Paths = P.Branches ? 4 : 1;
  for (unsigned Path = Seed; Path != Seed + Paths; ++Path) {
    std::string Wrong;
    bool SomeRight = false;
    eachType(P, [&](const TypeSpec &T) {
      const std::string Here = checkOnPath(P, T, Path, Seed);
      if (Here.empty() || (Parts && isRightForOneValue(P, T, Path, Seed)))
        SomeRight = true;
      else if (Wrong.empty())
        Wrong = "taken for " + printTypeSpec(T) + ": " + Here;
    });
    if (!Wrong.empty() && !(P.Branches && SomeRight))
      return Wrong;
  }
  return {};
}

bool isRightForSomeType(const TypedProgram &P) {
  constexpr unsigned Tries = 6;
  bool Out = false;
  eachType(P, [&](const TypeSpec &T) {
    bool Right = true;
    for (unsigned Seed = 1; Right && !Out && Seed <= Tries; ++Seed)
      Right = checkOnPath(P, T, Seed, Seed).empty();
    Out |= Right;
  });
  return Out;
}

} // namespace spmd::oracle
