//===- OptionText.cpp - What is made of the list of options ---------------===//

#include "OptionText.h"

#include "Options.h"

#include "spmd/lint/Check.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace spmd::lint;

using V = OptionSpec::Value;

namespace {

struct ExitText {
  unsigned Code;
  StringRef Meaning;
};
constexpr ExitText ExitTexts[] = {
    {0, "no finding at or above --fail-on"},
    {1, "findings"},
    {2, "wrong usage or configuration"},
    {3, "a file could not be read or parsed; what did parse was analysed"},
    {4, "internal error, or a fix could not be written"},
};

constexpr StringLiteral Usage =
    "spmd-tidy [options] <file or directory>... [-- <compiler flags>]";
constexpr StringLiteral Purpose =
    "Checks that distributed C++ and CUDA code computes correct gradients.";
constexpr StringLiteral ResponseFiles =
    "@file stands for the arguments that a file has.";

} // namespace

void spmd::lint::printHelp(raw_ostream &OS) {
  OS << "usage: " << Usage << "\n\n" << Purpose << "\n\n";
  for (const OptionSpec &S : optionTable())
    OS << left_justify("  " + S.spelling(), 28) << ' ' << S.Help << '\n';
  OS << "\n" << ResponseFiles << "\n\nexit codes:\n";
  for (const ExitText &E : ExitTexts)
    OS << "  " << E.Code << "  " << E.Meaning << '\n';
}

/// Text as troff prints it.
static std::string troff(StringRef Text) {
  std::string Out;
  if (Text.starts_with(".") || Text.starts_with("'"))
    Out = "\\&";
  for (char C : Text)
    Out += C == '-' ? "\\-" : C == '\\' ? "\\e" : std::string(1, C);
  return Out;
}

void spmd::lint::printManPage(raw_ostream &OS) {
  OS << ".TH SPMD\\-TIDY 1 \"\" \"spmd\\-tidy " SPMD_VERSION "\"\n"
     << ".SH NAME\nspmd\\-tidy \\- static SPMD type checker\n"
     << ".SH SYNOPSIS\n"
     << troff(Usage) << "\n.SH DESCRIPTION\n"
     << troff(Purpose) << "\n.PP\n"
     << troff(ResponseFiles) << "\n.SH OPTIONS\n";
  for (const OptionSpec &S : optionTable())
    OS << ".TP\n.B " << troff(S.spelling()) << '\n' << troff(S.Help) << '\n';
  OS << ".SH EXIT STATUS\n";
  for (const ExitText &E : ExitTexts)
    OS << ".TP\n.B " << E.Code << '\n' << troff(E.Meaning) << '\n';
  OS << ".SH FILES\n.TP\n.B .spmd\\-tidy\n"
     << "configuration, beside or above the sources\n";
}

/// The values that an option takes one of; none where it may be anything.
static std::vector<StringRef> choices(const OptionSpec &S) {
  std::vector<StringRef> Out;
  if (S.Metavar == "check") {
    for (const CheckInfo &C : allChecks())
      Out.push_back(C.Name);
  } else if (S.Metavar.contains('|') ||
             (S.Takes == V::Optional && S.Name != "diff" &&
              S.Name != "suggest-sharding")) {
    for (StringRef Value : llvm::split(S.Metavar, '|'))
      Out.push_back(Value);
  }
  return Out;
}

static void printBash(raw_ostream &OS) {
  OS << "# Completions of spmd-tidy for bash: source this file.\n"
        "_spmd_tidy() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} "
        "before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  # bash parts words at '='.\n"
        "  if [ \"$word\" = = ]; then word=; before+==; fi\n"
        "  if [ \"$before\" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}=; "
        "fi\n"
        "  case $before in\n";
  std::string Options;
  for (const OptionSpec &S : optionTable()) {
    const std::string Equals = S.Takes == V::Required ? "=" : "";
    Options += (Options.empty() ? "" : " ") + S.dashed() +
               (S.Name.size() > 1 ? Equals : "");
    if (const std::vector<StringRef> Values = choices(S); !Values.empty())
      OS << "    " << S.dashed() << "=) mapfile -t COMPREPLY < <(compgen -W '"
         << join(Values, " ") << "' -- \"$word\"); return ;;\n";
  }
  OS << "  esac\n"
        "  case $word in\n"
        "    -*) mapfile -t COMPREPLY < <(compgen -W '"
     << Options
     << "' -- \"$word\")\n"
        "      [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace ;;\n"
        "    *) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
        "  esac\n"
        "}\n"
        "complete -o filenames -F _spmd_tidy spmd-tidy\n";
}

/// Text within a specification of zsh's _arguments.
static std::string zshText(StringRef Text) {
  std::string Out;
  for (char C : Text) {
    if (StringRef("[]:\\").contains(C))
      Out += '\\';
    Out += C == '\'' ? "'\\''" : std::string(1, C);
  }
  return Out;
}

static void printZsh(raw_ostream &OS) {
  OS << "#compdef spmd-tidy\n_arguments \\\n";
  for (const OptionSpec &S : optionTable()) {
    const StringRef Sign = S.Takes == V::None       ? ""
                           : S.Name.size() == 1     ? "+"
                           : S.Takes == V::Optional ? "=-"
                                                    : "=";
    OS << "  '*" << S.dashed() << Sign << '[' << zshText(S.Help) << ']';
    if (S.Takes != V::None) {
      const std::vector<StringRef> Values = choices(S);
      OS << (S.Takes == V::Optional ? "::" : ":") << zshText(S.Metavar) << ':'
         << (Values.empty() ? "_files" : "(" + join(Values, " ") + ")");
    }
    OS << "' \\\n";
  }
  OS << "  '*:file:_files'\n";
}

void spmd::lint::printCompletions(raw_ostream &OS, StringRef Shell) {
  Shell == "zsh" ? printZsh(OS) : printBash(OS);
}
