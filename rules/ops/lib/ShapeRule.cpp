//===- ShapeRule.cpp - What an op does to the dims of its operands --------===//

#include "spmd/ops/ShapeRule.h"

#include "FactorNotationParser.h"
#include "OpNames.h"

#include "llvm/ADT/STLExtras.h"

namespace spmd::rules {

namespace {

struct TermEntry {
  ShapeTerm Term;
  llvm::StringLiteral Name;
  unsigned MinParameters, MaxParameters;
  llvm::StringLiteral Meaning;
};
constexpr TermEntry Terms[] = {
    {ShapeTerm::Elementwise, "elementwise", 0, 0,
     "operands are aligned at the last dim and broadcast; all dims are kept"},
    {ShapeTerm::Each, "each", 0, 0,
     "the elements of the lists one by one; all dims are kept"},
    {ShapeTerm::Sum, "sum", 0, 2,
     "adds up along the dims; a shard of them gives a pending sum"},
    {ShapeTerm::Fold, "fold", 0, 2,
     "a function of the dims, which are needed whole and go; the others are "
     "kept"},
    {ShapeTerm::Along, "along", 0, 1,
     "all dims are kept; these are needed whole"},
    {ShapeTerm::Swap, "swap", 2, 2, "two dims change places"},
    {ShapeTerm::Permute, "permute", 1, 1, "the dims in another order"},
    {ShapeTerm::Move, "move", 2, 2, "dims move to other places"},
    {ShapeTerm::Reverse, "reverse", 0, 0, "the dims in reverse order"},
    {ShapeTerm::Insert, "insert", 1, 1, "adds a dim; the others are kept"},
    {ShapeTerm::Remove, "remove", 0, 1,
     "removes dims of size one; the others are kept"},
    {ShapeTerm::Reshape, "reshape", 1, 1,
     "groups and splits dims; the outermost factor of a dim carries its axes"},
    {ShapeTerm::Flatten, "flatten", 0, 2,
     "groups dims; the outermost carries the axes"},
    {ShapeTerm::Unflatten, "unflatten", 2, 2,
     "splits a dim; the outermost part carries its axes"},
    {ShapeTerm::Like, "like", 0, 0, "has the dims of the last operand"},
    {ShapeTerm::Expand, "expand", 1, 1,
     "repeats dims of size one; the others are kept"},
    {ShapeTerm::Repeat, "repeat", 1, 1,
     "repeats the tensor; repeated dims are needed whole"},
    {ShapeTerm::Interleave, "interleave", 0, 1,
     "repeats each element of a dim; all dims are kept"},
    {ShapeTerm::Concat, "concat", 1, 1,
     "puts operands behind each other along a dim, which is needed whole"},
    {ShapeTerm::Part, "part", 0, 1,
     "changes the size of dims, which are needed whole; the others are kept"},
    {ShapeTerm::Pad, "pad", 1, 1,
     "changes the size of the last dims, which are needed whole; the others "
     "are kept"},
    {ShapeTerm::Pick, "pick", 1, 1,
     "one element of a dim, which is needed whole; the others are kept"},
    {ShapeTerm::Gather, "gather", 0, 1,
     "reads along a dim, which is needed whole; the others are shared with the "
     "index"},
    {ShapeTerm::Lookup, "lookup", 0, 1,
     "the dims of the index take the place of a dim, which is needed whole"},
    {ShapeTerm::Index, "index", 1, 1,
     "the dims of the indices, broadcast together, take the place of dims that "
     "are needed whole"},
    {ShapeTerm::Put, "put", 1, 1,
     "writes along dims, which are needed whole, as are the dims of the "
     "indices; the others are shared"},
    {ShapeTerm::Scatter, "scatter", 1, 1,
     "writes along a dim, which is needed whole; the others are shared"},
    {ShapeTerm::Batch, "batch", 1, 1,
     "the last dims are needed whole; those before are kept"},
    {ShapeTerm::Channels, "channels", 1, 1,
     "channels are kept; the others are needed whole in training"},
    {ShapeTerm::Convolve, "convolve", 0, 2,
     "samples and channels are kept, windows are needed whole; input channels "
     "are added up"},
    {ShapeTerm::Attend, "attend", 0, 2,
     "batch, heads, queries (unless causal) and the dims of values are kept; "
     "keys are needed whole"},
    {ShapeTerm::Loss, "loss", 1, 1,
     "elementwise; a sum over all leaves a pending sum, a mean needs all "
     "whole"},
    {ShapeTerm::Classify, "classify", 1, 1,
     "classes are needed whole; a sum over samples leaves a pending sum, a "
     "mean "
     "needs all whole"},
    {ShapeTerm::Create, "create", 1, 3,
     "a new tensor, which may be a part of any whole; with a start and a step, "
     "numbers that count from there"},
    {ShapeTerm::Places, "places", 1, 2,
     "a new tensor whose elements are those of their places, so that it is no "
     "part of another"},
    {ShapeTerm::Written, "written", 0, 0,
     "has the dims of the tensor that is written"},
    {ShapeTerm::Whole, "whole", 0, 0, "every dim is needed whole"},
    {ShapeTerm::Einsum, "einsum", 1, 1,
     "as the equation says; what is not in its result is added up"},
};

const TermEntry &entryOf(ShapeTerm T) {
  const TermEntry &E = Terms[static_cast<unsigned>(T)];
  assert(E.Term == T && "the table is in the order of the enumerators");
  return E;
}

/// No call comes near; printing stays cheap on any payload.
constexpr unsigned MaxAlternatives = 64, MaxNames = 64;

class ShapeRuleParser {
public:
  explicit ShapeRuleParser(llvm::StringRef Text) : Text(Text), In(Text) {}

  llvm::Expected<ShapeRule> parse() {
    llvm::SmallVector<ShapeRule, 2> All;
    unsigned Count = 0;
    do {
      if (++Count > MaxAlternatives)
        In.fail("more than " + llvm::Twine(MaxAlternatives) + " alternatives");
      alternative(All);
    } while (!In.failed() && In.accept("|"));
    if (!In.failed() && !In.atEnd())
      In.fail("expected 'of', '|' or the end, got " + In.found());
    if (In.failed())
      return In.takeError();
    ShapeRule Out = std::move(All.front());
    for (ShapeRule &R : llvm::drop_begin(All))
      Out.Otherwise.push_back(std::move(R));
    return Out;
  }

private:
  void alternative(llvm::SmallVectorImpl<ShapeRule> &All) {
    if (In.atEnd())
      return In.fail("expected factors such as \"m k, k n -> m n\" or a term "
                     "such as 'sum(dim, keepdim)', got the end");
    if (!atNotation()) {
      term(All.emplace_back());
      if (In.atName("of"))
        operands(All.back());
      return;
    }
    FactorNotation N = FactorNotationParser(In, /*AmongOthers=*/true).parse();
    if (N.Operands.size() == 1 && N.Operands.front().empty())
      N.Operands.clear();
    // Notations without operands of their own are one alternative.
    const bool Named = In.atName("of");
    if (Named || All.empty() || All.back().Notations.empty() ||
        !All.back().Of.empty())
      All.emplace_back();
    All.back().Notations.push_back(std::move(N));
    if (Named)
      operands(All.back());
  }

  /// Whether there is an arrow before the next alternative.
  bool atNotation() {
    int Depth = 0;
    for (std::size_t I = In.offset(); I < Text.size(); ++I) {
      if (Text.substr(I).starts_with("->"))
        return true;
      Depth += Text[I] == '(' ? 1 : Text[I] == ')' ? -1 : 0;
      if (Text[I] == '|' && Depth <= 0)
        return false;
    }
    return false;
  }

  void term(ShapeRule &Out) {
    const std::size_t At = In.offset();
    const llvm::StringRef Name =
        In.expectName("factors such as \"m k, k n -> m n\" or a term such as "
                      "'sum(dim, keepdim)'");
    const auto *Entry = llvm::find_if(
        Terms, [&](const TermEntry &E) { return E.Name == Name; });
    if (Name.empty())
      return;
    if (Entry == std::end(Terms)) {
      llvm::SmallVector<llvm::StringRef, std::size(Terms)> Known;
      for (const TermEntry &E : Terms)
        Known.push_back(E.Name);
      return In.failAt(At, unknownName("term", Name.take_front(40), Known));
    }
    Out.Term = Entry->Term;
    if (In.accept("(")) {
      do
        Out.Parameters.push_back(parameter());
      while (!In.failed() && In.accept(","));
      In.expect(")");
    }
    const std::size_t Given = Out.Parameters.size();
    if (Given < Entry->MinParameters || Given > Entry->MaxParameters)
      In.failAt(At,
                "'" + Name + "' takes " +
                    (Entry->MinParameters == Entry->MaxParameters
                         ? ""
                         : llvm::Twine(Entry->MinParameters) + " to ") +
                    llvm::Twine(Entry->MaxParameters) +
                    (Entry->MaxParameters == 1 ? " parameter" : " parameters") +
                    ", got " + llvm::Twine(Given));
  }

  /// `dim0|axis0`, `dim=-1` or `-1`.
  ShapeParameter parameter() {
    ShapeParameter Out;
    if ((Out.Default = number()))
      return Out;
    unsigned Count = 0;
    do {
      Out.Name += (Out.Name.empty() ? "" : "|") +
                  In.expectName("a parameter's name or a number").str();
      if (++Count > MaxNames)
        In.fail("more than " + llvm::Twine(MaxNames) + " names");
    } while (!In.failed() && In.accept("|"));
    if (In.accept("=") && !(Out.Default = number()))
      In.fail("expected a number, got " + In.found());
    return Out;
  }

  std::optional<std::int64_t> number() {
    constexpr std::int64_t Most = 1000; // dims and modes are small
    return In.number(-Most, Most);
  }

  void operands(ShapeRule &Out) {
    In.accept("of");
    do {
      const std::size_t At = In.offset();
      ShapeOperand O{In.expectName("an operand's name").str(), In.accept("?")};
      const auto Same = [&](const ShapeOperand &Other) {
        return Other.Name == O.Name;
      };
      if (llvm::any_of(Out.Of, Same))
        In.failAt(At, "operand " + PayloadScanner::quoted(O.Name) +
                          " is given twice");
      if (Out.Of.size() == MaxNames)
        In.fail("more than " + llvm::Twine(MaxNames) + " operands");
      Out.Of.push_back(std::move(O));
    } while (!In.failed() && In.accept(","));
    for (const FactorNotation &N : Out.Notations)
      if (!In.failed() && N.Operands.size() != Out.Of.size())
        In.fail("'" + printFactorNotation(N) + "' has " +
                llvm::Twine(N.Operands.size()) +
                (N.Operands.size() == 1 ? " operand" : " operands") +
                ", but 'of' names " + llvm::Twine(Out.Of.size()));
  }

  llvm::StringRef Text;
  PayloadScanner In;
};

std::string printTerm(const ShapeRule &R) {
  std::string Out = shapeTermName(R.Term).str();
  for (const ShapeParameter &P : R.Parameters) {
    Out += &P == R.Parameters.begin() ? "(" : ", ";
    Out += P.Name;
    if (P.Default)
      Out += (P.Name.empty() ? "" : "=") + std::to_string(*P.Default);
  }
  return R.Parameters.empty() ? Out : Out + ")";
}

std::string printAlternative(const ShapeRule &R) {
  std::string Out;
  for (const FactorNotation &N : R.Notations)
    Out += (Out.empty() ? "" : " | ") + printFactorNotation(N);
  if (R.Notations.empty())
    Out = printTerm(R);
  for (const ShapeOperand &O : R.Of)
    Out +=
        (&O == R.Of.begin() ? " of " : ", ") + O.Name + (O.Optional ? "?" : "");
  return Out;
}

} // namespace

llvm::StringRef shapeTermName(ShapeTerm T) { return entryOf(T).Name; }
unsigned numRequiredParameters(ShapeTerm T) { return entryOf(T).MinParameters; }

llvm::StringRef shapeTermMeaning(ShapeTerm T) { return entryOf(T).Meaning; }

llvm::Expected<ShapeRule> parseShapeRule(llvm::StringRef Text) {
  return ShapeRuleParser(Text).parse();
}

std::string printShapeRule(const ShapeRule &R) {
  std::string Out = printAlternative(R);
  for (const ShapeRule &Other : R.Otherwise)
    Out += " | " + printAlternative(Other);
  return Out;
}

std::optional<ShapeRule> shapeRuleOf(const OpSpec &S) {
  ShapeRule Out;
  if (S.Factors)
    Out.Notations.push_back(*S.Factors);
  else if (!S.Elementwise)
    return std::nullopt;
  return Out;
}

} // namespace spmd::rules
