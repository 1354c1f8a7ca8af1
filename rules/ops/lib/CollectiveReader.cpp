//===- CollectiveReader.cpp - Communication APIs from YAML ----------------===//

#include "CollectiveReader.h"
#include "EntryReader.h"
#include "OpNames.h"

#include "spmd/types/TypeSpec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace spmd::rules {
namespace {

namespace yaml = llvm::yaml;

constexpr llvm::StringLiteral ApiKeys[] = {"api",       "prefixes", "suffixes",
                                           "receiver",  "returns",  "constants",
                                           "datatypes", "options",  "calls"};
constexpr llvm::StringLiteral CallKeys[] = {
    "call",    "nonblocking", "persistent", "kind", "arguments", "receiver",
    "returns", "form",        "op",         "axis", "buffered"};

/// A piece of the document, in place: its address is its location.
using Text = llvm::StringRef;

/// The names of the values of an enumeration.
template <typename Enum>
llvm::SmallVector<Text, 40> namesOf(llvm::StringRef (*Name)(Enum),
                                    std::size_t Count) {
  llvm::SmallVector<Text, 40> Out;
  for (std::size_t I = 0; I != Count; ++I)
    Out.push_back(Name(static_cast<Enum>(I)));
  return Out;
}

/// What all calls of an API have in common.
struct Defaults {
  std::vector<Text> Prefixes = {""};
  std::vector<Text> Suffixes;
  CallRole Receiver = CallRole::None;
  CallRole Returns = CallRole::Status;
};

/// One entry as written.
struct Entry {
  llvm::SMLoc Start;
  std::vector<Text> Names, Nonblocking, Persistent;
  CollectiveCall Call;
  bool HasKind = false, HasForm = false;
};

class Reader : EntryReader {
public:
  explicit Reader(llvm::MemoryBufferRef Buffer) : EntryReader(Buffer) {}

  llvm::Expected<std::deque<CollectiveApi>> read() {
    if (llvm::Error E = readRoot([this](yaml::Node &Root) {
          items(Root, "'- api: …'", "'- api: …'",
                [this](yaml::MappingNode &M) { api(M); });
        }))
      return std::move(E);
    return std::move(Apis);
  }

private:
  //===--- APIs -------------------------------------------------------------//

  void api(yaml::MappingNode &Map) {
    Apis.emplace_back();
    CollectiveApi &Api = Apis.back();
    Api.File = Buffer.getBufferIdentifier().str();
    const llvm::SMLoc Start = Map.getSourceRange().Start;
    Api.Line = lineOf(Start);
    Defaults All;
    entries(Map, ApiKeys, [&](Text Key, yaml::Node &Value) {
      if (Key == "api")
        Api.Name = scalar(Value, Key).value_or("").str();
      else if (Key == "prefixes")
        All.Prefixes = list(Value, Key);
      else if (Key == "suffixes")
        All.Suffixes = list(Value, Key);
      else if (Key == "receiver")
        All.Receiver = role(Value, Key).value_or(CallRole::None);
      else if (Key == "returns")
        All.Returns = role(Value, Key).value_or(CallRole::Status);
      else if (Key == "constants")
        constants(Value, Api);
      else if (Key == "datatypes")
        pairs(Value, Key,
              [&](Text Name, Text Type) { Api.Datatypes[Name] = Type.str(); });
      else if (Key == "options")
        pairs(Value, Key, [&](Text What, Text Field) {
          if (What == "op")
            Api.OpField = Field.str();
          else if (What == "root")
            Api.RootField = Field.str();
          else
            error(What, unknownName("option", What, {"op", "root"}));
        });
      else
        items(Value, "'- call: …'", "'- call: …'",
              [&](yaml::MappingNode &M) { call(M, All, Api); });
    });
    if (Api.Name.empty())
      error(Start, "expected the key 'api' in this entry");
  }

  void constants(yaml::Node &Value, CollectiveApi &Api) {
    pairs(Value, "constants", [&](Text Name, Text Meaning) {
      if (const auto C =
              named<CallConstant>(Meaning, "meaning of a constant",
                                  callConstantName, NumCallConstants))
        Api.Constants[Name] = *C;
    });
  }

  //===--- Calls ------------------------------------------------------------//

  void call(yaml::MappingNode &Map, const Defaults &All, CollectiveApi &Api) {
    Entry E;
    E.Start = Map.getSourceRange().Start;
    E.Call.Receiver = All.Receiver;
    E.Call.Returns = All.Returns;
    const std::size_t Before = numErrors();
    entries(Map, CallKeys,
            [&](Text Key, yaml::Node &Value) { field(E, Key, Value); });
    if (E.Names.empty())
      error(E.Start, "expected the key 'call' in this entry");
    else if (!E.HasKind)
      error(E.Start, "expected the key 'kind' in the entry of '" +
                         E.Names.front() + "'");
    if (numErrors() != Before)
      return;
    if (std::string Missing = lacks(E.Call); !Missing.empty())
      return error(E.Start, "'" + E.Names.front() + "' is of kind '" +
                                callKindName(E.Call.Kind) + "', which needs " +
                                Missing);
    finish(E, All, Api);
  }

  void field(Entry &E, Text Key, yaml::Node &Value) {
    if (Key == "call")
      E.Names = list(Value, Key);
    else if (Key == "nonblocking")
      E.Nonblocking = list(Value, Key);
    else if (Key == "persistent")
      E.Persistent = list(Value, Key);
    else if (Key == "receiver")
      E.Call.Receiver = role(Value, Key).value_or(CallRole::None);
    else if (Key == "returns")
      E.Call.Returns = role(Value, Key).value_or(CallRole::Status);
    else if (Key == "arguments")
      arguments(Value, E.Call);
    else if (const std::optional<Text> One = scalar(Value, Key))
      value(E, Key, *One);
  }

  void value(Entry &E, Text Key, Text Value) {
    if (Key == "kind") {
      E.HasKind = true;
      if (const auto K = named<CallKind>(Value, "kind of call", callKindName,
                                         NumCallKinds))
        E.Call.Kind = *K;
    } else if (Key == "form") {
      E.HasForm = true;
      if (const auto F = named<CallForm>(Value, "form", callFormName, 4))
        E.Call.Form = *F;
    } else if (Key == "buffered") {
      if (Value != "true" && Value != "false")
        error(Value, "expected 'true' or 'false', not '" + Value.str() + "'");
      E.Call.IsBuffered = Value == "true";
    } else if (Key == "op") {
      E.Call.Op = named<CallConstant>(Value, "reduction", callConstantName,
                                      NumReductions);
    } else if (llvm::Expected<std::vector<std::string>> Axes =
                   parseAxes(Value)) {
      E.Call.Axes = std::move(*Axes);
    } else {
      llvm::handleAllErrors(Axes.takeError(), [&](const PayloadError &P) {
        error(Value.drop_front(P.Offset), P.Message);
      });
    }
  }

  void arguments(yaml::Node &Value, CollectiveCall &Call) {
    if (llvm::isa<yaml::NullNode>(Value))
      return;
    const std::optional<Text> All = scalar(Value, "arguments");
    if (!All || All->trim().empty())
      return;
    llvm::SmallVector<Text, 10> Items;
    All->split(Items, ',');
    for (Text Item : Items)
      Call.Arguments.push_back(
          named<CallRole>(Item.trim(), "role", callRoleName, NumCallRoles)
              .value_or(CallRole::None));
  }

  /// What a call of its kind cannot do without.
  static std::string lacks(const CollectiveCall &C) {
    const bool Comm = C.has(CallRole::Comm) || !C.Axes.empty();
    const bool In = C.has(CallRole::Buffer) || C.has(CallRole::Send) ||
                    C.has(CallRole::Parts);
    const bool Out = C.has(CallRole::Buffer) || C.has(CallRole::Recv);
    switch (C.Kind) {
    case CallKind::AllReduce:
    case CallKind::AllGather:
    case CallKind::ReduceScatter:
    case CallKind::AllToAll:
    case CallKind::Reduce:
    case CallKind::Gather:
    case CallKind::Scatter:
    case CallKind::Scan:
    case CallKind::Exscan:
    case CallKind::Broadcast:
      if (!In || !Out)
        return "'send' and 'recv', or 'buffer'";
      break;
    case CallKind::Barrier:
      break;
    case CallKind::Send:
    case CallKind::Recv:
      if (!In && !Out)
        return "'send', 'recv' or 'buffer'";
      break;
    case CallKind::Rank:
      if (!C.has(CallRole::Rank))
        return "'rank'";
      if (C.has(CallRole::Group)) // in which it is one
        return {};
      break;
    case CallKind::CommDup:
    case CallKind::CommSplit:
    case CallKind::CommCreate:
    case CallKind::CommInit:
      return C.has(CallRole::NewComm) ? "" : "'new_comm'";
    default:
      return {};
    }
    return Comm ? "" : "a communicator: 'comm', or the key 'axis'";
  }

  void finish(const Entry &E, const Defaults &All, CollectiveApi &Api) {
    CollectiveCall Call = E.Call;
    if (!E.HasForm && Call.has(CallRole::Stream))
      Call.Form = CallForm::OnStream;
    else if (!E.HasForm && completes(Call))
      Call.Form = CallForm::Nonblocking;
    define(E.Names, Call, All, Api);
    Call.Arguments.push_back(CallRole::Request);
    Call.Form = CallForm::Nonblocking;
    define(E.Nonblocking, Call, All, Api);
    // MPI takes an info before the request.
    Call.Arguments.back() = CallRole::None;
    Call.Arguments.push_back(CallRole::Request);
    Call.Form = CallForm::Persistent;
    define(E.Persistent, Call, All, Api);
  }

  /// Whether \p C leaves it to others to wait for it.
  static bool completes(const CollectiveCall &C) {
    return C.has(CallRole::Request) && C.Kind != CallKind::Wait &&
           C.Kind != CallKind::Test && C.Kind != CallKind::Start &&
           C.Kind != CallKind::RequestFree;
  }

  void define(llvm::ArrayRef<Text> Names, const CollectiveCall &Call,
              const Defaults &All, CollectiveApi &Api) {
    for (Text Name : Names) {
      if (Name.empty()) {
        error(Name, "expected the name of a function");
        continue;
      }
      // Written in full: without the prefix that is the API's.
      const bool Full = Name.consume_front("::");
      const std::vector<Text> None = {""};
      bool IsVariant = false;
      for (Text Prefix : Full ? None : All.Prefixes) {
        add(Name, (Prefix + Name).str(), Call, IsVariant, Api);
        IsVariant = true;
        for (Text Suffix : All.Suffixes)
          add(Name, (Prefix + Name + Suffix).str(), Call, IsVariant, Api);
      }
    }
  }

  void add(Text At, std::string Name, const CollectiveCall &Call,
           bool IsVariant, CollectiveApi &Api) {
    checkGlob(At, Name);
    if (!Defined.insert(Name).second)
      error(At, "'" + Name + "' is already defined in this document");
    Api.Calls.push_back(Call);
    Api.Calls.back().Name = std::move(Name);
    Api.Calls.back().IsVariant = IsVariant;
  }

  void checkGlob(Text At, llvm::StringRef Glob) {
    llvm::Expected<llvm::GlobPattern> P = llvm::GlobPattern::create(Glob);
    if (!P)
      error(At, "not a glob: " + llvm::toString(P.takeError()));
  }

  //===--- From YAML to text ------------------------------------------------//

  void pairs(yaml::Node &Value, Text Key,
             llvm::function_ref<void(Text, Text)> Each) {
    if (auto *Map = llvm::dyn_cast<yaml::MappingNode>(&Value))
      EntryReader::pairs(*Map, Key, Each);
    else
      error(Value, "expected a map for '" + Key + "'");
  }

  std::optional<CallRole> role(yaml::Node &Value, Text Key) {
    const std::optional<Text> Name = scalar(Value, Key);
    return Name ? named<CallRole>(*Name, "role", callRoleName, NumCallRoles)
                : std::nullopt;
  }

  template <typename Enum>
  std::optional<Enum> named(Text Name, Text What, Text (*NameOf)(Enum),
                            std::size_t Count) {
    const llvm::SmallVector<Text, 40> Known = namesOf(NameOf, Count);
    const auto *It = llvm::find(Known, Name);
    if (It != Known.end())
      return static_cast<Enum>(It - Known.begin());
    error(Name, unknownName(What, Name, Known));
    return std::nullopt;
  }

  /// Those of the constants that are reductions come first.
  static constexpr std::size_t NumReductions =
      static_cast<std::size_t>(CallConstant::NoOp) + 1;

  std::deque<CollectiveApi> Apis;
  llvm::StringSet<> Defined;
};

} // namespace

llvm::Expected<std::deque<CollectiveApi>>
readCollectiveApis(llvm::MemoryBufferRef Buffer) {
  return Reader(Buffer).read();
}

} // namespace spmd::rules
