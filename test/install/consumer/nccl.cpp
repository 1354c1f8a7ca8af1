// NCCL's communicator, as far as it goes without a GPU.

#include <spmd/nccl.h>
#include <spmd/spmd.h>

int main() {
  try {
    spmd::nccl_backend(spmd::init());
  } catch (const spmd::Error &) {
    // No GPU.
  }
  try {
    spmd::NcclCommunicator None(nullptr);
  } catch (const spmd::Error &) {
    return 0;
  }
  return 1;
}
