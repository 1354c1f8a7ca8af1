// NCCL's communicator, as far as it goes without a GPU.

#include <spmd/nccl.h>

int main() {
  try {
    spmd::NcclCommunicator None(nullptr);
  } catch (const spmd::Error &) {
    return 0;
  }
  return 1;
}
