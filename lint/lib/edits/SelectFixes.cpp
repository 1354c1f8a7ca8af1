//===- SelectFixes.cpp - Which repairs are applied together ---------------===//
//
// Not tooling::Replacements, which are of one file and know edits alone: of a
// repair all edits are taken, in all files, or none, and edits that touch are
// left to the next round.
//
//===----------------------------------------------------------------------===//

#include "spmd/lint/Fixes.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace llvm;
using namespace spmd::lint;

static bool byOffset(const Edit &A, const Edit &B) {
  return std::tie(A.File, A.Offset) < std::tie(B.File, B.Offset);
}

std::vector<Edit> spmd::lint::normalisedEdits(ArrayRef<Edit> Edits) {
  // A handful of edits: what stays in order is worth more than speed.
  std::vector<Edit> Sorted;
  for (const Edit &E : Edits)
    Sorted.insert(llvm::upper_bound(Sorted, E, byOffset), E);
  std::vector<Edit> Out;
  for (Edit &E : Sorted) {
    // What is inserted before a replaced range is part of its replacement.
    if (!Out.empty() && Out.back().File == E.File &&
        Out.back().Offset == E.Offset && Out.back().Length == 0) {
      Out.back().Text += E.Text;
      Out.back().Length = E.Length;
    } else {
      Out.push_back(std::move(E));
    }
  }
  return Out;
}

/// Edits that touch count as overlapping: which text comes first would be a
/// guess.
static bool overlap(const Edit &A, const Edit &B) {
  return A.Offset <= B.Offset + B.Length && B.Offset <= A.Offset + A.Length;
}

FixSelection spmd::lint::selectFixes(ArrayRef<Diagnostic> Diagnostics,
                                     bool Unsafe,
                                     function_ref<bool(StringRef)> Allowed) {
  FixSelection Out;
  std::set<std::vector<Edit>> Seen;
  for (const Diagnostic &D : Diagnostics) {
    auto Preferred =
        llvm::find_if(D.Fixes, [](const Fix &F) { return F.Preferred; });
    if (Preferred == D.Fixes.end() || (!Preferred->Safe && !Unsafe) ||
        Preferred->Edits.empty())
      continue;
    std::vector<Edit> Edits = normalisedEdits(Preferred->Edits);
    if (Seen.contains(Edits) ||
        !llvm::all_of(Edits, [&](const Edit &E) { return Allowed(E.File); }))
      continue;
    const bool Clash = llvm::any_of(Edits, [&](const Edit &E) {
      auto It = Out.Edits.find(E.File);
      return It != Out.Edits.end() &&
             llvm::any_of(It->second,
                          [&](const Edit &O) { return overlap(E, O); });
    });
    if (Clash) {
      ++Out.Deferred;
      continue;
    }
    Out.Fixes.emplace_back(D.Where, *Preferred);
    for (const Edit &E : Edits)
      Out.Edits[E.File].push_back(E);
    Seen.insert(std::move(Edits));
  }
  for (auto &[File, Edits] : Out.Edits)
    llvm::sort(Edits, byOffset);
  return Out;
}

std::string spmd::lint::applyEdits(StringRef Text, ArrayRef<Edit> Edits) {
  const std::size_t FirstLine = Text.find('\n');
  const bool CarriageReturns = FirstLine != StringRef::npos && FirstLine > 0 &&
                               Text[FirstLine - 1] == '\r';
  std::string Out;
  std::size_t At = 0;
  for (const Edit &E : Edits) {
    if (E.Offset < At || E.Offset + E.Length > Text.size())
      continue; // made for another text
    Out += Text.slice(At, E.Offset);
    for (char C : E.Text) {
      if (C == '\n' && CarriageReturns && (Out.empty() || Out.back() != '\r'))
        Out += '\r';
      Out += C;
    }
    At = E.Offset + E.Length;
  }
  Out += Text.substr(At);
  return Out;
}
