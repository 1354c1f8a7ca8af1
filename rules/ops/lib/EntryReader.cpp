//===- EntryReader.cpp - Lists of entries from YAML -----------------------===//

#include "EntryReader.h"
#include "OpNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace spmd::rules {

namespace yaml = llvm::yaml;

/// The scalar's characters in the buffer, without quotes.
static llvm::StringRef raw(const yaml::ScalarNode &Scalar) {
  llvm::StringRef S = Scalar.getRawValue().trim();
  if (S.size() >= 2 && (S[0] == '"' || S[0] == '\'') && S.back() == S[0])
    S = S.drop_front().drop_back();
  return S;
}

llvm::Error EntryReader::readRoot(llvm::function_ref<void(yaml::Node &)> Each) {
  SM.setDiagHandler(
      [](const llvm::SMDiagnostic &D, void *Self) {
        static_cast<EntryReader *>(Self)->error(D.getLoc(), D.getMessage());
      },
      this);
  yaml::Stream Stream(Buffer, SM);
  yaml::document_iterator Document = Stream.begin();
  if (Document != Stream.end())
    if (yaml::Node *Root = Document->getRoot())
      Each(*Root);
  if (Errors.empty())
    return llvm::Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 llvm::join(Errors, "\n"));
}

void EntryReader::items(yaml::Node &Node, const llvm::Twine &List,
                        const llvm::Twine &Item,
                        llvm::function_ref<void(yaml::MappingNode &)> Each) {
  if (llvm::isa<yaml::NullNode>(Node))
    return;
  auto *All = llvm::dyn_cast<yaml::SequenceNode>(&Node);
  if (!All)
    return error(Node, "expected a list of entries " + List);
  for (yaml::Node &One : *All)
    if (auto *Map = llvm::dyn_cast<yaml::MappingNode>(&One)) {
      Each(*Map);
    } else {
      error(One, "expected an entry " + Item);
      One.skip();
    }
}

void EntryReader::entries(yaml::MappingNode &Map,
                          llvm::ArrayRef<llvm::StringLiteral> Keys,
                          llvm::function_ref<void(Text, yaml::Node &)> Each) {
  llvm::SmallVector<Text, 12> Seen;
  for (yaml::KeyValueNode &KV : Map) {
    auto *Key = llvm::dyn_cast_or_null<yaml::ScalarNode>(KV.getKey());
    if (!Key) {
      error(KV, "expected a key");
      KV.skip();
      continue;
    }
    const Text Name = raw(*Key);
    yaml::Node *Value = KV.getValue();
    if (!Value)
      continue;
    if (!llvm::is_contained(Keys, Name)) {
      const llvm::SmallVector<Text, 12> Known(Keys.begin(), Keys.end());
      error(*Key, unknownName("key", Name, Known));
      Value->skip();
      continue;
    }
    if (llvm::is_contained(Seen, Name))
      error(*Key, "the key '" + Name + "' occurs twice in this entry");
    Seen.push_back(Name);
    Each(Name, *Value);
  }
}

void EntryReader::pairs(yaml::MappingNode &Map, Text Key,
                        llvm::function_ref<void(Text, Text)> Each) {
  for (yaml::KeyValueNode &KV : Map) {
    yaml::Node *Left = KV.getKey();
    const std::optional<Text> Of = Left ? scalar(*Left, Key) : std::nullopt;
    yaml::Node *Right = KV.getValue();
    const std::optional<Text> To = Right ? scalar(*Right, Key) : std::nullopt;
    if (Of && To)
      Each(*Of, *To);
  }
}

std::optional<llvm::StringRef> EntryReader::scalar(yaml::Node &Value,
                                                   Text Key) {
  if (auto *Scalar = llvm::dyn_cast<yaml::ScalarNode>(&Value))
    return raw(*Scalar);
  error(Value, "expected one value for '" + Key + "'");
  Value.skip();
  return std::nullopt;
}

std::vector<llvm::StringRef> EntryReader::list(yaml::Node &Value, Text Key) {
  std::vector<Text> Out;
  auto *List = llvm::dyn_cast<yaml::SequenceNode>(&Value);
  if (!List) {
    if (const std::optional<Text> One = scalar(Value, Key))
      Out.push_back(*One);
    return Out;
  }
  for (yaml::Node &Item : *List)
    if (const std::optional<Text> One = scalar(Item, Key))
      Out.push_back(*One);
  return Out;
}

void EntryReader::error(llvm::SMLoc At, const llvm::Twine &Message) {
  std::string Where = Buffer.getBufferIdentifier().str();
  if (At.isValid()) {
    const auto [Line, Column] = SM.getLineAndColumn(At);
    Where += ":" + std::to_string(Line) + ":" + std::to_string(Column);
  }
  Errors.push_back(Where + ": error: " + Message.str());
}

} // namespace spmd::rules
