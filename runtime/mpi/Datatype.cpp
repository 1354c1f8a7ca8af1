#include "Datatype.h"

#include "spmd/float8.h"

namespace spmd::mpi {
namespace {

template <class T>
void addShort(void *From, void *Into, int *Count, MPI_Datatype *) {
  const T *X = static_cast<const T *>(From);
  T *Y = static_cast<T *>(Into);
  for (int E = 0; E < *Count; ++E)
    Y[E] = T::of(static_cast<float>(X[E]) + static_cast<float>(Y[E]));
}

template <class T, bool Greatest>
void pickShort(void *From, void *Into, int *Count, MPI_Datatype *) {
  const T *X = static_cast<const T *>(From);
  T *Y = static_cast<T *>(Into);
  for (int E = 0; E < *Count; ++E)
    if (Greatest ? static_cast<float>(Y[E]) < static_cast<float>(X[E])
                 : static_cast<float>(X[E]) < static_cast<float>(Y[E]))
      Y[E] = X[E];
}

MPI_Op makeOp(MPI_User_function *Add) {
  MPI_Op Op;
  MPI_Op_create(Add, /*commute=*/1, &Op);
  return Op;
}

/// Bytes that nobody but our sum looks into. Each short float its own type, as
/// MPI caches by type.
MPI_Datatype makeShort(int Bytes) {
  MPI_Datatype Type;
  MPI_Type_contiguous(Bytes, MPI_BYTE, &Type);
  MPI_Type_commit(&Type);
  return Type;
}

} // namespace

MPI_Datatype datatype(DType T) {
  static const MPI_Datatype Half = makeShort(2), BHalf = makeShort(2),
                            E4M3 = makeShort(1), E5M2 = makeShort(1);
  switch (T) {
  case DType::F16:
    return Half;
  case DType::BF16:
    return BHalf;
  case DType::F8E4M3:
    return E4M3;
  case DType::F8E5M2:
    return E5M2;
  case DType::F32:
    return MPI_FLOAT;
  case DType::F64:
    return MPI_DOUBLE;
  case DType::I8:
    return MPI_INT8_T;
  case DType::U8:
  case DType::Bool:
    return MPI_UINT8_T;
  case DType::I32:
    return MPI_INT32_T;
  case DType::I64:
    return MPI_INT64_T;
  case DType::U32:
    return MPI_UINT32_T;
  case DType::U64:
    return MPI_UINT64_T;
  }
  return MPI_BYTE;
}

/// \p Add, \p Max or \p Min, as \p Op says.
static MPI_Op chosen(rules::OperatorKind Op, MPI_Op Add, MPI_Op Max,
                     MPI_Op Min) {
  return Op == rules::OperatorKind::AllReduceMax   ? Max
         : Op == rules::OperatorKind::AllReduceMin ? Min
                                                   : Add;
}

template <class T> static MPI_Op ofShort(rules::OperatorKind Op) {
  static const MPI_Op Add = makeOp(addShort<T>),
                      Max = makeOp(pickShort<T, true>),
                      Min = makeOp(pickShort<T, false>);
  return chosen(Op, Add, Max, Min);
}

MPI_Op reduction(const Call &C) {
  switch (C.Type) {
  case DType::F16:
    return ofShort<half>(C.Op);
  case DType::BF16:
    return ofShort<bfloat16>(C.Op);
  case DType::F8E4M3:
    return ofShort<float8_e4m3>(C.Op);
  case DType::F8E5M2:
    return ofShort<float8_e5m2>(C.Op);
  default:
    return chosen(C.Op, MPI_SUM, MPI_MAX, MPI_MIN);
  }
}

} // namespace spmd::mpi
