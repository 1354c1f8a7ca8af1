// Stand-in for MPI's C interface; handles are pointers, as in Open MPI.
#pragma once

#include <stddef.h>

typedef struct ompi_communicator_t *MPI_Comm;
typedef struct ompi_datatype_t *MPI_Datatype;
typedef struct ompi_op_t *MPI_Op;
typedef struct ompi_request_t *MPI_Request;
typedef struct ompi_group_t *MPI_Group;
typedef struct ompi_info_t *MPI_Info;
typedef struct ompi_win_t *MPI_Win;
typedef ptrdiff_t MPI_Aint;
typedef long MPI_Count;
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
} MPI_Status;

#define SPMD_STUB_MPI(T, name) extern T name;
#ifdef __cplusplus
extern "C" {
#endif

SPMD_STUB_MPI(MPI_Comm, MPI_COMM_WORLD)
SPMD_STUB_MPI(MPI_Comm, MPI_COMM_SELF)
SPMD_STUB_MPI(MPI_Comm, MPI_COMM_NULL)
SPMD_STUB_MPI(MPI_Request, MPI_REQUEST_NULL)
SPMD_STUB_MPI(MPI_Info, MPI_INFO_NULL)
SPMD_STUB_MPI(MPI_Datatype, MPI_DATATYPE_NULL)
SPMD_STUB_MPI(MPI_Datatype, MPI_BYTE)
SPMD_STUB_MPI(MPI_Datatype, MPI_CHAR)
SPMD_STUB_MPI(MPI_Datatype, MPI_INT)
SPMD_STUB_MPI(MPI_Datatype, MPI_LONG)
SPMD_STUB_MPI(MPI_Datatype, MPI_INT64_T)
SPMD_STUB_MPI(MPI_Datatype, MPI_UINT64_T)
SPMD_STUB_MPI(MPI_Datatype, MPI_FLOAT)
SPMD_STUB_MPI(MPI_Datatype, MPI_DOUBLE)

// Open MPI's are casts of addresses, by a macro of a macro.
#define SPMD_STUB_MPI_OP(name) ((MPI_Op)((void *)&(spmd_stub_mpi_op_##name)))
extern struct ompi_predefined_op_t spmd_stub_mpi_op_sum, spmd_stub_mpi_op_prod,
    spmd_stub_mpi_op_max, spmd_stub_mpi_op_min, spmd_stub_mpi_op_land,
    spmd_stub_mpi_op_lor, spmd_stub_mpi_op_replace;
#define MPI_SUM SPMD_STUB_MPI_OP(sum)
#define MPI_REPLACE SPMD_STUB_MPI_OP(replace)
#define MPI_PROD SPMD_STUB_MPI_OP(prod)
#define MPI_MAX SPMD_STUB_MPI_OP(max)
#define MPI_MIN SPMD_STUB_MPI_OP(min)
#define MPI_LAND SPMD_STUB_MPI_OP(land)
#define MPI_LOR SPMD_STUB_MPI_OP(lor)

#define MPI_SUCCESS 0
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_UNDEFINED -32766
#define MPI_ANY_SOURCE -1
#define MPI_ANY_TAG -1
#define MPI_PROC_NULL -2
#define MPI_COMM_TYPE_SHARED 0
#define MPI_MAX_ERROR_STRING 256
#define MPI_THREAD_MULTIPLE 3
#define MPI_LOCK_EXCLUSIVE 1
#define MPI_LOCK_SHARED 2

int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Initialized(int *flag);
int MPI_Finalize(void);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Error_string(int code, char *string, int *length);
double MPI_Wtime(void);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                        MPI_Comm *newcomm);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);
int MPI_Comm_free(MPI_Comm *comm);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root,
              MPI_Comm comm);
int MPI_Reduce(const void *send, void *recv, int count, MPI_Datatype type,
               MPI_Op op, int root, MPI_Comm comm);
int MPI_Allreduce(const void *send, void *recv, int count, MPI_Datatype type,
                  MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter(const void *send, void *recv, const int counts[],
                       MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter_block(const void *send, void *recv, int count,
                             MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Scan(const void *send, void *recv, int count, MPI_Datatype type,
             MPI_Op op, MPI_Comm comm);
int MPI_Exscan(const void *send, void *recv, int count, MPI_Datatype type,
               MPI_Op op, MPI_Comm comm);
int MPI_Neighbor_allgather(const void *send, int sendcount,
                           MPI_Datatype sendtype, void *recv, int recvcount,
                           MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type,
                     int rank, MPI_Aint displacement, MPI_Op op, MPI_Win win);
int MPI_Cart_coords(MPI_Comm comm, int rank, int dims, int coords[]);

int MPI_Allgather(const void *send, int sendcount, MPI_Datatype sendtype,
                  void *recv, int recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm);
int MPI_Allgatherv(const void *send, int sendcount, MPI_Datatype sendtype,
                   void *recv, const int counts[], const int displs[],
                   MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Alltoall(const void *send, int sendcount, MPI_Datatype sendtype,
                 void *recv, int recvcount, MPI_Datatype recvtype,
                 MPI_Comm comm);
int MPI_Alltoallv(const void *send, const int sendcounts[], const int sdispls[],
                  MPI_Datatype sendtype, void *recv, const int recvcounts[],
                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm);
int MPI_Gather(const void *send, int sendcount, MPI_Datatype sendtype,
               void *recv, int recvcount, MPI_Datatype recvtype, int root,
               MPI_Comm comm);
int MPI_Scatter(const void *send, int sendcount, MPI_Datatype sendtype,
                void *recv, int recvcount, MPI_Datatype recvtype, int root,
                MPI_Comm comm);

int MPI_Iallreduce(const void *send, void *recv, int count, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm, MPI_Request *request);
int MPI_Iallgather(const void *send, int sendcount, MPI_Datatype sendtype,
                   void *recv, int recvcount, MPI_Datatype recvtype,
                   MPI_Comm comm, MPI_Request *request);
int MPI_Ireduce_scatter_block(const void *send, void *recv, int count,
                              MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request *request);
int MPI_Ialltoall(const void *send, int sendcount, MPI_Datatype sendtype,
                  void *recv, int recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm, MPI_Request *request);
int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root,
               MPI_Comm comm, MPI_Request *request);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest,
             int tag, MPI_Comm comm);
int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag,
             MPI_Comm comm, MPI_Status *status);
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest,
              int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag,
              MPI_Comm comm, MPI_Request *request);
int MPI_Sendrecv(const void *send, int sendcount, MPI_Datatype sendtype,
                 int dest, int sendtag, void *recv, int recvcount,
                 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                 MPI_Status *status);

int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int dest,
                         int sendtag, int source, int recvtag, MPI_Comm comm,
                         MPI_Status *status);
int MPI_Ireduce(const void *send, void *recv, int count, MPI_Datatype type,
                MPI_Op op, int root, MPI_Comm comm, MPI_Request *request);
int MPI_Igather(const void *send, int sendcount, MPI_Datatype sendtype,
                void *recv, int recvcount, MPI_Datatype recvtype, int root,
                MPI_Comm comm, MPI_Request *request);
int MPI_Waitany(int count, MPI_Request requests[], int *index,
                MPI_Status *status);
int MPI_Waitsome(int count, MPI_Request requests[], int *number, int indices[],
                 MPI_Status statuses[]);
int MPI_Testall(int count, MPI_Request requests[], int *flag,
                MPI_Status statuses[]);
int MPI_Bcast_init(void *buffer, int count, MPI_Datatype type, int root,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Request_free(MPI_Request *request);
int MPI_Cancel(MPI_Request *request);
int MPI_Send_init(const void *buffer, int count, MPI_Datatype type, int dest,
                  int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source,
                  int tag, MPI_Comm comm, MPI_Request *request);
int MPI_Allreduce_init(const void *send, void *recv, int count,
                       MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                       MPI_Info info, MPI_Request *request);
int MPI_Psend_init(const void *send, int parts, MPI_Count count,
                   MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Info info, MPI_Request *request);
int MPI_Precv_init(void *recv, int parts, MPI_Count count, MPI_Datatype type,
                   int source, int tag, MPI_Comm comm, MPI_Info info,
                   MPI_Request *request);
int MPI_Pready(int part, MPI_Request request);
int MPI_Parrived(MPI_Request request, int part, int *there);
int MPI_Type_contiguous(int count, MPI_Datatype of, MPI_Datatype *type);
int MPI_Type_vector(int count, int block, int stride, MPI_Datatype of,
                    MPI_Datatype *type);
int MPI_Type_dup(MPI_Datatype type, MPI_Datatype *copy);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int MPI_Group_incl(MPI_Group group, int n, const int ranks[],
                   MPI_Group *members);
int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Group_excl(MPI_Group group, int n, const int ranks[],
                   MPI_Group *members);
int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3],
                         MPI_Group *members);
int MPI_Group_difference(MPI_Group a, MPI_Group b, MPI_Group *members);
int MPI_Group_rank(MPI_Group group, int *rank);
int MPI_Group_free(MPI_Group *group);
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *members);
int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info,
                   MPI_Comm comm, MPI_Win *win);
int MPI_Win_free(MPI_Win *win);
int MPI_Win_fence(int assertion, MPI_Win win);
int MPI_Win_lock(int type, int rank, int assertion, MPI_Win win);
int MPI_Win_unlock(int rank, MPI_Win win);
int MPI_Win_lock_all(int assertion, MPI_Win win);
int MPI_Win_unlock_all(MPI_Win win);
int MPI_Win_flush(int rank, MPI_Win win);
int MPI_Win_post(MPI_Group group, int assertion, MPI_Win win);
int MPI_Win_start(MPI_Group group, int assertion, MPI_Win win);
int MPI_Win_complete(MPI_Win win);
int MPI_Win_wait(MPI_Win win);
int MPI_Put(const void *origin, int count, MPI_Datatype type, int rank,
            MPI_Aint displacement, int targetcount, MPI_Datatype targettype,
            MPI_Win win);
int MPI_Get(void *origin, int count, MPI_Datatype type, int rank,
            MPI_Aint displacement, int targetcount, MPI_Datatype targettype,
            MPI_Win win);
int MPI_Rget(void *origin, int count, MPI_Datatype type, int rank,
             MPI_Aint displacement, int targetcount, MPI_Datatype targettype,
             MPI_Win win, MPI_Request *request);
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag,
                          MPI_Comm *members);
int MPI_Start(MPI_Request *request);
int MPI_Startall(int count, MPI_Request requests[]);

#ifdef __cplusplus
} // extern "C"
#endif
#undef SPMD_STUB_MPI
