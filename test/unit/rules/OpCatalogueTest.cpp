//===- OpCatalogueTest.cpp - Reading and finding ops ----------------------===//

#include "spmd/ops/OpCatalogue.h"
#include "OpRules.h"
#include "spmd/ops/EmbeddedFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace spmd::rules;

namespace {

/// The errors of one document; empty when it is right.
std::string read(llvm::StringRef Document) {
  OpCatalogue C;
  return llvm::toString(C.addYAML({Document, "ops.yaml"}));
}

std::string ruleText(const OpMatch &Match) {
  return Match ? Match.Rule->Name + (Match.InPlace ? " in place" : "") +
                     (Match.OutVariant ? " out" : "")
               : "";
}

TEST(OpCatalogue, ReadsAllKeys) {
  OpCatalogue C;
  const std::string Document = R"yaml(
- op: [gemm, gemv]
  operands: alpha=6, A=7|mat, beta, C[beta]=12, bias?, rest*
  rule: "linear(multilinear(alpha, A), multilinear(beta, C), bias, rest)"
  reason: 'sums of products'
  aliases: {product: gemm}
  names: {"lib::gemv": gemv}
  writes: 12
- op: view
  operands: self
  rule: linear(self)
  views: self
- op: take_over
  operands: other
  rule: linear(other)
  replaces: self
)yaml";
  ASSERT_EQ(llvm::toString(C.addYAML({Document, "dir/blas.yaml"})), "");
  const OpRule *Gemm = C.rule("gemm");
  ASSERT_TRUE(Gemm);
  EXPECT_EQ(C.rule("product"), Gemm);
  EXPECT_EQ(Gemm->Family, "blas");
  EXPECT_EQ(Gemm->Line, 2u);
  EXPECT_EQ(Gemm->TermText,
            "linear(multilinear(alpha, A), multilinear(beta, C), bias, rest)");
  EXPECT_EQ(Gemm->Reason, "sums of products");
  EXPECT_EQ(Gemm->Writes, "12");
  EXPECT_EQ(Gemm->Formals[1].Param, "7|mat");
  EXPECT_EQ(Gemm->Formals[3].ZeroedBy, "beta");
  EXPECT_TRUE(Gemm->Formals[4].Optional);
  EXPECT_TRUE(Gemm->Formals[5].Variadic);
  EXPECT_EQ(ruleText(C.find("lib::gemv")), "gemv");
  EXPECT_EQ(C.rule("view")->Views, "self");
  EXPECT_FALSE(Gemm->Replaces);
  EXPECT_EQ(C.rule("take_over")->Writes, "self");
  EXPECT_TRUE(C.rule("take_over")->Replaces);
}

TEST(OpCatalogue, ReadsWhatOpsDoToDims) {
  OpCatalogue C;
  const std::string Document = R"yaml(
- op: [f, g, h]
  operands: x, y?
  rule: linear(x, y)
  factors:
    f: "m k, k n ->
        m n"
    g: elementwise of x, y
- op: each_alike
  operands: x
  rule: linear(x)
  factors: along(dim=-1)
)yaml";
  ASSERT_EQ(llvm::toString(C.addYAML({Document, "ops.yaml"})), "");
  EXPECT_EQ(printShapeRule(*C.rule("f")->Shape), "m k, k n -> m n");
  EXPECT_EQ(printShapeRule(*C.rule("g")->Shape), "elementwise of x, y");
  EXPECT_FALSE(C.rule("h")->Shape);
  EXPECT_EQ(printShapeRule(*C.rule("each_alike")->Shape), "along(dim=-1)");
}

TEST(OpCatalogue, ErrorsInFactorsAreAtTheirPlace) {
  const std::string Entry = "- op: f\n  operands: self, other\n"
                            "  rule: linear(self, other)\n  factors: ";
  EXPECT_EQ(read(Entry + "elementwize\n"),
            "ops.yaml:4:12: error: unknown term 'elementwize'; the nearest is "
            "'elementwise'");
  EXPECT_EQ(read(Entry + "\"m k, k n -> m l\"\n"),
            "ops.yaml:4:27: error: factor 'l' is in no operand; a dim that the "
            "op adds is 'l^'");
  EXPECT_EQ(read(Entry + "whole of othre\n"),
            "ops.yaml:4:12: error: unknown operand 'othre'; the nearest is "
            "'other'");
  EXPECT_EQ(
      read(Entry + "\"m, n, k -> m\"\n"),
      "ops.yaml:4:13: error: 'm, n, k -> m' has 3 operands, but the entry "
      "has 2");
  EXPECT_EQ(read(Entry + "{g: whole}\n"),
            "ops.yaml:4:13: error: unknown op of this entry 'g'");
}

TEST(OpCatalogue, ErrorsAreAtTheirPlace) {
  EXPECT_EQ(read("- op: f\n  operands: x\n  rule: lineer(x)\n"),
            "ops.yaml:3:9: error: unknown class 'lineer'; the nearest is "
            "'linear'");
  EXPECT_EQ(read("- op: f\n  operands: x\n  rule: 'linear(x, y)'\n"),
            "ops.yaml:3:20: error: unknown operand 'y'");
  EXPECT_EQ(read("- op: f\n  rule: constant\n  reasons: none\n"),
            "ops.yaml:3:3: error: unknown key 'reasons'; the nearest is "
            "'reason'");
  EXPECT_EQ(read("- rule: constant\n"),
            "ops.yaml:1:3: error: expected the key 'op' in this entry");
  EXPECT_EQ(read("- op: f\n"),
            "ops.yaml:1:3: error: expected the key 'rule' in the entry of 'f'");
  EXPECT_EQ(read("op: f\nrule: zero\n"),
            "ops.yaml:1:1: error: expected a list of entries '- op: …'");
  EXPECT_EQ(read("- op: f\n  operands: x, 2y\n  rule: linear(x)\n"),
            "ops.yaml:2:16: error: expected an operand's name");
  EXPECT_EQ(read("- op: f\n  operands: x, x\n  rule: linear(x)\n"),
            "ops.yaml:2:16: error: the operand 'x' occurs twice");
  EXPECT_EQ(read("- op: f\n  operands: x, y\n  rule: linear(x)\n"),
            "ops.yaml:3:9: error: the rule does not use the operand 'y'");
  EXPECT_EQ(read("- op: f\n  operands: x=\n  rule: linear(x)\n"),
            "ops.yaml:2:13: error: expected a parameter's name or index after "
            "'='");
  EXPECT_EQ(read("- op: f\n  operands: x[y]\n  rule: linear(x)\n"),
            "ops.yaml:2:15: error: unknown operand 'y'");
  EXPECT_EQ(read("- op: f\n  operands: xs\n  rule: linear(xs)\n  views: x\n"),
            "ops.yaml:4:10: error: unknown operand 'x'; the nearest is 'xs'");
  EXPECT_EQ(read("- op: f\n  rule: [zero]\n"),
            "ops.yaml:2:10: error: expected one value for 'rule'");
  EXPECT_EQ(read("- op: f g\n  rule: zero\n"),
            "ops.yaml:1:7: error: expected the name of an op, found 'f g'");
  EXPECT_EQ(read("- op: [f, g]\n  rule: zero\n  aliases: [h]\n"),
            "ops.yaml:3:13: error: this entry has several ops; expected "
            "'{h: f}'");
  EXPECT_EQ(read("- op: [ff, gg]\n  rule: zero\n  aliases: {h: fg}\n"),
            "ops.yaml:3:16: error: unknown op of this entry 'fg'; the nearest "
            "is 'ff'");
}

TEST(OpCatalogue, EveryMistakeIsReportedOnce) {
  EXPECT_EQ(read("- op: f\n  rule: zeros\n- op: g\n  rul: zero\n  rule: one\n"),
            "ops.yaml:2:9: error: unknown operand 'zeros'; the nearest is "
            "'zero'\n"
            "ops.yaml:4:3: error: unknown key 'rul'; the nearest is 'rule'");
  EXPECT_EQ(read("- op: f\n  rule: zero\n- op: f\n  rule: zero\n"),
            "ops.yaml:3:7: error: 'f' is already defined in line 1");
  EXPECT_EQ(read("- op: f\n  op: g\n  rule: zero\n"),
            "ops.yaml:2:3: error: the key 'op' occurs twice in this entry");
}

TEST(OpCatalogue, SurvivesWhatIsNoYaml) {
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("# nothing\n"), "");
  EXPECT_NE(read("- op: [f\n"), "");
  EXPECT_NE(read("- op: {\n"), "");
  EXPECT_NE(read("- - - op\n"), "");
  EXPECT_NE(read("- op: \"f\n"), "");
  EXPECT_NE(read("\t- op: f"), "");
  EXPECT_NE(read("- ? [a]\n  : b\n"), "");
  EXPECT_NE(read(llvm::StringRef("- op: \0\xff", 8)), "");
}

TEST(OpCatalogue, FindsNamesOfTheAtenScope) {
  const OpCatalogue &C = OpCatalogue::builtin();
  for (const char *Name :
       {"at::add", "torch::add", "at::Tensor::add", "::at::add"})
    EXPECT_EQ(ruleText(C.find(Name)), "add") << Name;
  EXPECT_EQ(ruleText(C.find("at::Tensor::add_")), "add in place");
  EXPECT_EQ(ruleText(C.find("at::add_out")), "add out");
  EXPECT_EQ(ruleText(C.find("at::add_outf")), "add out");
  EXPECT_EQ(ruleText(C.find("at::subtract")), "sub");
  EXPECT_EQ(ruleText(C.find("torch::nn::functional::gelu")), "gelu");
  EXPECT_EQ(ruleText(C.find("torch::fft::rfft")), "fft_rfft");
  EXPECT_EQ(ruleText(C.find("torch::linalg::inv")), "inverse");
  EXPECT_EQ(ruleText(C.find("torch::special::expit")), "sigmoid");
  EXPECT_EQ(ruleText(C.find("at::Tensor::__and__")), "bitwise_and");
  EXPECT_EQ(ruleText(C.find("at::Tensor::__iand__")), "bitwise_and in place");
  // Ops that exist in place only.
  EXPECT_EQ(ruleText(C.find("at::Tensor::copy_")), "copy_");
  EXPECT_EQ(C.find("at::Tensor::copy_").Rule->Writes, "self");
  EXPECT_EQ(ruleText(C.find("at::Tensor::normal_")), "normal_");
}

TEST(OpCatalogue, OtherNamesMatchOnlyInFull) {
  const OpCatalogue &C = OpCatalogue::builtin();
  EXPECT_EQ(ruleText(C.find("cublasGemmEx")), "gemm_ex");
  EXPECT_EQ(ruleText(C.find("std::exp")), "scalar_function");
  EXPECT_FALSE(C.find("add"));
  EXPECT_FALSE(C.find("mylib::add"));
  EXPECT_FALSE(C.find("at::native::add"));
  EXPECT_FALSE(C.find("at::no_such_op"));
  EXPECT_FALSE(C.find("at::"));
  EXPECT_FALSE(C.find(""));
}

TEST(OpCatalogue, FunctionsOfNumbersHaveOneRuleInEachSpelling) {
  const OpCatalogue &C = OpCatalogue::builtin();
  const auto Each = [&](llvm::StringRef Op, llvm::StringRef Names) {
    llvm::SmallVector<llvm::StringRef, 16> Parts;
    Names.split(Parts, ' ');
    for (llvm::StringRef Name : Parts)
      EXPECT_EQ(ruleText(C.find(Name)), Op) << Name.str();
  };
  Each("scalar_step", "floor floorf std::floor std::floorf hfloor h2floor ceil "
                      "ceilf std::ceil std::ceilf hceil roundf std::roundf "
                      "std::trunc hrint lrintf");
  Each("scalar_step", "signbit std::signbit __builtin_signbit");
  Each("scalar_kind", "isnan std::isnan __isnan __isnanf __hisnan isinf "
                      "std::isinf __isinff isfinite std::isfinite __finitef "
                      "__builtin_isnan isnormal");
  Each("scalar_function",
       "sqrt sqrtf std::sqrt std::sqrtf hsqrt h2sqrt __fsqrt_rn exp expf "
       "std::expf __expf hexp h2exp tanf std::tanf std::sinf std::cosf "
       "std::fabsf std::erff std::log2f std::log1pf std::exp2f std::expm1f");
  Each("scalar_extreme", "fmaxf std::fmaxf std::fminf std::max __hmax __hmin2");
  Each("scalar_clamp", "clamp std::clamp");
  Each("scalar_fma", "fmaf std::fmaf __fmaf_rn __hfma");
  EXPECT_TRUE(C.find("__hmul").Rule->is(OpRole::Multiplies));
}

TEST(OpCatalogue, UsersExtendACopy) {
  OpCatalogue C = OpCatalogue::builtin();
  const std::size_t Before = C.rules().size();
  const std::string Document = R"(
- op: my_gelu
  operands: x=0
  rule: nonlinear(x)
- op: mylib::scale
  operands: x=0, s=1
  rule: multilinear(x, s)
- op: relu
  operands: self
  rule: linear(self)
)";
  ASSERT_EQ(llvm::toString(C.addYAML({Document, ".spmd-tidy"})), "");
  EXPECT_EQ(ruleText(C.find("my_gelu")), "my_gelu");
  EXPECT_EQ(ruleText(C.find("mylib::scale")), "mylib::scale");
  EXPECT_EQ(C.find("at::relu").Rule->TermText, "linear(self)");
  EXPECT_EQ(C.rules().size(), Before + 2);
  EXPECT_EQ(OpCatalogue::builtin().find("at::relu").Rule->TermText,
            "nonlinear(self)");
}

TEST(OpCatalogue, NearestNames) {
  const OpCatalogue &C = OpCatalogue::builtin();
  EXPECT_EQ(C.nearest("at::matmull").front(), "matmul");
  EXPECT_EQ(C.nearest("cublasGemEx").front(), "cublasGemmEx");
}

//===--- The built-in files -----------------------------------------------===//

TEST(BuiltinOps, EveryFileLoads) {
  for (const EmbeddedFile &F : embeddedOpFiles()) {
    OpCatalogue C;
    EXPECT_EQ(llvm::toString(C.addYAML({F.Text, F.Name})), "");
    EXPECT_FALSE(C.rules().empty()) << F.Name.str();
  }
}

TEST(BuiltinOps, CountIsKnown) {
  const OpCatalogue &C = OpCatalogue::builtin();
  std::size_t Aten = 0, Aliases = 0, Names = 0;
  for (const OpRule &R : C.rules()) {
    Aten += R.FullNames.empty();
    Aliases += R.Aliases.size();
    Names += R.FullNames.size();
  }
  std::printf("%zu ops: %zu of ATen with %zu aliases, the others with %zu "
              "names of C and C++\n",
              C.rules().size(), Aten, Aliases, Names);
  EXPECT_GE(Aten, 350u);
}

TEST(BuiltinOps, NoNameHasTwoMeanings) {
  llvm::StringMap<std::string> Aten, Full;
  for (const OpRule &R : OpCatalogue::builtin().rules()) {
    const std::string Here = R.File + ":" + std::to_string(R.Line);
    const auto Add = [&](llvm::StringMap<std::string> &Names,
                         llvm::StringRef Name) {
      const auto [It, New] = Names.try_emplace(Name, Here);
      EXPECT_TRUE(New) << Name.str() << " in " << Here << " and " << It->second;
    };
    Add(Aten, R.Name);
    for (llvm::StringRef Name : R.Aliases)
      Add(Aten, Name);
    for (llvm::StringRef Name : R.FullNames)
      Add(Full, Name);
  }
}

TEST(BuiltinOps, EveryEntryHasAReason) {
  for (const OpRule &R : OpCatalogue::builtin().rules()) {
    const std::string Where = R.File + ":" + std::to_string(R.Line);
    ASSERT_FALSE(R.Reason.empty()) << Where;
    EXPECT_NE(R.Reason.back(), '.') << Where;
    EXPECT_EQ(R.Reason.find('\n'), std::string::npos) << Where;
    EXPECT_FALSE(std::isupper(static_cast<unsigned char>(R.Reason.front())))
        << Where;
  }
}

TEST(BuiltinOps, NarrowingIsExact) {
  std::size_t Checked = 0;
  llvm::StringSet<> Seen;
  for (const OpRule &R : OpCatalogue::builtin().rules()) {
    if (R.Formals.size() > 3)
      continue;
    ++Checked;
    // Ops of one entry have one rule.
    if (Seen.insert(R.File + ":" + std::to_string(R.Line)).second)
      EXPECT_EQ(firstInexact(R), "");
  }
  std::printf("%zu ops with up to three operands enumerated\n", Checked);
}

TEST(BuiltinOps, APendingSumMeetsNoBias) {
  const OpCatalogue &C = OpCatalogue::builtin();
  constexpr TypeSet P = LocalType::P, R = LocalType::R;
  const auto Out = [&](const char *Op, std::vector<TypeSet> Sets) {
    return letters(apply(*C.rule(Op), std::move(Sets)).Output);
  };
  EXPECT_EQ(Out("linear", {P, R}), "P");
  EXPECT_EQ(Out("linear", {P, R, R}), "");
  EXPECT_EQ(Out("linear", {P, R, P}), "P");
  EXPECT_EQ(Out("addmm", {R, P, R}), "");
  EXPECT_EQ(Out("addmm", {P, P, R}), "P");
  EXPECT_EQ(Out("conv2d", {P, R, R}), "");
  EXPECT_EQ(Out("layer_norm", {P}), "");
  EXPECT_EQ(Out("layer_norm", {R, R, P}), "");
  EXPECT_EQ(Out("layer_norm", {R, P, P}), "P");
  EXPECT_EQ(Out("lerp", {P, P, R}), "P");
  EXPECT_EQ(Out("lerp", {R, R, P}), "");
  EXPECT_EQ(Out("masked_fill", {P, R, typesOf(SourceKind::Constant)}), "");
  EXPECT_EQ(Out("masked_fill", {P, R, typesOf(SourceKind::Zero)}), "P");
  EXPECT_EQ(Out("scaled_dot_product_attention", {R, R, P}), "P");
  EXPECT_EQ(Out("scaled_dot_product_attention", {P, R, R}), "");
  EXPECT_EQ(Out("embedding", {LocalType::I, LocalType::V}), "");
  EXPECT_EQ(Out("cross_entropy_loss", {LocalType::V, R}), "V");
  EXPECT_EQ(Out("rsub", {P, typesOf(SourceKind::Constant)}), "");
  EXPECT_EQ(Out("rsub", {P, typesOf(SourceKind::Zero)}), "P");
}

/// Ops of which nothing is said about dims, and why.
const std::pair<llvm::StringLiteral, llvm::StringLiteral> WithoutDims[] = {
    {"empty new_empty empty_strided new_empty_strided empty_quantized "
     "resize_ from_blob",
     "a buffer that is filled later, for a part or for the whole"},
    {"tensor", "nested braces"},
    {"seed draw", "numbers of the host"},
    {"init_fixed", "an identity has a place in the whole, ones have not"},
    {"init_random", "the deviations depend on the dims of the part"},
    {"sparse_coo_tensor sparse_csr_tensor sparse_csc_tensor "
     "sparse_bsr_tensor sparse_bsc_tensor sparse_compressed_tensor",
     "positions of parts are not those of the whole"},
    {"stft istft", "the dims depend on flags"},
    {"lstm gru rnn_tanh rnn_relu _cudnn_rnn miopen_rnn mkldnn_rnn_layer",
     "whether the batch is first depends on a flag, weights come in a list"},
    {"embedding_bag segment_reduce pad_sequence to_padded_tensor "
     "ctc_loss",
     "rows of different lengths"},
    {"diagonal diagonal_copy linalg_diagonal diagonal_scatter diag_embed "
     "diagflat unfold unfold_copy select_scatter",
     "adds a dim at one place and takes one from another"},
    {"as_strided as_strided_copy as_strided_scatter",
     "addresses instead of dims"},
    {"hstack vstack dstack column_stack",
     "the dim depends on the number of dims"},
    {"block_diag cartesian_prod meshgrid align_tensors linalg_multi_dot "
     "chain_matmul",
     "the dims depend on how many operands there are"},
    {"unflatten_dense_tensors vector_to_parameters",
     "the dims are those of other tensors"},
    {"tensordot _trilinear", "dims of both operands in lists"},
    {"cross", "without a dim it is the first of size three"},
    {"rot90", "the dims change places in quarter turns"},
    {"_weight_norm norm_except_dim renorm", "all dims but one"},
    {"sum_to_size affine_grid_generator",
     "the dims of the result alone say what is added up"},
    {"quantile nanquantile", "a tensor of quantiles adds a dim"},
    {"symeig", "the vectors are missing by default"},
    {"multilabel_margin_loss multilabel_soft_margin_loss "
     "cosine_embedding_loss triplet_margin_loss",
     "reduces a dim before the samples"},
    {"mse_loss_backward l1_loss_backward smooth_l1_loss_backward "
     "huber_loss_backward binary_cross_entropy_backward "
     "nll_loss_backward nll_loss2d_backward",
     "divides by the number of elements of the part"},
    {"embedding_dense_backward embedding_backward",
     "may divide by counts of the whole"},
    {"native_layer_norm_backward",
     "sums over all dims but the normalised ones"},
    {"glu_backward _amp_foreach_non_finite_check_and_unscale",
     "operands of different sizes"},
};

TEST(BuiltinOps, WhatHasNoRuleForDimsIsKnown) {
  llvm::StringSet<> Expected;
  for (const auto &[Names, Why] : WithoutDims) {
    EXPECT_FALSE(Why.empty());
    llvm::SmallVector<llvm::StringRef, 0> List;
    Names.split(List, ' ');
    for (llvm::StringRef Name : List)
      EXPECT_TRUE(Expected.insert(Name).second) << Name.str();
  }
  for (const OpRule &R : OpCatalogue::builtin().rules()) {
    // Buffers and numbers of the host have no dims that a call would tell.
    const bool HasDims = !llvm::is_contained(
        {"cublas", "cudnn", "memory", "scalar", "shape"}, R.Family);
    EXPECT_EQ(R.Shape.has_value(), HasDims && !Expected.erase(R.Name))
        << R.Name;
  }
  EXPECT_TRUE(Expected.empty()) << Expected.begin()->first().str();
}

} // namespace
