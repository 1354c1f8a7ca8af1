//===- SessionTest.cpp - Messages between an editor and a server ----------===//

#include "spmd/editor/Session.h"

#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace spmd::editor;
namespace json = llvm::json;

namespace {

constexpr llvm::StringLiteral Uri = "file:///w/a%20b.cpp";

class Sessions : public ::testing::Test {
protected:
  Sessions() : Between(Known, "/pages") {}

  static json::Object parse(const std::string &Body) {
    return *cantFail(json::parse(Body)).getAsObject();
  }
  Outgoing client(llvm::StringRef Body) {
    return Between.fromClient(Body.str());
  }
  Outgoing server(llvm::StringRef Body) {
    return Between.fromServer(Body.str());
  }
  void open(llvm::StringRef Text) {
    json::Object Document{
        {"uri", Uri}, {"languageId", "cpp"}, {"version", 1}, {"text", Text}};
    json::Object Message{
        {"jsonrpc", "2.0"},
        {"method", "textDocument/didOpen"},
        {"params", json::Object{{"textDocument", std::move(Document)}}}};
    std::string Body;
    llvm::raw_string_ostream(Body) << json::Value(std::move(Message));
    EXPECT_EQ(client(Body).ToServer, std::vector<std::string>{Body});
  }
  /// The labels that completion gives at a place of the first line.
  std::string complete(int Character) {
    const Outgoing Out =
        client(R"({"id": 7, "method": "textDocument/completion", "params": {
          "textDocument": {"uri": ")" +
               Uri.str() + R"("}, "position": {"line": 0, "character": )" +
               std::to_string(Character) + "}}}");
    if (Out.ToClient.empty())
      return Out.ToServer.empty() ? "lost" : "asked the server";
    std::string Labels;
    const json::Object Reply = parse(Out.ToClient[0]);
    for (const json::Value &Item :
         *Reply.getObject("result")->getArray("items"))
      Labels += Item.getAsObject()->getString("label")->str() + " ";
    return Labels;
  }
  void analyse(llvm::StringRef Text) {
    Analysis A;
    A.File = "/w/a b.cpp";
    A.Text = Text.str();
    A.Known.Axes = {"dp", "tp"};
    A.Known.Dims = {"B"};
    spmd::lint::TypedPlace P;
    P.Where = {A.File, 4, 1, 1, 5};
    P.Type = "tp: V";
    A.Known.Types = {P};
    Known.put(std::move(A));
  }

  Analyses Known;
  Session Between;
};

TEST_F(Sessions, WhatIsNobodysBusinessPassesAsItIs) {
  for (llvm::StringRef Body :
       {R"({"jsonrpc":"2.0",  "method":"exit"})", "no JSON", "[1]",
        R"({"id":3,"method":"textDocument/definition","params":{}})"}) {
    const Outgoing Out = client(Body);
    EXPECT_EQ(Out.ToServer, std::vector<std::string>{Body.str()});
    EXPECT_TRUE(Out.ToClient.empty());
  }
  const Outgoing Out = server(R"({"id":3,  "result":null})");
  EXPECT_EQ(Out.ToClient,
            std::vector<std::string>{R"({"id":3,  "result":null})"});
}

TEST_F(Sessions, OneAnswerIsNotTakenForAnother) {
  analyse("x = y;");
  open("x = y;");
  client(R"({"id": "1", "method": "textDocument/hover", "params": {
    "textDocument": {"uri": "file:///w/a%20b.cpp"},
    "position": {"line": 0, "character": 4}}})");
  EXPECT_EQ(server(R"({"id":1,"result":null})").ToClient[0],
            R"({"id":1,"result":null})");
  const Outgoing Out = server(R"({"id":"1","result":null})");
  EXPECT_NE(Out.ToClient[0].find("SPMD type: tp: V"), std::string::npos);
}

TEST_F(Sessions, AnErrorStaysOne) {
  client(R"({"id": 1, "method": "textDocument/codeLens", "params": {
    "textDocument": {"uri": "file:///w/a%20b.cpp"}}})");
  const llvm::StringRef Error = R"({"error":{"code":-32801},"id":1})";
  EXPECT_EQ(server(Error).ToClient, std::vector<std::string>{Error.str()});
}

TEST_F(Sessions, TypesOfAnOlderTextAreNotShown) {
  analyse("x = y;");
  open("x = z;");
  client(R"({"id": 1, "method": "textDocument/hover", "params": {
    "textDocument": {"uri": "file:///w/a%20b.cpp"},
    "position": {"line": 0, "character": 4}}})");
  const Outgoing Out = server(R"({"id":1,"result":null})");
  EXPECT_EQ(Out.ToClient[0].find("SPMD"), std::string::npos);
}

TEST_F(Sessions, AnswersToOurRequestsAreOurs) {
  EXPECT_TRUE(client(R"({"id":"spmd-1","result":null})").ToServer.empty());
  EXPECT_FALSE(client(R"({"id":"other","result":null})").ToServer.empty());
}

TEST_F(Sessions, WordsOfATypeDependOnWhatIsBefore) {
  const llvm::StringRef Text = R"([[spmd::type("tp: R, bf16[B@tp, S]{d")]] x)";
  analyse(Text);
  open(Text);
  EXPECT_EQ(complete(14), "dp tp ");                   // "
  EXPECT_EQ(complete(17), "R I V P S(0) S(1) S(-1) "); // tp:
  EXPECT_EQ(complete(18), "R I V P S(0) S(1) S(-1) "); // tp:_
  EXPECT_EQ(complete(20), "dp tp ");                   // tp: R,
  EXPECT_EQ(complete(26), "B ");                       // [
  EXPECT_EQ(complete(28), "dp tp ");                   // [B@
  EXPECT_EQ(complete(36), "dp tp ");                   // {d
  EXPECT_EQ(complete(41), "asked the server");         // outside
}

TEST_F(Sessions, OtherStringsAreNotOurs) {
  open(R"(puts("tp: "); // spmd::type(")");
  EXPECT_EQ(complete(9), "asked the server");
  EXPECT_EQ(complete(29), "asked the server");
}

TEST_F(Sessions, AnUnknownCheckIsRefused) {
  const Outgoing Out =
      client(R"({"id":2,"method":"workspace/executeCommand","params":{
        "command":"spmd.explain","arguments":["spmd-nothing"]}})");
  EXPECT_TRUE(Out.ToServer.empty());
  EXPECT_EQ(parse(Out.ToClient[0]).getObject("error")->getString("message"),
            "spmd.explain: there is no such check");
}

TEST_F(Sessions, ALinkLeadsToTheChecksPage) {
  const Outgoing Out = server(
      R"({"method":"textDocument/publishDiagnostics","params":{
        "uri":"file:///w/x.cpp","diagnostics":[
          {"code":"spmd-contract","codeDescription":{"href":"elsewhere"}},
          {"code":"modernize-use-nullptr","codeDescription":{"href":"there"}}]}})");
  EXPECT_NE(Out.ToClient[0].find("file:///pages/spmd-contract.md"),
            std::string::npos);
  EXPECT_NE(Out.ToClient[0].find("\"there\""), std::string::npos);
}

} // namespace
