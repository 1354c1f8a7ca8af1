//===- OpenCases.cpp - What operands may be together ----------------------===//

#include "OpenCases.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>
#include <vector>

namespace spmd::rules::inference {

bool eachCase(AxisId A, llvm::ArrayRef<const AbstractValue *> Cells,
              std::size_t MaxOpen,
              llvm::function_ref<void(llvm::ArrayRef<TypeSet>)> Visit) {
  llvm::SmallVector<TypeSet, 4> Sets;
  llvm::SmallVector<std::size_t, 4> Open; ///< the first of each open value
  for (std::size_t I = 0; I != Cells.size(); ++I) {
    const AxisState Was = Cells[I]->Undefined ? AxisState() : Cells[I]->Axes[A];
    const bool IsOpen = Was.must().empty();
    Sets.push_back(IsOpen ? Was.Set : Was.must());
    const bool Seen =
        llvm::any_of(Open, [&](std::size_t X) { return Cells[X] == Cells[I]; });
    if (IsOpen && !Seen)
      Open.push_back(I);
  }
  const auto VisitAll = [&](llvm::ArrayRef<std::size_t> Values) {
    std::vector<llvm::SmallVector<TypeSet, 4>> Cases{Sets};
    for (std::size_t X : llvm::reverse(Values)) {
      const std::vector<llvm::SmallVector<TypeSet, 4>> Before =
          std::exchange(Cases, {});
      for (const auto &Case : Before)
        for (LocalType Member : AllLocalTypes)
          if (Sets[X].contains(Member)) {
            Cases.push_back(Case);
            for (std::size_t I = 0; I != Cells.size(); ++I)
              if (Cells[I] == Cells[X])
                Cases.back()[I] = Member;
          }
    }
    for (const auto &Case : Cases)
      Visit(Case);
  };
  if (Open.size() <= MaxOpen) {
    VisitAll(Open);
    return true;
  }
  for (std::size_t I = 0; I != Open.size(); ++I)
    for (std::size_t J = 0; J != I; ++J)
      VisitAll({Open[I], Open[J]});
  return false;
}

} // namespace spmd::rules::inference
