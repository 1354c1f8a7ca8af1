//===- NamedReference.cpp - What ops do to dims, by their names -----------===//

#include "spmd/oracle/NamedReference.h"
#include "NamedProducts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace spmd::rules;

namespace spmd::oracle {

namespace {

struct Row {
  llvm::StringLiteral Ops, Term;
};
/// Ops of one element each time, in families that have only such beside those
/// that have another row.
constexpr llvm::StringLiteral ElementwiseFamilies[] = {
    "activation", "arithmetic", "comparison", "elementary"};

constexpr Row Rows[] = {
    {"_foreach_add _foreach_sub _foreach_mul _foreach_div _foreach_neg "
     "_foreach_addcmul _foreach_addcdiv _foreach_maximum _foreach_minimum "
     "_foreach_sqrt _foreach_exp _foreach_abs _foreach_log clip_grad_value_",
     "each"},
    {"clone to type type_as cpu cuda contiguous detach alias conj real imag "
     "masked_fill dropout native_dropout alpha_dropout broadcast_tensors "
     "sigmoid_backward tanh_backward threshold_backward gelu_backward "
     "silu_backward",
     "elementwise"},
    {"zeros_like ones_like full_like fill empty_like rand_like randn_like "
     "randint_like",
     "elementwise of self"},
    {"expand_as", "elementwise of self, other"},
    {"copy_ copy", "elementwise of self, src"},
    {"view_as reshape_as", "like of self, other"},
    // Reductions.
    {"sum nansum", "sum(dim, keepdim)"},
    {"count_nonzero", "sum(dim)"},
    {"linalg_vecdot", "sum(dim=-1) of x, y"},
    {"all any mean nanmean prod amax amin aminmax argmax argmin logsumexp var "
     "std var_mean std_mean norm nuclear_norm frobenius_norm linalg_norm "
     "linalg_vector_norm linalg_matrix_norm median nanmedian",
     "fold(dim, keepdim)"},
    {"max min", "elementwise of self, other | fold(dim, keepdim)"},
    {"mode kthvalue", "fold(dim=-1, keepdim)"},
    {"trace item is_nonzero", "fold"},
    {"allclose equal dist", "fold of self, other"},
    {"cosine_similarity", "fold(dim=1) of x1, x2"},
    {"softmax log_softmax softmin cumsum cumprod cummax cummin logcumsumexp "
     "fft_fftshift",
     "along(dim)"},
    {"gumbel_softmax sort argsort", "along(dim=-1)"},
    {"normalize", "along(dim=1)"},
    {"_softmax_backward_data _log_softmax_backward_data",
     "along(dim) of grad_output, output"},
    {"flip roll", "along(dims)"},
    {"flipud msort", "along(0)"},
    {"fliplr", "along(1)"},
    // Other orders and numbers of dims.
    {"transpose transpose_copy", "swap(dim0|axis0, dim1|axis1)"},
    {"mT adjoint", "swap(-2, -1)"},
    {"permute permute_copy", "permute(dims)"},
    {"movedim moveaxis", "move(source, destination)"},
    {"numpy_T", "reverse"},
    {"unsqueeze unsqueeze_copy", "insert(dim)"},
    {"stack", "insert(dim=0)"},
    {"squeeze squeeze_copy", "remove(dim)"},
    {"cat", "concat(dim=0)"},
    {"select select_copy unbind unbind_copy", "pick(dim=0)"},
    // Other sizes.
    {"view view_copy", "reshape(size) | ... n^ -> ... m^"},
    {"reshape", "reshape(shape)"},
    {"flatten", "flatten(start_dim=0, end_dim=-1)"},
    {"ravel", "flatten"},
    {"unflatten", "unflatten(dim, sizes)"},
    {"expand expand_copy broadcast_to", "expand(size)"},
    {"repeat", "repeat(repeats)"},
    {"tile", "repeat(dims|repeats)"},
    {"repeat_interleave", "interleave(dim)"},
    {"narrow narrow_copy", "part(dim)"},
    {"split chunk slice tensor_split split_with_sizes", "part(dim=0)"},
    {"glu topk fft_fft fft_ifft fft_rfft fft_irfft", "part(dim=-1)"},
    {"vsplit", "part(0)"},
    {"dsplit", "part(2)"},
    {"diff", "part(dim=-1) of self"},
    {"pad constant_pad_nd reflection_pad1d reflection_pad2d replication_pad1d "
     "replication_pad2d",
     "pad(pad|padding)"},
    // Indices.
    {"gather take_along_dim", "gather(dim)"},
    {"index_select", "lookup(dim)"},
    {"embedding", "lookup(0)"},
    {"take", "lookup"},
    {"index", "index(dims)"},
    {"index_put", "put(dims)"},
    {"scatter scatter_add", "scatter(dim)"},
    {"scatter_reduce", "scatter(dim) of self, index, src"},
    {"index_add index_copy", "scatter(dim) of self, source"},
    {"index_fill", "along(dim) of self"},
    // Layers and losses.
    {"tril triu inverse linalg_inv_ex cholesky linalg_cholesky_ex "
     "cholesky_inverse matrix_power matrix_exp",
     "batch(2)"},
    {"layer_norm native_layer_norm rms_norm _fused_rms_norm",
     "batch(normalized_shape)"},
    {"group_norm native_group_norm", "batch(-1)"},
    {"instance_norm feature_dropout dropout1d dropout2d dropout3d",
     "batch(-2)"},
    {"batch_norm native_batch_norm cudnn_batch_norm miopen_batch_norm",
     "channels(training)"},
    {"batch_norm_elemt", "channels(0)"},
    {"conv1d conv2d conv3d cudnn_convolution mkldnn_convolution "
     "miopen_convolution miopen_depthwise_convolution",
     "convolve(groups=1)"},
    {"conv_transpose1d conv_transpose2d conv_transpose3d "
     "cudnn_convolution_transpose miopen_convolution_transpose",
     "convolve(groups=1, 1)"},
    {"convolution", "convolve(groups=1, transposed=0)"},
    {"thnn_conv2d slow_conv3d slow_conv_dilated2d slow_conv_dilated3d",
     "convolve"},
    {"slow_conv_transpose2d slow_conv_transpose3d", "convolve(1, 1)"},
    {"scaled_dot_product_attention _scaled_dot_product_attention_math",
     "attend(is_causal=0, enable_gqa=0) of query, key, value, attn_mask?"},
    {"mse_loss l1_loss smooth_l1_loss huber_loss kl_div poisson_nll_loss "
     "gaussian_nll_loss binary_cross_entropy binary_cross_entropy_with_logits "
     "hinge_embedding_loss soft_margin_loss margin_ranking_loss",
     "loss(reduction=1)"},
    {"cross_entropy_loss nll_loss multi_margin_loss", "classify(reduction=1)"},
    {"einsum", "einsum(equation)"},
};

class Table {
public:
  Table() {
    for (const Row &R : Rows)
      each(R.Ops, [&](llvm::StringRef Op) { add(Op, R.Term); });
    for (const NamedProduct &P : namedProducts())
      each(P.Ops, [&](llvm::StringRef Op) {
        ByName[Op] = {{}, P.Computes, P.Ops.str()};
      });
    add("elementwise ops", "elementwise");
  }

  const NamedReference *find(const OpRule &Op) const {
    if (const auto At = ByName.find(Op.Name); At != ByName.end())
      return &At->second;
    return llvm::is_contained(ElementwiseFamilies, Op.Family) &&
                   Op.Name != "prelu" && Op.Name != "isin"
               ? &ByName.find("elementwise ops")->second
               : nullptr;
  }

private:
  static void each(llvm::StringRef Ops,
                   llvm::function_ref<void(llvm::StringRef)> Visit) {
    llvm::SmallVector<llvm::StringRef, 24> Names;
    Ops.split(Names, ' ');
    llvm::for_each(Names, Visit);
  }

  void add(llvm::StringRef Op, llvm::StringRef Term) {
    NamedReference R;
    R.Key = Term.str();
    const ShapeRule All = llvm::cantFail(parseShapeRule(Term));
    R.Alternatives.push_back(All);
    R.Alternatives.front().Otherwise.clear();
    llvm::append_range(R.Alternatives, All.Otherwise);
    ByName[Op] = std::move(R);
  }

  llvm::StringMap<NamedReference> ByName;
};

} // namespace

const NamedReference *namedReference(const OpRule &Op) {
  static const Table All;
  return All.find(Op);
}

} // namespace spmd::oracle
