//===- nvtx.h - Operators as ranges of NVTX ---------------------*- C++ -*-===//
//
// What Nsight Systems shows on a line of its own, domain "spmd". The headers of
// nvtx3 come with a CUDA toolkit; they load nothing unless a tool is attached,
// and work without a device.
//
//     spmd::set_profiler(std::make_shared<spmd::NvtxRanges>());
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_NVTX_H
#define SPMD_NVTX_H

#include "spmd/profile.h"

#include <nvtx3/nvToolsExt.h>

namespace spmd {

/// A range for each operator, "all_reduce over dp of 8 at train.cpp:12", with
/// the bytes of the operand as its payload. They may overlap, as started
/// operators do.
class NvtxRanges final : public Profiler {
public:
  std::uint64_t begin(const ProfiledCall &C) override {
    const std::string Text =
        std::string(C.Operator) + " over " + (*C.Axis ? C.Axis : "an axis") +
        " of " + std::to_string(C.Ranks) +
        (C.At.Line ? " at " + (C.At.File + (":" + std::to_string(C.At.Line)))
                   : "");
    nvtxEventAttributes_t Range = {};
    Range.version = NVTX_VERSION;
    Range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    Range.messageType = NVTX_MESSAGE_TYPE_ASCII;
    Range.message.ascii = Text.c_str();
    Range.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    Range.payload.llValue = C.Bytes;
    return nvtxDomainRangeStartEx(Domain, &Range);
  }
  void end(std::uint64_t Begun) noexcept override {
    nvtxDomainRangeEnd(Domain, Begun);
  }

private:
  /// Of the process, which has one of each name.
  const nvtxDomainHandle_t Domain = nvtxDomainCreateA("spmd");
};

} // namespace spmd

#endif // SPMD_NVTX_H
