//===- Lint.cpp - The analysis of one translation unit --------------------===//

#include "spmd/lint/Lint.h"

#include "CollectInsight.h"
#include "Covered.h"
#include "ProgramUnit.h"
#include "SuggestSharding.h"
#include "SummedParameters.h"
#include "TypeDump.h"
#include "effects/CheckCollectives.h"
#include "matchers/FileMatches.h"

#include "spmd/explain/Witness.h"
#include "spmd/fixits/RepairTrials.h"
#include "spmd/inference/Axes.h"
#include "spmd/inference/InIterations.h"
#include "spmd/inference/Ways.h"
#include "spmd/ir/IRText.h"
#include "spmd/lint/Render.h"
#include "spmd/lint/Stopwatch.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace spmd;
using namespace spmd::lint;

namespace {

Suppression suppressionOf(const Allowance &A, const SourceView &View) {
  Suppression Out;
  Out.Where = View.place(A.Attribute.getBegin());
  Out.Spelling = "[[spmd::allow]]";
  Out.FirstLine = View.place(A.On.getBegin()).Line;
  Out.LastLine = View.place(A.On.getEnd()).Line;
  Out.Checks = {A.Check};
  Out.HasReason = !A.Reason.empty();
  return Out;
}

/// --strict: the annotations of what was cut off are not checked.
Diagnostic sayGivenUp(const rules::GiveUp &G, const rules::Limits &Caps,
                      const ProgramText &Text) {
  Diagnostic Out;
  Out.Check = "spmd-annotation";
  Out.Level = Severity::Warning;
  Out.Where = Text.place(G.In, G.At);
  Out.Message =
      (G.ofFunction() ? "nothing is checked in '" : "not all is checked in '") +
      G.In->DisplayName + "', as " + rules::describe(G.Which, Caps);
  return Out;
}

/// Whether an optimizer steps by what each rank has computed by itself.
bool isOwnStep(const rules::Violation &V) {
  return V.as<rules::PartialNonlinear>() && V.Op == "step" &&
         llvm::any_of(V.Operands, [](const rules::ViolationOperand &O) {
           return O.IsGradient;
         });
}

/// What the program adds up, where that may be what is missed.
void noteSums(Diagnostic &D, const rules::Violation &V, const rules::Module &M,
              const ProgramText &Text) {
  const auto Point = [&](const rules::Site &Sum, const char *Says,
                         const char *Then) {
    if (Note N{Text.place(Sum.In, Sum.At), Says + V.Axis + Then};
        Sum.In && N.Where.Line)
      D.Notes.push_back(std::move(N));
  };
  // Ranks that step by their own gradients, and average what comes of it, do so
  // on purpose.
  if (isOwnStep(V))
    Point(sumOfParameters(M),
          "parameters are added up here: what each rank trains by itself in "
          "between is V on '",
          "', and so declared");
  // The group may be the wrong one, where nothing is added up over the axis.
  if (V.as<rules::LossType>() || isOwnStep(V))
    Point(sumOverOtherGroup(M, V.Axis),
          "gradients are added up here over a group of which nothing says that "
          "it is of '",
          "'");
}

void report(const rules::Violation &V, llvm::ArrayRef<fixits::Repair> Repairs,
            const rules::Module &M, const ProgramText &Text,
            LintResult &Result) {
  Diagnostic D = renderViolation(V, Repairs, Text);
  if (D.Check.empty())
    return;
  noteSums(D, V, M, Text);
  D.Witness = explain::witness(V);
  if (!D.Where.Line) // in a macro's body: no text of its own, still a place
    D.Where = Text.place(V.In, V.At);
  Result.Diagnostics.push_back(std::move(D));
}

} // namespace

rules::InferenceResult spmd::lint::analyse(rules::Module &M,
                                           const ProgramText &Text,
                                           const Config &Cfg,
                                           const LintRequest &Req,
                                           LintResult &Result) {
  const Stopwatch Inferring;
  const rules::MeshSpec Mesh = Cfg.mesh();
  rules::InferenceOptions Options;
  Options.Strict = Cfg.Strict.Value;
  Options.FindRedundant = true;
  Options.Mesh = Mesh.Axes.empty() ? nullptr : &Mesh;
  TypeDump Dump(Text, Req.DumpTypes, Req.WorkingDirectory);
  rules::cutIdleWays(M);
  CollectInsight Insights(Text, Mesh);
  const auto Listen = [&](const rules::TypedSlot &T) {
    Dump.add(T);
    if (Req.Describe)
      Insights.add(T);
  };
  llvm::function_ref<void(const rules::TypedSlot &)> OnType = nullptr;
  if (Req.Describe || Req.DumpTypes != DumpFormat::None)
    OnType = Listen;
  rules::InferenceResult Inferred = rules::inferModule(M, Options, OnType);
  if (Req.Describe)
    Result.Described = Insights.finish(M, Inferred.Axes);
  // What holds on one way only: no change at one place mends it.
  std::vector<rules::Violation> OnWays = rules::inferWays(M, Options, Inferred);
  llvm::append_range(OnWays, rules::inferInIterations(M, Options, Inferred));
  Result.Stats.InferenceSeconds = Inferring.seconds();
  Result.Stats.FactsVisited = Inferred.FactsVisited;
  Result.Covered =
      coverageOf(M, Inferred, Text, Req.Advise ? &Options : nullptr);
  llvm::DenseSet<const rules::Function *> GivenUp;
  for (const rules::GiveUp &G : Inferred.GivenUp) {
    GivenUp.insert(G.In);
    if (Options.Strict)
      Result.Diagnostics.push_back(sayGivenUp(G, Options.Caps, Text));
  }
  Result.Stats.NotAnalysed = GivenUp.size();

  const Stopwatch Reporting;
  fixits::RepairTrials Trials(M, Options, Inferred.Violations, Cfg.links());
  for (const rules::Violation &V : Inferred.Violations) {
    // Sizes and indices need no type.
    if (V.isPossible() && V.Operands.front().Type.Set.size() > 2 &&
        !Text.isTensor(V.In, V.Operands.front().At))
      continue;
    const std::vector<fixits::Repair> Repairs = Trials.plan(V);
    // What cannot be made cheaper and stay right is not redundant.
    if (const auto *Redundant = V.as<rules::RedundantChain>();
        Redundant &&
        (Repairs.empty() ||
         !llvm::all_of(Redundant->Chain, [&](const rules::TransferFact *T) {
           return Text.saysAll(V.In, *T);
         })))
      continue;
    report(V, Repairs, M, Text, Result);
  }
  for (const rules::Violation &V : OnWays)
    report(V, {}, M, Text, Result);
  sortAndDeduplicate(Result.Diagnostics);
  if (Req.DumpIR)
    Result.IRDump = rules::printModule(M);
  Result.TypeDump = Dump.str();
  Result.Stats.ReportSeconds = Reporting.seconds();
  return Inferred;
}

static bool differs(const rules::InferenceResult &Inferred, TypeAt At) {
  const auto It = Inferred.Known.find({At.first, rules::index(At.second)});
  return Inferred.Axes.size() == 1 && It != Inferred.Known.end() &&
         (It->second.Differs & 1);
}

/// Where types say, or will say, what expressions are: of a file by itself only
/// those that are known to differ between the ranks of its only axis.
static TypedNodes typedNodes(const LoweredModule &Lowered, bool ForProgram,
                             const rules::InferenceResult &Inferred) {
  TypedNodes Out;
  for (const auto &[F, Source] : Lowered.Sources)
    for (std::uint32_t I = 1; I < Source.Places.size(); ++I)
      if (const TypeAt At(F, rules::PlaceId(I));
          Source.Places[I].Node && (ForProgram || differs(Inferred, At))) {
        const auto *E = llvm::dyn_cast<clang::Expr>(Source.Places[I].Node);
        // A conversion is at the place of what it converts.
        Out[E ? E->IgnoreParenImpCasts() : Source.Places[I].Node].push_back(At);
      }
  return Out;
}

LintResult spmd::lint::lintTranslationUnit(clang::ASTContext &Ctx,
                                           const Config &Cfg,
                                           const LintRequest &Req) {
  LintResult Result;
  const Stopwatch Lowering;
  OwnFiles Own(Req.IsUserHeader);
  const FileMatches Found = matchOwnDecls(Ctx, *Cfg.Apis, Own);
  LoweredModule Lowered =
      lowerTranslationUnit(Ctx, Cfg, Found, Own, {Req.ForProgram});
  Result.Stats.LoweringSeconds = Lowering.seconds();
  Result.Stats.Facts = Lowered.NumFacts;
  for (const auto &F : Lowered.M.Functions)
    Result.Stats.Functions += !F->Blocks.empty();

  const SourceView View(Ctx, Lowered, Req.Precompiled);
  for (const MalformedPayload &M : Lowered.Malformed) {
    Diagnostic D;
    D.Check = "spmd-annotation";
    D.Level = Severity::Error;
    D.Where = View.place(M.At);
    D.Message = M.Message;
    Result.Diagnostics.push_back(std::move(D));
  }
  for (const Allowance &A : Lowered.Allowances)
    Result.Allows.push_back(suppressionOf(A, View));
  if (Req.Suggest)
    suggestSharding(Lowered.M, View, Cfg, *Req.Suggest, Result);
  rules::InferenceResult Inferred;
  if (!Req.ForProgram)
    Inferred = analyse(Lowered.M, View, Cfg, Req, Result);
  std::optional<KeptEffects> Effects;
  // A file without calls of its own may lead to those of others.
  if (Found.Communicates || Req.ForProgram) {
    const Stopwatch OfEffects;
    const rules::MeshSpec Mesh = Cfg.mesh();
    Effects.emplace(lowerEffects(
        Ctx, Cfg, Found, Own, rules::axesOf(Lowered.M, &Mesh),
        typedNodes(Lowered, Req.ForProgram, Inferred), Req.ForProgram));
    Result.Stats.LoweringSeconds += OfEffects.seconds();
    Result.Stats.Collectives = Effects->Collectives;
    if (!Req.ForProgram) {
      // Nothing else is among what is typed.
      settle(*Effects, [](TypeAt) { return true; });
      checkCollectives(*Effects, Cfg, Result);
    }
  }
  sortAndDeduplicate(Result.Diagnostics);
  if (!Inferred.Axes.empty())
    Result.Stats.Collectives = 0; // coverage says more
  if (Req.ForProgram) {
    const clang::SourceManager &SM = Ctx.getSourceManager();
    const auto Main = SM.getFileEntryRefForID(SM.getMainFileID());
    Result.Unit = keepUnit(Main ? Main->getName().str() : std::string(),
                           std::move(Lowered), View, std::move(Effects));
    Result.Stats.Collectives = 0;
  }
  return Result;
}
