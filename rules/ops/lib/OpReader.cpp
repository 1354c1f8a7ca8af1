//===- OpReader.cpp - Op rules from YAML ----------------------------------===//
//
// Length: one reader of one format, a method a key.
//

#include "OpReader.h"
#include "EntryReader.h"
#include "FactorNotationParser.h"
#include "OpNames.h"

#include "spmd/ops/DimsOnly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

#include <optional>

namespace spmd::rules {
namespace {

namespace yaml = llvm::yaml;

constexpr llvm::StringLiteral Keys[] = {
    "op",     "aliases", "operands", "rule",     "factors", "kernel",
    "reason", "names",   "writes",   "replaces", "views",   "roles"};

/// A piece of the document, in place: its address is its location.
using Text = llvm::StringRef;

/// What is said of which op: a name of the only one of the entry, or a kernel
/// of all of them, where no op is named.
struct Naming {
  Text Name;
  Text Op;
};

/// One entry as written.
struct Entry {
  llvm::SMLoc Start;
  std::vector<Text> Ops;
  std::vector<Naming> Aliases, Names;
  std::vector<Naming> Kernels, Factors, Roles; ///< per op, or for all
  std::optional<Text> Operands, Rule, Writes, Replaces, Views;
  std::string Reason;
};

bool isIdentifier(Text S) {
  return !S.empty() && !llvm::isDigit(S[0]) &&
         llvm::all_of(S, [](char C) { return llvm::isAlnum(C) || C == '_'; });
}

bool isQualifiedName(Text S) {
  S.consume_front("::");
  llvm::SmallVector<Text, 4> Parts;
  S.split(Parts, "::");
  return llvm::all_of(Parts, isIdentifier);
}

class Reader : EntryReader {
public:
  explicit Reader(llvm::MemoryBufferRef Buffer) : EntryReader(Buffer) {}

  llvm::Expected<std::vector<OpRule>> read() {
    if (llvm::Error E = readRoot([this](yaml::Node &Root) {
          items(Root, "'- op: …'", "with the key 'op'",
                [this](yaml::MappingNode &Map) { entry(Map); });
        }))
      return std::move(E);
    return std::move(Rules);
  }

private:
  //===--- From YAML to text ----------------------------------------------===//

  void entry(yaml::MappingNode &Map) {
    Entry E;
    E.Start = Map.getSourceRange().Start;
    const std::size_t Before = numErrors();
    entries(Map, Keys,
            [&](Text Key, yaml::Node &Value) { field(E, Key, Value); });
    if (numErrors() == Before)
      finish(E);
  }

  void field(Entry &E, Text Key, yaml::Node &Value) {
    if (Key == "op")
      E.Ops = list(Value, Key);
    else if (Key == "aliases")
      E.Aliases = namings(Value, Key);
    else if (Key == "names")
      E.Names = namings(Value, Key);
    else if (Key == "operands")
      // `operands:` with nothing after it says so on purpose.
      E.Operands =
          llvm::isa<yaml::NullNode>(Value) ? Text() : scalar(Value, Key);
    else if (Key == "rule")
      E.Rule = scalar(Value, Key);
    else if (Key == "kernel")
      E.Kernels = perOp(Value, Key);
    else if (Key == "factors")
      E.Factors = perOp(Value, Key);
    else if (Key == "roles")
      E.Roles = severalPerOp(Value, Key);
    else if (Key == "writes")
      E.Writes = scalar(Value, Key);
    else if (Key == "replaces")
      E.Replaces = scalar(Value, Key);
    else if (Key == "views")
      E.Views = scalar(Value, Key);
    else if (auto *Block = llvm::dyn_cast<yaml::BlockScalarNode>(&Value))
      E.Reason = Block->getValue().rtrim().str();
    else if (auto *Scalar = llvm::dyn_cast<yaml::ScalarNode>(&Value)) {
      llvm::SmallString<128> Storage;
      E.Reason = Scalar->getValue(Storage).str();
    } else
      scalar(Value, Key);
  }

  std::vector<Naming> namings(yaml::Node &Value, Text Key) {
    std::vector<Naming> Out;
    if (auto *Map = llvm::dyn_cast<yaml::MappingNode>(&Value))
      pairs(*Map, Key, [&](Text Name, Text Op) { Out.push_back({Name, Op}); });
    else
      for (Text Name : list(Value, Key))
        Out.push_back({Name, {}});
    return Out;
  }

  /// One term for all ops of the entry, or `op: term` for each.
  std::vector<Naming> perOp(yaml::Node &Value, Text Key) {
    if (!llvm::isa<yaml::MappingNode>(Value)) {
      const std::optional<Text> One = scalar(Value, Key);
      return One ? std::vector<Naming>{{*One, {}}} : std::vector<Naming>();
    }
    std::vector<Naming> Out = namings(Value, Key);
    for (Naming &N : Out)
      std::swap(N.Name, N.Op);
    return Out;
  }

  /// A list for all ops of the entry, or `op: list` for each.
  std::vector<Naming> severalPerOp(yaml::Node &Value, Text Key) {
    auto *Map = llvm::dyn_cast<yaml::MappingNode>(&Value);
    if (!Map)
      return namings(Value, Key);
    std::vector<Naming> Out;
    for (yaml::KeyValueNode &KV : *Map) {
      yaml::Node *Op = KV.getKey();
      const std::optional<Text> Of = Op ? scalar(*Op, Key) : std::nullopt;
      if (yaml::Node *Each = KV.getValue(); Of && Each)
        for (Text One : list(*Each, Key))
          Out.push_back({One, *Of});
    }
    return Out;
  }

  //===--- From text to rules ---------------------------------------------===//

  void finish(const Entry &E) {
    if (E.Ops.empty())
      return error(E.Start, "expected the key 'op' in this entry");
    if (!E.Rule)
      return error(E.Start, "expected the key 'rule' in the entry of '" +
                                E.Ops.front() + "'");
    const std::size_t Before = numErrors();
    OpRule Rule;
    if (E.Operands)
      Rule.Formals = operands(*E.Operands);
    if (E.Writes && E.Replaces)
      error(*E.Replaces, "the entry has 'writes' already");
    if (const auto &Target = E.Replaces ? E.Replaces : E.Writes) {
      if (!isIdentifier(*Target) && !isIndex(*Target))
        error(*Target, "expected a parameter's name or its index");
      Rule.Writes = Target->str();
      Rule.Replaces = E.Replaces.has_value();
    }
    if (E.Views) {
      Text Of = *E.Views;
      Rule.HowMuch = consumeViewKind(Of);
      checkOperand(Of, Rule.Formals);
      Rule.Views = Of.str();
    }
    for (Text Op : E.Ops)
      if (!isQualifiedName(Op))
        error(Op, "expected the name of an op, found '" + Op + "'");
    checkNamings(E, E.Aliases);
    checkNamings(E, E.Names);
    for (const Naming &K :
         llvm::concat<const Naming>(E.Kernels, E.Factors, E.Roles))
      if (!K.Op.empty() && !llvm::is_contained(E.Ops, K.Op))
        error(K.Op, unknownName("op of this entry", K.Op, E.Ops));
    llvm::SmallVector<std::optional<ShapeRule>, 4> Shapes;
    for (const Naming &F : E.Factors)
      Shapes.push_back(shape(F.Name, Rule.Formals));
    if (numErrors() != Before || !term(*E.Rule, Rule, E, Shapes))
      return;
    Rule.TermText = printRuleTerm(Rule.Term, Rule.Formals);
    Rule.Reason = E.Reason;
    Rule.File = Buffer.getBufferIdentifier().str();
    Rule.Family = llvm::sys::path::stem(Buffer.getBufferIdentifier()).str();
    Rule.Line = lineOf(E.Start);
    for (Text Op : E.Ops) {
      Rule.Name = Op.str();
      Rule.Aliases = namesOf(Op, E.Aliases);
      Rule.FullNames = namesOf(Op, E.Names);
      const std::vector<std::string> Kernel = namesOf(Op, E.Kernels);
      Rule.Kernel = Kernel.empty() ? "" : Kernel.front();
      Rule.Shape.reset();
      for (const auto &[F, Shape] : llvm::zip_equal(E.Factors, Shapes))
        if (F.Op.empty() || F.Op == Op)
          Rule.Shape = Shape;
      readRoles(Op, E, Rule);
      define(Op);
      for (const Naming &N : E.Aliases)
        if (N.Op.empty() || N.Op == Op)
          define(N.Name);
      Rules.push_back(Rule);
    }
  }

  void readRoles(Text Op, const Entry &E, OpRule &Rule) {
    Rule.Roles = {};
    for (const Naming &N : E.Roles) {
      if (!N.Op.empty() && N.Op != Op)
        continue;
      llvm::Expected<OpRole> Role = parseOpRole(N.Name);
      if (!Role) {
        error(N.Name, llvm::toString(Role.takeError()));
        continue;
      }
      Rule.Roles.insert(*Role);
      if (const std::string Wrong = roleMisfit(Rule); !Wrong.empty()) {
        error(N.Name, Wrong);
        return;
      }
    }
  }

  void checkOperand(Text Name, llvm::ArrayRef<RuleFormal> Formals) {
    llvm::SmallVector<Text, 8> Known;
    for (const RuleFormal &F : Formals)
      Known.push_back(F.Name);
    if (!llvm::is_contained(Known, Name))
      error(Name, unknownName("operand", Name, Known));
  }

  /// Reads `self, bias?, tensors*, A=7, C[beta]`.
  std::vector<RuleFormal> operands(Text List) {
    std::vector<RuleFormal> Out;
    if (List.trim().empty())
      return Out;
    llvm::SmallVector<Text, 8> Items;
    List.split(Items, ',');
    llvm::SmallVector<Text, 2> Factors;
    for (Text Item : Items) {
      auto [Name, Param] = Item.split('=');
      Name = Name.trim();
      const Text Here = Name.empty() ? Item : Name;
      RuleFormal F;
      F.Optional = Name.consume_back("?");
      F.Variadic = Name.consume_back("*");
      if (Name.ends_with("]")) {
        Text Factor;
        std::tie(Name, Factor) = Name.drop_back().split('[');
        F.ZeroedBy = Factor.str();
        Factors.push_back(Factor);
      }
      F.Name = Name.str();
      F.Param = Param.trim().str();
      const auto Same = [&](const RuleFormal &O) { return O.Name == F.Name; };
      if (!isIdentifier(Name))
        error(Here, "expected an operand's name");
      else if (llvm::any_of(Out, Same))
        error(Here, "the operand '" + Name + "' occurs twice");
      else if (Item.contains('=') && !isParameter(Param.trim()))
        error(Here, "expected a parameter's name or index after '='");
      Out.push_back(std::move(F));
    }
    for (Text Factor : Factors)
      checkOperand(Factor, Out);
    return Out;
  }

  bool term(Text Source, OpRule &Rule, const Entry &E,
            llvm::ArrayRef<std::optional<ShapeRule>> Shapes) {
    llvm::Expected<RuleTerm> Term = parseRuleTerm(Source, Rule.Formals);
    if (!Term) {
      llvm::handleAllErrors(Term.takeError(), [&](const RuleTermError &E) {
        error(Source.drop_front(E.Column - 1), E.Message);
      });
      return false;
    }
    Rule.Term = std::move(*Term);
    for (const auto &[I, F] : llvm::enumerate(Rule.Formals))
      if (!readsValue(Rule.Term, static_cast<unsigned>(I)) &&
          !givesDims(F.Name, E, Shapes) && !isGenerator(I, Rule, E)) {
        error(Source, "the rule does not use the operand '" + F.Name + "'");
        return false;
      }
    return true;
  }

  std::optional<ShapeRule> shape(Text Source,
                                 llvm::ArrayRef<RuleFormal> Formals) {
    llvm::Expected<ShapeRule> Out = parseShapeRule(Source);
    if (Out) {
      const std::string Wrong = firstMisfit(*Out, Formals);
      if (Wrong.empty())
        return std::move(*Out);
      error(Source, Wrong);
      return std::nullopt;
    }
    llvm::handleAllErrors(Out.takeError(), [&](const PayloadError &E) {
      error(Source.drop_front(E.Offset), E.Message);
    });
    return std::nullopt;
  }

  /// Operands that the entry lacks; empty when there are none.
  static std::string firstMisfit(const ShapeRule &Rule,
                                 llvm::ArrayRef<RuleFormal> Formals) {
    llvm::SmallVector<Text, 8> Known;
    for (const RuleFormal &F : Formals)
      Known.push_back(F.Name);
    for (const ShapeOperand &O : Rule.Of)
      if (!llvm::is_contained(Known, O.Name))
        return unknownName("operand", O.Name, Known);
    for (const FactorNotation &N : Rule.Notations)
      if (N.Operands.size() > Formals.size())
        return "'" + printFactorNotation(N) + "' has " +
               std::to_string(N.Operands.size()) +
               " operands, but the entry has " + std::to_string(Formals.size());
    for (const ShapeRule &Other : Rule.Otherwise)
      if (std::string Wrong = firstMisfit(Other, Formals); !Wrong.empty())
        return Wrong;
    return {};
  }

  /// Whether operand \p I is what the entry's random numbers are drawn from.
  static bool isGenerator(std::size_t I, const OpRule &Rule, const Entry &E) {
    return I + 1 == Rule.Formals.size() &&
           llvm::any_of(E.Roles, [](const Naming &N) {
             return N.Name == opRoleName(OpRole::Draws);
           });
  }

  /// Whether the rules for dims of all ops speak of \p Operand.
  static bool givesDims(Text Operand, const Entry &E,
                        llvm::ArrayRef<std::optional<ShapeRule>> Shapes) {
    const auto Speaks = [&](const ShapeRule &S) {
      return S.Of.empty() || llvm::any_of(S.Of, [&](const ShapeOperand &O) {
               return O.Name == Operand;
             });
    };
    return llvm::all_of(E.Ops, [&](Text Op) {
      for (const auto &[F, Shape] : llvm::zip_equal(E.Factors, Shapes))
        if ((F.Op.empty() || F.Op == Op) && Shape && Speaks(*Shape) &&
            llvm::all_of(Shape->Otherwise, Speaks))
          return true;
      return false;
    });
  }

  void checkNamings(const Entry &E, llvm::ArrayRef<Naming> Namings) {
    for (const Naming &N : Namings) {
      if (!isQualifiedName(N.Name))
        error(N.Name, "expected a name, found '" + N.Name + "'");
      if (N.Op.empty() && E.Ops.size() > 1)
        error(N.Name, "this entry has several ops; expected '{" + N.Name +
                          ": " + E.Ops.front() + "}'");
      else if (!N.Op.empty() && !llvm::is_contained(E.Ops, N.Op))
        error(N.Op, unknownName("op of this entry", N.Op, E.Ops));
    }
  }

  static std::vector<std::string> namesOf(Text Op,
                                          llvm::ArrayRef<Naming> Namings) {
    std::vector<std::string> Out;
    for (const Naming &N : Namings)
      if (N.Op.empty() || N.Op == Op)
        Out.push_back(N.Name.str());
    return Out;
  }

  /// One document says once what a name means.
  void define(Text Name) {
    const unsigned Line = lineOf(llvm::SMLoc::getFromPointer(Name.data()));
    const auto [It, New] = Defined.try_emplace(Name, Line);
    if (!New)
      error(Name, "'" + Name + "' is already defined in line " +
                      llvm::Twine(It->second));
  }

  static bool isIndex(Text S) {
    return !S.empty() && llvm::all_of(S, llvm::isDigit);
  }

  static bool isParameter(Text S) {
    llvm::SmallVector<Text, 4> Parts;
    S.split(Parts, '|');
    return llvm::all_of(
        Parts, [](Text Part) { return isIndex(Part) || isIdentifier(Part); });
  }

  std::vector<OpRule> Rules;
  llvm::StringMap<unsigned> Defined;
};

} // namespace

llvm::Expected<std::vector<OpRule>> readOpRules(llvm::MemoryBufferRef Buffer) {
  return Reader(Buffer).read();
}

} // namespace spmd::rules
