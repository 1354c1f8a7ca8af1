//===- SuggestSharding.cpp - --suggest-sharding for one file --------------===//

#include "SuggestSharding.h"

#include "spmd/ir/Inline.h"
#include "spmd/sharding/Suggest.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace spmd;
using namespace spmd::lint;

namespace {

/// The mesh that counts: of the command line, of the code, of the
/// configuration; with the links that the configuration gives its axes.
llvm::Expected<sharding::CostModel> costsFor(const rules::Function &F,
                                             const Config &Cfg,
                                             const SuggestRequest &Req) {
  const rules::MeshSpec Spec = !Req.Mesh.Axes.empty() ? Req.Mesh
                               : F.Mesh               ? *F.Mesh
                                                      : Cfg.mesh();
  if (Spec.Axes.empty())
    return llvm::createStringError(
        "'" + F.DisplayName +
        "' has no mesh: give it as --mesh=dp=8,tp=8, as [[spmd::mesh]] around "
        "it, or as Mesh in .spmd-tidy");
  llvm::Expected<planner::DeviceMesh> M = planner::meshOf(Spec);
  if (!M)
    return M.takeError();
  sharding::CostModel Out;
  Out.Mesh = std::move(*M);
  const llvm::StringMap<planner::Link> Links = Cfg.links();
  for (planner::DeviceMesh::Axis &A : Out.Mesh.All)
    if (auto It = Links.find(A.Name); It != Links.end())
      A.Own = It->second;
  const auto Set = [&](const char *Key, double Unit, auto &Into) {
    if (auto It = Cfg.Device.find(Key); It != Cfg.Device.end())
      Into = static_cast<std::remove_reference_t<decltype(Into)>>(
          It->second.Value * Unit);
  };
  Set("flops", 1e12, Out.FlopsPerSecond);
  Set("bandwidth", 1e9, Out.BytesPerSecond);
  Set("memory", 1e9, Out.MemoryBytes);
  Set("optimizer", 1, Out.OptimizerBytes);
  Set("accumulate", 1, Out.Accumulate);
  return Out;
}

class Advisor {
public:
  Advisor(const ProgramText &Text, const Config &Cfg, const SuggestRequest &Req,
          LintResult &Result)
      : Text(Text), Cfg(Cfg), Req(Req), Result(Result) {
    llvm::SmallString<256> Path;
    if (!llvm::sys::fs::current_path(Path))
      Here = Path.str().str() + "/";
  }

  /// For \p In with what it calls.
  void advise(const rules::InlinedFunction &In) {
    const rules::Function &F = In.F;
    llvm::Expected<sharding::CostModel> Costs = costsFor(F, Cfg, Req);
    if (!Costs)
      return fail(In, F.ResultAt, llvm::toString(Costs.takeError()));
    for (const planner::DeviceMesh::Axis &A : Costs->Mesh.All)
      if (!F.Mode.isGlobal(A.Name))
        return fail(In, F.ResultAt,
                    "'" + F.DisplayName + "' is not [[spmd::global]] on '" +
                        A.Name + "': its specs say nothing there");
    sharding::SuggestOptions Options;
    for (const auto &[Name, Size] : Cfg.Sizes)
      Options.Graph.Sizes[Name] = Size.Value;
    for (const auto &[Name, Size] : Req.Sizes)
      Options.Graph.Sizes[Name] = Size;
    Options.Graph.Batch = Req.Batch;
    llvm::Expected<sharding::Suggestion> S =
        sharding::suggestSharding(F, *Costs, Options);
    if (!S) {
      handleAllErrors(
          S.takeError(),
          [&](const sharding::GraphError &E) {
            fail(In, E.What.At, E.What.Message);
          },
          [&](const llvm::ErrorInfoBase &E) {
            fail(In, F.ResultAt, E.message());
          });
      return;
    }
    add(In, *S);
  }

private:
  Place placeOf(const rules::InlinedFunction &In, rules::PlaceId At) const {
    const rules::OriginalPlace Was =
        In.original(At == rules::PlaceId::None ? In.F.ResultAt : At);
    return Text.place(Was.In, Was.At);
  }

  void fail(const rules::InlinedFunction &In, rules::PlaceId At,
            std::string Message) {
    Result.Advice.push_back(
        {In.F.DisplayName, placeOf(In, At), std::move(Message), "", "", {}});
  }

  void add(const rules::InlinedFunction &In, const sharding::Suggestion &S) {
    ShardingAdvice Out;
    Out.Function = In.F.DisplayName;
    Out.Where = placeOf(In, In.F.ResultAt);
    Out.Text = sharding::describe(S, [&](rules::PlaceId At) {
      const Place P = placeOf(In, At);
      llvm::StringRef File = P.File;
      File.consume_front(Here);
      return (File + ":" + llvm::Twine(P.Line) + ":" + llvm::Twine(P.Column))
          .str();
    });
    llvm::raw_string_ostream(Out.JSON)
        << llvm::json::Value(sharding::toJSON(S, [&](rules::PlaceId At) {
             const Place P = placeOf(In, At);
             return llvm::json::Object{{"file", llvm::json::fixUTF8(P.File)},
                                       {"line", P.Line},
                                       {"column", P.Column}};
           }));
    for (const sharding::SuggestedType &T : S.Types)
      if (!T.Was.empty() && T.Is != T.Was) {
        const rules::OriginalPlace Was = In.original(T.At);
        if (const auto Literal = Text.text(Was.In, Was.At);
            Literal && llvm::StringRef(Literal->Text).ends_with("\""))
          Out.Edits.push_back({Literal->File, Literal->Offset, Literal->Length,
                               "\"" + T.Is + "\""});
      }
    llvm::append_range(Out.Edits, insertOperators(S, In, Text));
    Result.Advice.push_back(std::move(Out));
  }

  const ProgramText &Text;
  const Config &Cfg;
  const SuggestRequest &Req;
  LintResult &Result;
  std::string Here; ///< paths below it are shown relative to it
};

} // namespace

void lint::suggestSharding(const rules::Module &M, const ProgramText &Text,
                           const Config &Cfg, const SuggestRequest &Req,
                           LintResult &Result) {
  Advisor A(Text, Cfg, Req, Result);
  const auto IsMeant = [&](const rules::Function &F) {
    if (F.Blocks.empty())
      return false;
    return Req.Function.empty() ? F.Mode.AllGlobal || !F.Mode.GlobalAxes.empty()
                                : F.DisplayName == Req.Function;
  };
  std::vector<rules::InlinedFunction> All;
  llvm::DenseSet<const rules::Function *> Called;
  for (const auto &F : M.Functions)
    if (IsMeant(*F)) {
      All.push_back(rules::inlineCalls(*F, M));
      Called.insert(All.back().Callees.begin(), All.back().Callees.end());
    }
  // What another one calls is a part of that.
  for (const rules::InlinedFunction &In : All)
    if (!Req.Function.empty() ||
        !Called.contains(In.original(In.F.ResultAt).In))
      A.advise(In);
}
