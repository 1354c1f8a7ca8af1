#include "SharedWords.h"

#include <cstdio>
#include <random>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace spmd::mpi {
namespace {

/// Of this process; the system maps some tens of thousands of pieces of memory,
/// which are not for us alone.
constexpr int Most = 1000;
int Alive = 0;

/// A name that no other job of the node has.
struct Name {
  char Text[40];
  explicit Name(std::uint64_t Number) {
    std::snprintf(Text, sizeof Text, "/spmd-%016llx",
                  static_cast<unsigned long long>(Number));
  }
};

/// \p Bytes of what has been opened as \p File, or null.
void *map(int File, std::size_t Bytes) {
  if (File < 0)
    return nullptr;
  void *const At =
      mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_SHARED, File, 0);
  close(File);
  return At == MAP_FAILED ? nullptr : At;
}

/// Zeros, as a new file is; nobody else may open it.
void *create(const Name &N, std::size_t Bytes) {
  const int File = shm_open(N.Text, O_RDWR | O_CREAT | O_EXCL, 0600);
  // Reserved at once: what a full file system cannot hold would end a process
  // that touches it.
  if (File >= 0 && posix_fallocate(File, 0, static_cast<off_t>(Bytes)) != 0) {
    close(File);
    return nullptr;
  }
  return map(File, Bytes);
}

} // namespace

std::unique_ptr<SharedWords> SharedWords::open(MPI_Comm Comm, int Ranks,
                                               int Self) {
  if (Ranks == 1)
    return nullptr;
  std::uint64_t Number = 0;
  if (Self == 0) {
    std::random_device Random;
    Number = static_cast<std::uint64_t>(Random()) << 32 | Random();
  }
  void *At = nullptr;
  if (Self == 0 && Alive < Most)
    At = create(Name(Number), bytes(Ranks));
  MPI_Bcast(&Number, 1, MPI_UINT64_T, 0, Comm);
  const Name Known(Number);
  if (Self != 0 && Alive < Most)
    At = map(shm_open(Known.Text, O_RDWR, 0), bytes(Ranks));
  int Mine = At != nullptr, All = 0;
  MPI_Allreduce(&Mine, &All, 1, MPI_INT, MPI_MIN, Comm);
  if (Self == 0)
    shm_unlink(Known.Text);
  if (All) {
    ++Alive;
    return std::unique_ptr<SharedWords>(
        new SharedWords(static_cast<Slot *>(At), Ranks, Self));
  }
  if (At)
    munmap(At, bytes(Ranks));
  return nullptr;
}

SharedWords::~SharedWords() {
  --Alive;
  munmap(Slots, bytes(Ranks));
}

void SharedWords::say(Word Mine) {
  ++Operators;
  Next = 0;
  at(Self).Said = Mine;
  at(Self).Came.store(Operators, std::memory_order_release);
}

bool SharedWords::haveAllSaid() {
  while (Next < Ranks &&
         at(Next).Came.load(std::memory_order_acquire) >= Operators)
    ++Next;
  return Next == Ranks;
}

SharedWords::Word SharedWords::of(int Rank) const { return at(Rank).Said; }

} // namespace spmd::mpi
