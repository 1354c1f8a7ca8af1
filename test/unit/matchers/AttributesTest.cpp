//===- AttributesTest.cpp - Matchers of attributes ------------------------===//

#include "Matches.h"

using namespace clang;
using namespace clang::ast_matchers;
using namespace spmd::lint;
using namespace spmd::lint::matchers;

static auto named(llvm::StringRef Name) { return hasName(Name.str()); }

TEST(SpmdType, OnEachKindOfDeclaration) {
  EXPECT_TRUE(matches(R"(void f([[spmd::type("tp: P")]] float *x);)",
                      parmVarDecl(spmdType())));
  EXPECT_TRUE(matches(R"([[spmd::type("tp: P")]] float x;)",
                      varDecl(named("x"), spmdType())));
  EXPECT_TRUE(matches(R"(struct S { [[spmd::type("tp: P")]] float x; };)",
                      fieldDecl(spmdType())));
  EXPECT_TRUE(matches(R"([[spmd::type("tp: P")]] float f();)",
                      functionDecl(spmdType())));
  EXPECT_TRUE(notMatches("float x; float f(float y);", decl(spmdType())));
}

TEST(SpmdType, OfAnAlias) {
  constexpr llvm::StringLiteral Code = R"(
using Sum [[spmd::type("tp: P")]] = float;
Sum a;
float b;
)";
  EXPECT_TRUE(matches(Code, typedefNameDecl(spmdType())));
  EXPECT_TRUE(matches(Code, varDecl(named("a"), spmdType("tp: P"))));
  EXPECT_TRUE(notMatches(Code, varDecl(named("b"), spmdType())));
}

TEST(SpmdType, OfAnotherRedeclarationAndOfWhatIsOverridden) {
  constexpr llvm::StringLiteral Code = R"(
void f([[spmd::type("tp: P")]] float *x);
void f(float *again) {}
struct Base { [[spmd::type("tp: R")]] virtual float get(); };
struct Derived : Base { float get() override; };
)";
  EXPECT_TRUE(matches(Code, parmVarDecl(named("again"), spmdType())));
  EXPECT_TRUE(matches(
      Code, cxxMethodDecl(ofClass(named("Derived")), spmdType("tp: R"))));
}

TEST(SpmdType, SaysWhatIsAskedOnEachAxis) {
  constexpr llvm::StringLiteral Code =
      R"([[spmd::type("tp: shard(0), dp: P")]] float x;)";
  EXPECT_TRUE(matches(Code, varDecl(spmdType("dp: partial"))));
  EXPECT_TRUE(matches(Code, varDecl(spmdType("dp: P, tp: S(0)"))));
  EXPECT_TRUE(notMatches(Code, varDecl(spmdType("tp: S(1)"))));
  EXPECT_TRUE(notMatches(Code, varDecl(spmdType("ep: R"))));
  EXPECT_TRUE(notMatches(Code, varDecl(spmdType("not a type"))));
}

TEST(SpmdType, SpelledForStockCompilers) {
  EXPECT_TRUE(matches(R"([[clang::annotate("spmd::type", "tp: P")]] float x;)",
                      varDecl(spmdType("tp: P"))));
  EXPECT_TRUE(notMatches(R"([[clang::annotate("type", "tp: P")]] float x;)",
                         varDecl(spmdType())));
}

TEST(SpmdAxis, NamesAxes) {
  constexpr llvm::StringLiteral Code = R"cpp(
#include <mpi.h>
[[spmd::axis("tp")]] MPI_Comm one;
[[spmd::axis("(dp,tp)")]] MPI_Comm both;
MPI_Comm none;
)cpp";
  EXPECT_EQ(countMatches(Code, varDecl(spmdAxis())), 2u);
  EXPECT_EQ(countMatches(Code, varDecl(spmdAxis("tp"))), 2u);
  EXPECT_TRUE(notMatches(Code, varDecl(named("one"), spmdAxis("dp"))));
  EXPECT_TRUE(notMatches(Code, varDecl(named("none"), spmdAxis())));
}

TEST(SpmdSize, NamesAxes) {
  constexpr llvm::StringLiteral Code = R"([[spmd::size("dp")]] int ranks;)";
  EXPECT_TRUE(matches(Code, varDecl(spmdSize())));
  EXPECT_TRUE(matches(Code, varDecl(spmdSize("dp"))));
  EXPECT_TRUE(notMatches(Code, varDecl(spmdSize("tp"))));
  EXPECT_TRUE(notMatches(Code, varDecl(spmdAxis("dp"))));
}

TEST(SpmdFunctions, EachAttributeIsItsOwn) {
  constexpr llvm::StringLiteral Code = R"(
[[spmd::op("elementwise")]] void op(float *x);
[[spmd::global]] void global();
[[spmd::local]] void local();
[[spmd::local_map]] void local_map();
[[spmd::no_typecheck]] void trusted();
[[spmd::allow("spmd-contract", "checked by hand")]] void allowed();
struct [[spmd::mesh("tp=2")]] Meshed {};
)";
  EXPECT_EQ(countMatches(Code, functionDecl(named("op"), spmdOp())), 1u);
  EXPECT_EQ(countMatches(Code, functionDecl(spmdOp())), 1u);
  EXPECT_EQ(countMatches(Code, functionDecl(named("global"), spmdGlobal())),
            1u);
  EXPECT_EQ(countMatches(Code, functionDecl(spmdGlobal())), 1u);
  EXPECT_EQ(countMatches(Code, functionDecl(named("local"), spmdLocal())), 1u);
  EXPECT_EQ(countMatches(Code, functionDecl(spmdLocal())), 1u);
  EXPECT_EQ(
      countMatches(Code, functionDecl(named("local_map"), spmdLocalMap())), 1u);
  EXPECT_EQ(countMatches(Code, functionDecl(spmdLocalMap())), 1u);
  EXPECT_EQ(
      countMatches(Code, functionDecl(named("trusted"), spmdNoTypecheck())),
      1u);
  EXPECT_EQ(countMatches(Code, functionDecl(spmdNoTypecheck())), 1u);
  EXPECT_EQ(countMatches(Code, functionDecl(named("allowed"), spmdAllow())),
            1u);
  EXPECT_EQ(countMatches(Code, functionDecl(spmdAllow())), 1u);
  EXPECT_TRUE(matches(Code, cxxRecordDecl(named("Meshed"), spmdMesh())));
  EXPECT_TRUE(notMatches(Code, functionDecl(spmdMesh())));
}

TEST(SpmdStatements, HaveAttributesToo) {
  constexpr llvm::StringLiteral Code = R"(
void f(int x) {
  [[spmd::allow("spmd-contract", "checked by hand")]] x = 1;
  [[spmd::no_typecheck]] { x = 2; }
  [[likely]] x = 3;
}
)";
  EXPECT_EQ(countMatches(Code, attributedStmt(spmdAllow())), 1u);
  EXPECT_EQ(countMatches(Code, attributedStmt(spmdNoTypecheck())), 1u);
}

TEST(SpmdAttribute, StandsHere) {
  constexpr llvm::StringLiteral Code = R"(
void f([[spmd::type("tp: P")]] float *here);
void f(float *inherited) {}
[[clang::annotate("spmd::tpye", "tp: P")]] float misspelled;
[[clang::annotate("other", "tp: P")]] float foreign;
[[maybe_unused]] float unused;
)";
  EXPECT_TRUE(matches(Code, parmVarDecl(named("here"), spmdAttribute())));
  EXPECT_TRUE(
      notMatches(Code, parmVarDecl(named("inherited"), spmdAttribute())));
  EXPECT_TRUE(matches(Code, varDecl(named("misspelled"), spmdAttribute())));
  EXPECT_TRUE(notMatches(Code, varDecl(named("foreign"), spmdAttribute())));
  EXPECT_TRUE(notMatches(Code, varDecl(named("unused"), spmdAttribute())));
}
