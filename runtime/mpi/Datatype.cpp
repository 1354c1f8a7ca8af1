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
  static const MPI_Datatype Types[] = {
      makeShort(2), makeShort(2), MPI_FLOAT,    MPI_DOUBLE,   MPI_INT8_T,
      MPI_UINT8_T,  MPI_INT32_T,  MPI_INT64_T,  MPI_UINT32_T, MPI_UINT64_T,
      MPI_UINT8_T,  makeShort(1), makeShort(1),
  };
  return Types[static_cast<int>(T)];
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
