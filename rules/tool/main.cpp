//===- main.cpp - Programs in the text form of the IR ---------------------===//
//
// For whoever writes a front end of their own (docs/ir.md): is this text a
// program, and what does inference make of it?
//
//===----------------------------------------------------------------------===//

#include "spmd/inference/FindingText.h"
#include "spmd/ir/IRText.h"
#include "spmd/ir/Link.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace spmd::rules;

static constexpr const char *Usage =
    R"(usage: spmd-ir verify FILE
       spmd-ir print FILE
       spmd-ir infer [--strict] [--types] FILE
       spmd-ir words

  verify  says what is wrong with a program, with its line and column
  print   writes it as the printer does
  infer   lists the findings, under --strict also what may be wrong; with
          --types the type of each slot that a fact defines, by the name and
          number that print gives it, and of what a point looks at
  words   lists the words for kinds of slots, facts and reductions

FILE is a program in the text form of the IR, - standard input. Ends with 0, with
1 if the input is broken or something is found, and with 2 for bad usage.
)";

enum : int { Fine = 0, Found = 1, BadUsage = 2 };

static Expected<Module> read(StringRef File) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text =
      MemoryBuffer::getFileOrSTDIN(File, /*IsText=*/true);
  if (!Text)
    return createStringError(File + ": " + Text.getError().message());
  Expected<Module> M =
      parseModule((*Text)->getBuffer(), OpCatalogue::builtin());
  if (!M) // "line:column: message"
    return createStringError((File == "-" ? "<stdin>" : File) + ":" +
                             toString(M.takeError()));
  return M;
}

static std::string typeLine(const TypedSlot &T, const PointFact *Point) {
  const Slot &S = T.In->slot(T.Slot);
  std::string Out = "@" + T.In->Symbol + ' ' +
                    (Point ? "at " + Point->Name + " " : "") + "%" + S.Name +
                    (S.Name.empty() ? "" : ".") +
                    std::to_string(index(T.Slot)) + ':';
  for (const auto &[Axis, Type] : T.Types)
    Out += ' ' + Axis + ": " + printAxisType(Type);
  return Out + (T.Spec.empty() ? "" : " ") + T.Spec + '\n';
}

static int infer(Module M, const InferenceOptions &Options, bool Types) {
  // As for a file that is linted: callers get the fields that callees write.
  addCalleeFields(M, [](Function &, const Function &, PlaceId) {});
  StringSet<> Seen; // a function is analysed for each of its callers
  const InferenceResult Result =
      inferModule(M, Options, [&](const TypedSlot &T) {
        const auto *Point = T.Of ? std::get_if<PointFact>(T.Of) : nullptr;
        if (!Types || (T.As != TypedSlot::Role::Made && !Point))
          return;
        if (std::string Line = typeLine(T, Point); Seen.insert(Line).second)
          outs() << Line;
      });
  for (const Violation &V : Result.Violations)
    outs() << printFinding(V) << '\n';
  for (const GiveUp &G : Result.GivenUp)
    if (G.ofFunction())
      outs() << '@' << G.In->Symbol << ": not analysed\n";
  return Result.Violations.empty() ? Fine : Found;
}

static int usage() {
  errs() << Usage;
  return BadUsage;
}

int main(int Argc, char **Argv) {
  const StringRef Command = Argc > 1 ? Argv[1] : "";
  InferenceOptions Options;
  bool Types = false;
  std::optional<StringRef> File;
  for (int I = 2; I < Argc; ++I) {
    const StringRef Word = Argv[I];
    if (Command == "infer" && Word == "--strict")
      Options.Strict = true;
    else if (Command == "infer" && Word == "--types")
      Types = true;
    else if (!File && (Word == "-" || !Word.starts_with("-")))
      File = Word;
    else
      return usage();
  }
  if (Command == "--help" && Argc == 2) {
    outs() << Usage;
    return Fine;
  }
  if (Command == "words" && !File) {
    for (const IRWords &W : irWords())
      outs() << W.Of << ": " << join(W.Words, " ") << '\n';
    return Fine;
  }
  const bool Known =
      Command == "verify" || Command == "print" || Command == "infer";
  if (!Known || !File)
    return usage();

  Expected<Module> M = read(*File);
  if (!M) {
    errs() << toString(M.takeError()) << '\n';
    return Found;
  }
  if (Command == "print")
    outs() << printModule(*M);
  return Command == "infer" ? infer(std::move(*M), Options, Types) : Fine;
}
