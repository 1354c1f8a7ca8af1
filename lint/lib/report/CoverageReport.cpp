//===- CoverageReport.cpp - What a run has understood ---------------------===//

#include "CoverageReport.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <set>

using namespace llvm;

namespace spmd::lint {

namespace {

/// Sums over functions.
struct Total {
  unsigned Expressions = 0, Collectives = 0, Given = 0;
  unsigned Updates = 0, Followed = 0, GivenUp = 0;
  unsigned Reached = 0; ///< expressions of functions that know of some axis
  MapVector<StringRef, TypedOn> Typed; ///< by axis

  void add(const FunctionCoverage &F) {
    Expressions += F.Expressions;
    Collectives += F.Collectives;
    Given += F.Given;
    Updates += F.Updates;
    Followed += F.Followed;
    GivenUp += F.GivenUp;
    for (const TypedOn &T : F.Typed)
      if (T.Of) {
        Typed[T.Axis].Typed += T.Typed;
        Typed[T.Axis].Of += T.Of;
      }
    if (any_of(F.Typed, [](const TypedOn &T) { return T.Of != 0; }))
      Reached += F.Expressions;
  }
};

Total totalOf(const Coverage &C) {
  Total Out;
  for (const FunctionCoverage &F : C.Functions)
    Out.add(F);
  return Out;
}

/// Rounded down: only what is known altogether is 100 %.
unsigned percent(unsigned Part, unsigned Of) {
  return Of ? unsigned(std::uint64_t(Part) * 100 / Of) : 100;
}

std::string countOf(std::size_t N, StringRef What) {
  return formatv("{0:N} {1}{2}", N, What, N == 1 ? "" : "s").str();
}

std::string percentages(const Total &T) {
  std::string Out;
  for (const auto &[Axis, Typed] : T.Typed)
    Out +=
        formatv("{0}{1} %{2} on {3}", Out.empty() ? "" : ", ",
                percent(Typed.Typed, Typed.Of),
                Out.empty() ? " of " + countOf(T.Reached, "tensor expression") +
                                  " typed"
                            : "",
                Axis)
            .str();
  const unsigned Others = T.Expressions - T.Reached;
  if (Out.empty())
    return "none of " + countOf(Others, "tensor expression") + " typed";
  if (Others)
    Out += formatv(", none of {0:N} where no axis is named", Others).str();
  return Out;
}

std::string collectives(const Total &T) {
  return formatv("operands of {0} of {1} typed", T.Given,
                 countOf(T.Collectives, "collective"))
      .str();
}

/// All that is said of a file, or of a function.
std::string describe(const Total &T) {
  std::vector<std::string> Parts;
  if (T.Expressions)
    Parts.push_back(percentages(T));
  if (T.Collectives)
    Parts.push_back(collectives(T));
  if (T.Updates)
    Parts.push_back(formatv("gradients of {0} of {1} followed", T.Followed,
                            countOf(T.Updates, "update"))
                        .str());
  if (T.GivenUp)
    Parts.push_back("given up at " + countOf(T.GivenUp, "place") +
                    ", --strict says why");
  return join(Parts, "; ");
}

} // namespace

std::string findingCounts(const Report &R) {
  std::map<Severity, unsigned, std::greater<>> Levels;
  std::set<StringRef> Files;
  unsigned Fixable = 0;
  for (const Diagnostic &D : R.Diagnostics) {
    ++Levels[D.Level];
    Files.insert(D.Where.File);
    Fixable += llvm::any_of(D.Fixes,
                            [](const Fix &F) { return F.Preferred && F.Safe; });
  }
  std::string Out;
  for (const auto &[Level, Count] : Levels)
    Out += (Out.empty() ? "" : ", ") + countOf(Count, severityName(Level));
  if (Out.empty())
    Out = "no findings";
  // Headers are counted with the files that they are found through.
  if (R.Files.size() > 1)
    Out +=
        Files.empty()
            ? " in " + countOf(R.Files.size(), "file")
            : formatv(" in {0:N} of {1}", Files.size(),
                      countOf(std::max(R.Files.size(), Files.size()), "file"))
                  .str();
  if (Fixable)
    Out += formatv("; {0:N} fixable", Fixable).str();
  if (R.InBaseline)
    Out += formatv("; {0:N} in the baseline", R.InBaseline).str();
  if (R.OnUnchangedLines)
    Out += formatv("; {0:N} on unchanged lines", R.OnUnchangedLines).str();
  return Out;
}

std::string summaryLine(const Report &R) {
  const Total T = totalOf(R.Covered);
  if (!T.Expressions && !T.Collectives && !R.Stats.UntypedCollectives &&
      !R.Stats.NotFollowed && R.Diagnostics.empty() && !R.InBaseline &&
      !R.OnUnchangedLines)
    return {};
  std::string Out = findingCounts(R);
  if (!R.ParseErrors.empty())
    Out += "; what " + countOf(R.ParseErrors.size(), "compile error") +
           " hides not looked at";
  // That nothing is wrong with the types of what has none says nothing.
  if (R.Stats.UntypedCollectives)
    Out += formatv("; nothing is typed where no axis is named: the order and "
                   "arguments of {0} checked, nothing else",
                   countOf(R.Stats.UntypedCollectives, "collective"))
               .str();
  if (T.Expressions)
    Out += "; " + percentages(T);
  if (T.Collectives)
    Out += "; " + collectives(T);
  if (const auto &Unused = R.UnusedAxes; Unused.size() == 1)
    Out += "; no code here has '" + Unused.front().Expression +
           "', which 'Axes' names";
  else if (!Unused.empty())
    Out += "; no code here has " + countOf(Unused.size(), "name") +
           " of 'Axes', --summary=coverage says which";
  if (R.Stats.NotFollowed)
    Out += "; the order of collectives not looked at on all ways of " +
           countOf(R.Stats.NotFollowed, "function") + ", --strict says where";
  return Out;
}

void writeCoverage(raw_ostream &OS, const Report &R,
                   StringRef WorkingDirectory) {
  const Coverage &C = R.Covered;
  MapVector<StringRef, std::vector<const FunctionCoverage *>> ByFile;
  for (const FunctionCoverage &F : C.Functions)
    ByFile[F.Where.File].push_back(&F);
  for (auto &[File, Functions] : ByFile) {
    Total Of;
    for (const FunctionCoverage *F : Functions)
      Of.add(*F);
    OS << pathFrom(WorkingDirectory, File) << ": " << describe(Of) << '\n';
    for (const FunctionCoverage *F : Functions) {
      Total One;
      One.add(*F);
      OS << "  line " << F->Where.Line << ", '" << F->Function
         << "': " << describe(One) << '\n';
    }
  }
  constexpr std::size_t Most = 3;
  std::size_t Annotated = 0, Named = 0;
  for (const Uncovered &U : C.Missing) {
    if ((U.Collectives ? Named : Annotated)++ >= Most)
      continue;
    OS << (U.Collectives ? "name the axis of " : "annotate ") << U.What;
    if (U.Where.Line)
      OS << " (" << sys::path::filename(U.Where.File) << ':' << U.Where.Line
         << ')';
    const unsigned Count = U.Collectives ? U.Collectives : U.Expressions;
    OS << ": " << countOf(Count, U.Collectives ? "collective" : "expression")
       << " hang" << (Count == 1 ? "s" : "") << " on it\n";
  }
  for (const UnusedAxis &A : R.UnusedAxes)
    OS << pathFrom(WorkingDirectory, A.From.str()) << ": no code here has '"
       << A.Expression << "', which 'Axes' names\n";
}

void writeCoverage(json::OStream &J, const Report &R) {
  const Coverage &C = R.Covered;
  const auto Counts = [&](const Total &T) {
    J.attribute("expressions", T.Expressions);
    J.attributeObject("typed", [&] {
      for (const auto &[Axis, Typed] : T.Typed)
        J.attribute(json::fixUTF8(Axis), Typed.Typed);
    });
    J.attribute("collectives", T.Collectives);
    J.attribute("collectivesGiven", T.Given);
    J.attribute("updates", T.Updates);
    J.attribute("gradientsFollowed", T.Followed);
    J.attribute("givenUp", T.GivenUp);
  };
  Counts(totalOf(C));
  J.attributeArray("functions", [&] {
    for (const FunctionCoverage &F : C.Functions)
      J.object([&] {
        J.attribute("function", json::fixUTF8(F.Function));
        J.attribute("file", json::fixUTF8(F.Where.File));
        J.attribute("line", F.Where.Line);
        Total One;
        One.add(F);
        Counts(One);
      });
  });
  J.attributeArray("missing", [&] {
    for (const Uncovered &U : C.Missing)
      J.object([&] {
        J.attribute("what", json::fixUTF8(U.What));
        J.attribute("file", json::fixUTF8(U.Where.File));
        J.attribute("line", U.Where.Line);
        J.attribute("expressions", U.Expressions);
        J.attribute("collectives", U.Collectives);
      });
  });
  J.attributeArray("unusedAxes", [&] {
    for (const UnusedAxis &A : R.UnusedAxes)
      J.object([&] {
        J.attribute("expression", json::fixUTF8(A.Expression));
        J.attribute("file", json::fixUTF8(A.From.Source));
        J.attribute("line", A.From.Line);
      });
  });
}

} // namespace spmd::lint
