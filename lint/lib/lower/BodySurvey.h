//===- BodySurvey.h - What is found in a body beforehand --------*- C++ -*-===//

#ifndef SPMD_LINT_LOWER_BODYSURVEY_H
#define SPMD_LINT_LOWER_BODYSURVEY_H

#include "Conditionals.h"
#include "Constancy.h"
#include "EachLoops.h"
#include "ElementTurns.h"
#include "FirstPartUses.h"
#include "GrowingLists.h"
#include "LoopCounters.h"
#include "PointerLoops.h"
#include "RecordLoops.h"
#include "RootCopies.h"
#include "SingleElements.h"

#include <memory>

namespace spmd::lint::lower {

class BufferParts;

/// Each is looked for when it is first asked for.
class BodySurvey {
public:
  BodySurvey(const clang::FunctionDecl *FD, const PointerLists &Lists,
             const GlobalArenas &Globals)
      : FD(FD), Lists(Lists), Globals(Globals) {}

  /// What keeps its value in this function.
  const Constancy &constancy() const { return found(Constant); }
  const SingleElements &singles() const { return found(Singles); }
  const GrowingLists &growing() const { return found(Growing); }
  const SteppedNumbers &stepped() const { return found(Stepped); }
  const EachLoops &eachLoops() const { return found(Each); }
  const RecordLoops &recordLoops() const {
    if (!Records)
      Records.emplace(FD, constancy());
    return *Records;
  }
  const BufferParts &parts() const;
  const FirstPartUses &firstParts() const {
    if (!Firsts)
      Firsts.emplace(FD, Globals);
    return *Firsts;
  }
  const PointerLoops &pointerLoops() const {
    if (!Pointers)
      Pointers.emplace(FD, constancy(), Lists);
    return *Pointers;
  }
  const RootCopies &rootCopies() const { return found(Copies); }
  const ElementTurns &turns() const { return found(Turns); }
  const Conditionals &conditionals() const { return found(Choices); }

private:
  template <typename T> const T &found(std::optional<T> &In) const {
    if (!In)
      In.emplace(FD);
    return *In;
  }

  const clang::FunctionDecl *FD;
  const PointerLists &Lists;
  const GlobalArenas &Globals;
  mutable std::optional<Constancy> Constant;
  mutable std::optional<SingleElements> Singles;
  mutable std::optional<GrowingLists> Growing;
  mutable std::optional<SteppedNumbers> Stepped;
  mutable std::optional<EachLoops> Each;
  mutable std::optional<RecordLoops> Records;
  mutable std::shared_ptr<const BufferParts> Parts;
  mutable std::optional<FirstPartUses> Firsts;
  mutable std::optional<PointerLoops> Pointers;
  mutable std::optional<RootCopies> Copies;
  mutable std::optional<ElementTurns> Turns;
  mutable std::optional<Conditionals> Choices;
};

} // namespace spmd::lint::lower

#endif // SPMD_LINT_LOWER_BODYSURVEY_H
