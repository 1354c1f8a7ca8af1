//===- LintResult.h - What is asked of an analysis, what it says -*- C++ -*-==//

#ifndef SPMD_LINT_LINTRESULT_H
#define SPMD_LINT_LINTRESULT_H

#include "spmd/lint/Config.h"
#include "spmd/lint/Diagnostic.h"
#include "spmd/lint/Insight.h"
#include "spmd/lint/Suppression.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <memory>
#include <tuple>

namespace spmd::lint {

struct ProgramUnit;

enum class DumpFormat : unsigned char { None, Text, JSON };

/// --suggest-sharding. What is empty here comes from the function or from the
/// configuration.
struct SuggestRequest {
  std::string Function; ///< its name; empty: all that are global
  rules::MeshSpec Mesh;
  std::map<std::string, std::int64_t> Sizes;
  std::string Batch; ///< the name of the batch's size
};

/// What a front end wants to know beside the findings.
struct LintRequest {
  DumpFormat DumpTypes = DumpFormat::None;
  bool DumpIR = false;
  bool Describe = false;        ///< LintResult::Described is wanted
  std::string WorkingDirectory; ///< types are dumped as seen from there
  /// Only lower: what can be said needs the other files (lintProgram).
  bool ForProgram = false;
  std::optional<SuggestRequest> Suggest;
  /// Try which annotations would say most.
  bool Advise = false;
  /// Whether code in a header is the user's own and to be analysed; takes an
  /// absolute path. The main file always is. Null: the main file alone.
  std::function<bool(llvm::StringRef)> IsUserHeader;
  /// Files that the translation unit includes and that this parse did not read:
  /// those of a precompiled header. By absolute path.
  llvm::ArrayRef<std::string> Precompiled;
};

/// What was found for one function; or why nothing was.
struct ShardingAdvice {
  std::string Function;
  Place Where;
  std::string Error; ///< empty when there is a suggestion
  std::string Text;  ///< for people
  std::string JSON;  ///< one object
  std::vector<Edit> Edits;
};

struct AnalysisStats {
  unsigned Functions = 0;    ///< bodies lowered
  unsigned NotAnalysed = 0;  ///< given up at a cap
  unsigned NotFollowed = 0;  ///< whose collectives are not all looked at
  unsigned Facts = 0;        ///< in the lowered IR
  unsigned Collectives = 0;  ///< where nothing says which axis they are on
  unsigned FactsVisited = 0; ///< by the inference, loops and contexts included
  double LoweringSeconds = 0;
  double InferenceSeconds = 0;
  double ReportSeconds = 0; ///< checks and repairs
  /// The runs of ranks, whose collectives are matched and waited for.
  double CollectivesSeconds = 0;
};

/// Of how many expressions the type is known on an axis, where that is one: a
/// function whose annotations are on a parameter's axis is on it alone.
struct TypedOn {
  std::string Axis;
  unsigned Typed = 0, Of = 0;
};

/// How much of a function is understood.
struct FunctionCoverage {
  std::string Function;
  Place Where;
  unsigned Expressions = 0; ///< of tensors and of elements of buffers
  unsigned Collectives = 0;
  std::vector<TypedOn> Typed; ///< by axis
  /// The collectives of which it is known what they are given, on their axes.
  unsigned Given = 0;
  /// Updates by gradients, and those of which the gradient's type is known.
  unsigned Updates = 0, Followed = 0;
  unsigned GivenUp = 0; ///< where a cap was met; --strict says which
};

/// What nobody described, and how many expressions nothing is known of for it;
/// or a communicator of which nobody says the axis, and the collectives over
/// it.
struct Uncovered {
  std::string What; ///< "parameter 'w' of 'gemm'"
  Place Where;
  unsigned Expressions = 0, Collectives = 0;

  /// The most expressions first.
  bool operator<(const Uncovered &Other) const {
    return std::tie(Other.Expressions, Other.Collectives, What, Where.File) <
           std::tie(Expressions, Collectives, Other.What, Other.Where.File);
  }
};

struct Coverage {
  std::vector<FunctionCoverage> Functions;
  std::vector<Uncovered> Missing; ///< the most first
};

struct LintResult {
  /// All of them, at their checks' default severities: suppressions, Checks and
  /// Severity are the front end's part.
  std::vector<Diagnostic> Diagnostics;
  /// The translation unit's [[spmd::allow("check", "reason")]] attributes, each
  /// with the lines of the declaration or statement that it is on.
  std::vector<Suppression> Allows;
  std::string TypeDump, IRDump;
  std::shared_ptr<const ProgramUnit> Unit; ///< LintRequest::ForProgram
  std::vector<ShardingAdvice> Advice;      ///< LintRequest::Suggest
  AnalysisStats Stats;
  Coverage Covered;
  Insight Described; ///< LintRequest::Describe
};

} // namespace spmd::lint

#endif // SPMD_LINT_LINTRESULT_H
