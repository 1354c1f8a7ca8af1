//===- Exchange.h - What a session remembers --------------------*- C++ -*-===//

#ifndef SPMD_EDITOR_LIB_EXCHANGE_H
#define SPMD_EDITOR_LIB_EXCHANGE_H

#include "View.h"

#include "spmd/editor/MessageStream.h"

#include <map>

namespace json = llvm::json;

namespace spmd::editor {

class Exchange {
public:
  Exchange(Analyses &Known, std::string CheckPages)
      : Known(Known), Pages{std::move(CheckPages)} {}

  /// Each returns true where the message must not go on as it is; what goes
  /// instead is in Out.
  bool takeFromClient(json::Object &Message);
  bool takeFromServer(json::Object &Message);

  Outgoing Out;

private:
  struct Document {
    std::string Text;
    std::int64_t Version = 0;
    json::Array Published;
    std::string ConfigStamp; ///< of the .spmd-tidy files that apply
  };
  /// A request on its way to the server. Instead: the server is asked for
  /// something else, so that it answers when it has analysed the text.
  struct Pending {
    std::string Method;
    json::Object Params;
    bool Instead = false;
  };
  /// What the client can do.
  struct Client {
    bool Markdown = false, ShowDocument = false, Watches = false;
    bool RefreshesHints = false, RefreshesLenses = false;
    bool ResolvesEdits = true;
  };

  bool onRequest(json::Object &Message, llvm::StringRef Method,
                 json::Object *Params);
  void onNotification(llvm::StringRef Method, json::Object *Params);
  void onInitialize(json::Object &Params);
  bool complete(const json::Object &Message, const json::Object &Params);
  void execute(const json::Object &Message, const json::Object &Params);
  void explain(llvm::StringRef Check);
  json::Value amend(const Pending &Of, json::Value Reply);
  json::Value initialized(json::Value Reply);
  void onPublished(json::Object &Params);

  void relint(bool OnlyIfConfigured);
  void refresh();
  void watch();

  View view(llvm::StringRef Uri);
  void toClient(json::Object Message);
  void toServer(json::Object Message);
  void requestClient(llvm::StringRef Method, json::Object Params);
  void notifyClient(llvm::StringRef Method, json::Object Params);
  void answer(const json::Value &Id, json::Value Result);
  void refuse(const json::Value &Id, std::string Why);

  Analyses &Known;
  CheckPages Pages;
  Settings Wanted;
  Client Can;
  Encoding In = Encoding::UTF16;
  std::map<std::string, Document> Open; ///< by URI
  std::map<std::string, Pending> Asked; ///< by the text of the id
  unsigned OwnRequests = 0;
};

} // namespace spmd::editor

#endif // SPMD_EDITOR_LIB_EXCHANGE_H
