#include "Datatype.h"

#include "spmd/half.h"

namespace spmd::mpi {
namespace {

template <class T>
void addHalves(void *From, void *Into, int *Count, MPI_Datatype *) {
  const T *X = static_cast<const T *>(From);
  T *Y = static_cast<T *>(Into);
  for (int E = 0; E < *Count; ++E)
    Y[E] = T::of(static_cast<float>(X[E]) + static_cast<float>(Y[E]));
}

MPI_Op makeOp(MPI_User_function *Add) {
  MPI_Op Op;
  MPI_Op_create(Add, /*commute=*/1, &Op);
  return Op;
}

/// Two bytes that nobody but our sum looks into. Each half its own type, as
/// MPI caches by type.
MPI_Datatype makeHalf() {
  MPI_Datatype Type;
  MPI_Type_contiguous(2, MPI_BYTE, &Type);
  MPI_Type_commit(&Type);
  return Type;
}

} // namespace

MPI_Datatype datatype(DType T) {
  static const MPI_Datatype Half = makeHalf(), BHalf = makeHalf();
  switch (T) {
  case DType::F16:
    return Half;
  case DType::BF16:
    return BHalf;
  case DType::F32:
    return MPI_FLOAT;
  case DType::F64:
    return MPI_DOUBLE;
  case DType::I8:
    return MPI_INT8_T;
  case DType::U8:
    return MPI_UINT8_T;
  case DType::I32:
    return MPI_INT32_T;
  case DType::I64:
    return MPI_INT64_T;
  }
  return MPI_BYTE;
}

MPI_Op sum(DType T) {
  static const MPI_Op Half = makeOp(addHalves<half>),
                      BHalf = makeOp(addHalves<bfloat16>);
  if (T == DType::F16)
    return Half;
  return T == DType::BF16 ? BHalf : MPI_SUM;
}

} // namespace spmd::mpi
