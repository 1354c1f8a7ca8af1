//===- CollectiveApi.cpp - Which call is which ----------------------------===//

#include "spmd/ops/CollectiveApi.h"
#include "CollectiveReader.h"
#include "spmd/ops/EmbeddedFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace spmd::rules {

static constexpr llvm::StringLiteral KindNames[] = {
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "scan",
    "exscan",
    "barrier",
    "neighbor_all_gather",
    "neighbor_all_to_all",
    "send",
    "recv",
    "send_recv",
    "probe",
    "rank",
    "size",
    "comm_dup",
    "comm_split",
    "comm_create",
    "comm_init",
    "comm_free",
    "wait",
    "test",
    "start",
    "request_free",
    "handle_free",
    "group_of",
    "group_pick",
    "group_drop",
    "group_union",
    "group_intersection",
    "group_difference",
    "win_create",
    "win_fence",
    "win_free",
    "put",
    "get",
    "accumulate",
    "win_lock",
    "win_unlock",
    "win_flush",
    "win_start",
    "win_complete",
    "group_begin",
    "group_end",
    "finalize",
    "abort",
    "local",
};
static_assert(std::size(KindNames) == NumCallKinds);

static constexpr llvm::StringLiteral RoleNames[] = {
    "_",         "send",       "recv",       "buffer",    "parts",
    "count",     "send_count", "recv_count", "type",      "send_type",
    "recv_type", "op",         "root",       "comm",      "new_comm",
    "new_type",  "new_op",     "group",      "new_group", "members",
    "ranges",    "window",     "new_window", "new_id",    "id",
    "base",      "colour",     "key",        "rank",      "size",
    "dest",      "source",     "tag",        "request",   "stream",
    "options",   "result",     "output",     "status",
};
static_assert(std::size(RoleNames) == NumCallRoles);

static constexpr llvm::StringLiteral ConstantNames[] = {
    "sum",        "average",    "product",      "min",         "max",
    "and",        "or",         "xor",          "bit_and",     "bit_or",
    "bit_xor",    "min_loc",    "max_loc",      "replace",     "no_op",
    "in_place",   "world",      "self",         "null_comm",   "null_peer",
    "any_source", "any_tag",    "null_request", "undefined",   "null_type",
    "null_op",    "null_group", "empty_group",  "null_window",
};
static_assert(std::size(ConstantNames) == NumCallConstants);

static constexpr llvm::StringLiteral FormNames[] = {"blocking", "nonblocking",
                                                    "persistent", "on_stream"};

llvm::StringRef callKindName(CallKind K) {
  return KindNames[static_cast<std::size_t>(K)];
}

llvm::StringRef callRoleName(CallRole R) {
  return RoleNames[static_cast<std::size_t>(R)];
}

llvm::StringRef callConstantName(CallConstant C) {
  return ConstantNames[static_cast<std::size_t>(C)];
}

llvm::StringRef callFormName(CallForm F) {
  return FormNames[static_cast<std::size_t>(F)];
}

std::optional<unsigned> CollectiveCall::argument(CallRole R) const {
  const auto *It = llvm::find(Arguments, R);
  if (It == Arguments.end())
    return std::nullopt;
  return static_cast<unsigned>(It - Arguments.begin());
}

bool CollectiveCall::has(CallRole R) const {
  return Receiver == R || Returns == R || llvm::is_contained(Arguments, R);
}

const CollectiveApis &CollectiveApis::builtin() {
  static const CollectiveApis Builtin = [] {
    CollectiveApis Apis;
    for (const EmbeddedFile &F : embeddedApiFiles())
      if (llvm::Error E = Apis.addYAML({F.Text, F.Name}))
        llvm::report_fatal_error(std::move(E));
    return Apis;
  }();
  return Builtin;
}

CollectiveApis::CollectiveApis(const CollectiveApis &Other) : Apis(Other.Apis) {
  for (CollectiveApi &Api : Apis) {
    for (CollectiveCall &Call : Api.Calls)
      Call.Api = &Api;
    index(Api);
  }
}

llvm::Error CollectiveApis::addYAML(llvm::MemoryBufferRef Buffer) {
  llvm::Expected<std::deque<CollectiveApi>> Read = readCollectiveApis(Buffer);
  if (!Read)
    return Read.takeError();
  for (CollectiveApi &New : *Read) {
    Apis.push_back(std::move(New));
    CollectiveApi &Api = Apis.back();
    for (CollectiveCall &Call : Api.Calls)
      Call.Api = &Api;
    index(Api);
  }
  return llvm::Error::success();
}

static bool isGlob(llvm::StringRef Name) {
  return Name.find_first_of("*?[{") != llvm::StringRef::npos;
}

static llvm::StringRef unqualified(llvm::StringRef Name) {
  const std::size_t At = Name.rfind("::");
  return At == llvm::StringRef::npos ? Name : Name.drop_front(At + 2);
}

void CollectiveApis::index(const CollectiveApi &Api) {
  // The reader has made sure that they are globs.
  for (const CollectiveCall &Call : Api.Calls)
    if (!isGlob(Call.Name))
      Exact[Call.Name] = &Call;
    else
      Patterns[unqualified(Call.Name)].push_back(
          {llvm::cantFail(llvm::GlobPattern::create(Call.Name)), &Call});
}

const CollectiveCall *CollectiveApis::find(llvm::StringRef Name) const {
  Name.consume_front("::");
  if (const auto It = Exact.find(Name); It != Exact.end())
    return It->second;
  const auto It = Patterns.find(unqualified(Name));
  if (It != Patterns.end())
    for (const Pattern &P : llvm::reverse(It->second))
      if (P.Glob.match(Name))
        return P.Call;
  return nullptr;
}

std::optional<CallConstant>
CollectiveApis::constant(llvm::StringRef Name) const {
  for (const CollectiveApi &Api : llvm::reverse(Apis))
    if (const auto It = Api.Constants.find(Name); It != Api.Constants.end())
      return It->second;
  return std::nullopt;
}

void listCalls(const CollectiveApis &Apis, llvm::raw_ostream &OS) {
  for (const CollectiveApi &Api : Apis.all()) {
    OS << "# calls of " << Api.Name << '\n';
    for (const CollectiveCall &Call : Api.Calls) {
      if (Call.IsVariant)
        continue;
      OS << callKindName(Call.Kind) << ": " << Call.Name << '(';
      llvm::ListSeparator Comma;
      for (CallRole R : Call.Arguments)
        OS << Comma << callRoleName(R);
      OS << ')';
      if (Call.Receiver != CallRole::None)
        OS << " of " << callRoleName(Call.Receiver);
      if (Call.Returns != CallRole::Status)
        OS << " gives " << callRoleName(Call.Returns);
      if (Call.Form != CallForm::Blocking)
        OS << ", " << callFormName(Call.Form);
      if (Call.IsBuffered)
        OS << ", buffered";
      if (Call.Op)
        OS << ", " << callConstantName(*Call.Op);
      if (!Call.Axes.empty())
        OS << ", over " << llvm::join(Call.Axes, ", ");
      OS << '\n';
    }
  }
}

} // namespace spmd::rules
