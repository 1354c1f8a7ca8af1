//===- ConfigReader.cpp - YAML nodes with places --------------------------===//

#include "ConfigReader.h"

#include "spmd/lint/NearestName.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace spmd::lint;

ConfigReader::ConfigReader(MemoryBufferRef Document, StringRef Folder,
                           ConfigLayer &Into)
    : Into(Into), Document(Document), Folder(Folder),
      LastKey(Document.getBufferStart()) {
  Sources.setDiagHandler(
      [](const SMDiagnostic &D, void *Self) {
        raw_string_ostream OS(static_cast<ConfigReader *>(Self)->Errors);
        OS << D.getFilename() << ':' << D.getLineNo() << ':'
           << D.getColumnNo() + 1 << ": error: " << D.getMessage() << '\n';
      },
      this);
}

void ConfigReader::add(SMLoc Where, const Twine &Message) {
  // The stream owns the buffer's entry in Sources; it is there while nodes are.
  Sources.PrintMessage(Where, SourceMgr::DK_Error, Message);
}

const char *ConfigReader::startOf(const yaml::Node &N) const {
  // An empty value has no place of its own.
  const char *Start = N.getSourceRange().Start.getPointer();
  return Start ? Start : LastKey;
}

void ConfigReader::error(const yaml::Node &At, const Twine &Message) {
  add(SMLoc::getFromPointer(startOf(At)), Message);
}

void ConfigReader::error(const yaml::Node &At, std::size_t Offset,
                         const Twine &Message) {
  const char *Start = startOf(At);
  if (*Start == '"' || *Start == '\'')
    ++Start;
  add(SMLoc::getFromPointer(std::min(Start + Offset, Document.getBufferEnd())),
      Message);
}

Origin ConfigReader::originOf(const yaml::Node &At) const {
  Origin O;
  O.Source = Document.getBufferIdentifier().str();
  if (!O.Source.starts_with("--"))
    O.Line = 1 + std::count(Document.getBufferStart(), startOf(At), '\n');
  return O;
}

std::optional<std::string> ConfigReader::scalar(yaml::Node &N, StringRef What) {
  if (auto *S = dyn_cast<yaml::ScalarNode>(&N)) {
    SmallString<64> Storage;
    return S->getValue(Storage).str();
  }
  if (auto *S = dyn_cast<yaml::BlockScalarNode>(&N))
    return S->getValue().trim().str();
  error(N, "expected " + What);
  N.skip();
  return std::nullopt;
}

std::optional<bool> ConfigReader::boolean(yaml::Node &N, StringRef What) {
  std::optional<std::string> Text = scalar(N, What);
  if (!Text)
    return std::nullopt;
  std::optional<bool> Value = yaml::parseBool(*Text);
  if (!Value)
    error(N, What + " is true or false, not '" + *Text + "'");
  return Value;
}

void ConfigReader::scalars(
    yaml::Node &N, StringRef What,
    function_ref<void(const std::string &, yaml::Node &)> Each) {
  if (auto *List = dyn_cast<yaml::SequenceNode>(&N)) {
    for (yaml::Node &Item : *List)
      if (std::optional<std::string> Text = scalar(Item, What))
        Each(*Text, Item);
    return;
  }
  if (isa<yaml::NullNode>(N))
    return;
  if (std::optional<std::string> Text =
          scalar(N, (What + " or a list of them").str()))
    Each(*Text, N);
}

void ConfigReader::entries(
    yaml::Node &N, StringRef What,
    function_ref<void(const std::string &, yaml::Node &, yaml::Node &)> Each) {
  if (isa<yaml::NullNode>(N))
    return;
  auto *Map = dyn_cast<yaml::MappingNode>(&N);
  if (!Map) {
    error(N, "expected " + What);
    N.skip();
    return;
  }
  StringSet<> Seen;
  for (yaml::KeyValueNode &Entry : *Map) {
    yaml::Node *Key = Entry.getKey();
    if (!Key)
      continue; // a syntax error, reported by the parser
    std::optional<std::string> Name = scalar(*Key, "a key");
    yaml::Node *Value = Entry.getValue();
    if (const char *Start = Key->getSourceRange().Start.getPointer())
      LastKey = Start;
    if (!Name || !Value) {
      if (Value)
        Value->skip();
      continue;
    }
    if (!Seen.insert(*Name).second)
      error(*Key, "'" + *Name + "' is given twice");
    Each(*Name, *Key, *Value);
    // A parser that gave up early leaves tokens behind.
    Value->skip();
  }
}

void ConfigReader::nestedDocument(yaml::Node &N,
                                  std::vector<Configured<std::string>> &Into) {
  NestedStart = startOf(N);
  NestedInto = &Into;
  Into.push_back({{}, originOf(N)});
}

void ConfigReader::finishNested(const char *End) {
  if (!NestedInto)
    return;
  const char *Begin = Document.getBufferStart();
  const char *LineStart = NestedStart;
  while (LineStart != Begin && LineStart[-1] != '\n')
    --LineStart;
  const bool OwnLine =
      StringRef(LineStart, NestedStart - LineStart).find_first_not_of(" ") ==
      StringRef::npos;
  std::string &Text = NestedInto->back().Value;
  Text.assign(std::count(Begin, LineStart, '\n'), '\n');
  if (OwnLine)
    Text.append(LineStart, End);
  else // `Ops: {…}`: the key before it becomes blanks
    Text.append(NestedStart - LineStart, ' ').append(NestedStart, End);
  NestedInto = nullptr;
}

std::string ConfigReader::absolute(StringRef Path) const {
  SmallString<128> Out(Path);
  sys::path::make_absolute(Folder, Out);
  sys::path::remove_dots(Out, /*remove_dot_dot=*/true);
  return Out.str().str();
}

/// The first byte that is no text in UTF-8, or null.
static const char *findForeignByte(StringRef Text) {
  const auto *End = reinterpret_cast<const UTF8 *>(Text.end());
  for (const auto *At = reinterpret_cast<const UTF8 *>(Text.begin()); At != End;
       At += getNumBytesForUTF8(*At))
    if (*At == 0 || !isLegalUTF8Sequence(At, End))
      return reinterpret_cast<const char *>(At);
  return nullptr;
}

std::string ConfigReader::read(ArrayRef<ConfigKey> Keys) {
  yaml::Stream Stream(Document, Sources, /*ShowColors=*/false);
  // The parser takes such a byte for the end.
  if (const char *Foreign = findForeignByte(Document.getBuffer())) {
    add(SMLoc::getFromPointer(Foreign), "not text in UTF-8");
    return std::move(Errors);
  }
  std::vector<StringRef> Names;
  for (const ConfigKey &K : Keys)
    Names.push_back(K.Name);
  for (yaml::Document &Doc : Stream) {
    yaml::Node *Root = Doc.getRoot();
    if (!Root)
      break;
    entries(*Root, "a map from keys to values",
            [&](const std::string &Name, yaml::Node &Key, yaml::Node &Value) {
              finishNested(Key.getSourceRange().Start.getPointer());
              const ConfigKey *Known = llvm::find_if(
                  Keys, [&](const ConfigKey &K) { return K.Name == Name; });
              if (Known == Keys.end())
                error(Key, unknownName("key", Name, Names));
              else
                Known->Parse(*this, Value);
            });
    finishNested(Document.getBufferEnd());
  }
  if (Stream.failed() && Errors.empty())
    Errors =
        (Document.getBufferIdentifier() + ": error: not valid YAML\n").str();
  return std::move(Errors);
}
