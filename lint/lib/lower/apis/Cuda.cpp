//===- Cuda.cpp - The CUDA runtime, device intrinsics, C's memory ---------===//

#include "../Recognisers.h"
#include "../Stores.h"
#include "../WholeRecords.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace spmd::rules;

namespace spmd::lint::lower {

enum class MemoryCall : std::uint8_t {
  None,
  Allocate, ///< argument 0 receives storage that holds nothing
  NewStorage,
  Copy, ///< argument 1 to argument 0
  Set,
  Atomic,  ///< adds argument 1 to argument 0
  Extreme, ///< atomicMax and the like: old and new value decide
  Load,    ///< the value behind argument 0, or argument 0 itself
  Shuffle, ///< argument 1 of another thread
  Status,  ///< no effect on data
};

static MemoryCall memoryCall(llvm::StringRef Name) {
  using M = MemoryCall;
  return llvm::StringSwitch<M>(Name)
      .Cases({"cudaMalloc", "cudaMallocAsync", "cudaMallocHost",
              "cudaMallocManaged", "cudaHostAlloc", "ncclMemAlloc",
              "hipMalloc"},
             M::Allocate)
      .Cases({"malloc", "calloc", "aligned_alloc", "std::malloc", "std::calloc",
              "realloc"},
             M::NewStorage)
      .Cases({"cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyPeer", "memcpy",
              "memmove", "std::memcpy", "std::memmove", "hipMemcpy",
              "hipMemcpyAsync"},
             M::Copy)
      .Cases({"cudaMemset", "cudaMemsetAsync", "memset", "std::memset",
              "hipMemset", "hipMemsetAsync"},
             M::Set)
      .Cases({"atomicAdd", "atomicAdd_block", "atomicAdd_system", "atomicSub"},
             M::Atomic)
      .Cases({"atomicMax", "atomicMin", "atomicExch", "atomicCAS", "atomicAnd",
              "atomicOr", "atomicXor"},
             M::Extreme)
      .Cases({"__ldg", "__ldcs", "__ldcg", "__ldca", "__float2bfloat16",
              "__bfloat162float", "__float2half", "__half2float",
              "__float2bfloat16_rn", "__float2half_rn"},
             M::Load)
      .Cases({"__shfl_sync", "__shfl_down_sync", "__shfl_up_sync",
              "__shfl_xor_sync"},
             M::Shuffle)
      // The first two count blocks, not data.
      .Cases({"atomicInc", "atomicDec", "__syncthreads", "__syncwarp",
              "__threadfence"},
             M::Status)
      .Cases({"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaSetDevice",
              "cudaGetLastError", "cudaPeekAtLastError", "cudaEventRecord",
              "cudaEventCreate", "cudaEventSynchronize", "cudaStreamWaitEvent",
              "cudaStreamCreate", "cudaStreamDestroy", "cudaEventDestroy",
              "cudaFree", "cudaGetErrorString"},
             M::Status)
      .Cases({"free", "std::free", "printf", "std::printf", "fprintf",
              "std::fprintf", "exit", "std::exit", "abort", "fflush",
              "std::fflush"},
             M::Status)
      .Default(M::None);
}

/// Whether \p Into is the address of a variable that points to numbers.
static bool pointsToNumbers(const Expr *Into) {
  const auto *Address = dyn_cast<UnaryOperator>(strip(Into));
  const auto *Named = Address && Address->getOpcode() == UO_AddrOf
                          ? dyn_cast<DeclRefExpr>(strip(Address->getSubExpr()))
                          : nullptr;
  return Named && classify(Named->getType()) == TypeClass::Buffer;
}

/// Between structs of one kind each member is that of the other.
static void copyMemory(ExprLowering &L, const Expr *To, const Expr *From,
                       const Expr *At) {
  const auto Read = membersOfWhole(L, From), Written = membersOfWhole(L, To);
  if (Read.empty())
    // So many bytes: who stores the pointer itself reads nothing.
    return store(L, To, L.operand(From), At, OpArgument{"count", {}});
  if (Read.size() != Written.size())
    return store(L, To, gathered(L, Read, From), At);
  for (std::size_t I = 0; I != Read.size(); ++I)
    L.emitOp(ScalarRules::get().Copy, {{Read[I], L.place(From)}}, At,
             Written[I]);
}

/// Each member of a struct has it then; what is put there by their names, the
/// struct knows nothing of.
static void fillMemory(ExprLowering &L, const Expr *To, Operand V,
                       const Expr *At) {
  const auto Members = membersOfWhole(L, To);
  const SlotId Whole = L.value(To);
  if (Members.empty() || Whole == SlotId::None)
    return store(L, To, V, At);
  scatter(L, V, Members, At);
  const SlotId Any = L.define(DefineFact::Kind::Unknown, At);
  L.emitOp(ScalarRules::get().Copy, {{Any, V.At}}, At, Whole);
}

Recognised lowerCudaCall(ExprLowering &L, const CallSite &C) {
  if (C.Receiver)
    return std::nullopt;
  const MemoryCall K = memoryCall(C.Name);
  auto Status = [&]() -> Recognised {
    return C.Call->getType()->isVoidType()
               ? SlotId::None
               : L.define(DefineFact::Kind::Constant, C.Call);
  };
  const Expr *First = C.argument(0), *Second = C.argument(1);
  const ScalarRules &R = ScalarRules::get();
  switch (K) {
  case MemoryCall::None:
    return std::nullopt;
  case MemoryCall::Allocate:
    if (const SlotId S = L.value(First); S != SlotId::None)
      assignNewStorage(L, S, C.Call, pointsToNumbers(First));
    return Status();
  case MemoryCall::NewStorage:
    return L.define(DefineFact::Kind::Undefined, C.Call);
  case MemoryCall::Copy:
    if (First && Second)
      copyMemory(L, First, Second, C.Call);
    return Status();
  case MemoryCall::Set: {
    const std::optional<std::int64_t> V = L.constant(Second);
    const SlotId Zero = L.define(V && *V == 0 ? DefineFact::Kind::Zero
                                              : DefineFact::Kind::Constant,
                                 C.Call);
    if (First)
      fillMemory(L, First, {Zero, L.place(C.Call)}, C.Call);
    return Status();
  }
  case MemoryCall::Atomic:
  case MemoryCall::Extreme: {
    if (!First || !Second)
      return Status();
    Operand Old = L.operand(First);
    const Operand New = L.operand(Second);
    if (Old.Slot == SlotId::None || New.Slot == SlotId::None)
      return L.define(DefineFact::Kind::Unknown, C.Call);
    if (K == MemoryCall::Extreme)
      return L.emitOp(R.Math, {Old, New}, C.Call, Old.Slot);
    // As `*place += number` is.
    Old.Scalar = true;
    const auto *Address = dyn_cast<UnaryOperator>(First->IgnoreParenCasts());
    const Expr *Place = Address && Address->getOpcode() == UO_AddrOf
                            ? Address->getSubExpr()
                            : First;
    const auto Number = [&](SlotId S, const Expr *At) {
      return Operand{S, L.place(At), /*Scalar=*/true};
    };
    const SlotId Was = L.emitOp(R.Copy, {Old}, Place);
    const SlotId Sum = L.emitOp(R.Add, {Number(Was, Place), New}, C.Call);
    L.emitOp(R.Copy, {Number(Sum, C.Call)}, C.Call, Old.Slot);
    return Was;
  }
  case MemoryCall::Load:
    return L.emitOp(R.Copy, {L.operand(First)}, C.Call);
  case MemoryCall::Shuffle:
    return L.emitOp(R.Copy, {L.operand(Second)}, C.Call);
  case MemoryCall::Status:
    for (const Expr *A : C.Arguments)
      L.value(A);
    return Status();
  }
  return std::nullopt;
}

} // namespace spmd::lint::lower
