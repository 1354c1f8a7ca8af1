// Ranges of NVTX, as a tool that is attached gets them.

#include <spmd/nvtx.h>
#include <spmd/spmd.h>

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

/// What the tool has been told, by the number of the range.
struct Tool {
  std::mutex Lock;
  std::string Domain;
  std::map<nvtxRangeId_t, std::string> Open;
  std::vector<std::string> Ended;
};
Tool &tool() {
  static Tool Only;
  return Only;
}

nvtxDomainHandle_t createDomain(const char *Name) {
  tool().Domain = Name;
  return reinterpret_cast<nvtxDomainHandle_t>(&tool());
}

nvtxRangeId_t startRange(nvtxDomainHandle_t, const nvtxEventAttributes_t *E) {
  const std::lock_guard<std::mutex> Held(tool().Lock);
  static nvtxRangeId_t Last = 0;
  tool().Open[++Last] =
      std::string(E->message.ascii) + ": " + std::to_string(E->payload.llValue);
  return Last;
}

void endRange(nvtxDomainHandle_t, nvtxRangeId_t Range) {
  const std::lock_guard<std::mutex> Held(tool().Lock);
  tool().Ended.push_back(tool().Open.at(Range));
  tool().Open.erase(Range);
}

/// Puts the tool's functions in the places of those that do nothing.
int attach(NvtxGetExportTableFunc_t TableOf) {
  const auto *Tables = static_cast<const NvtxExportTableCallbacks *>(
      TableOf(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable Functions = nullptr;
  unsigned Size = 0;
  if (!Tables ||
      !Tables->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &Functions, &Size))
    return 0;
  *Functions[NVTX_CBID_CORE2_DomainCreateA] =
      reinterpret_cast<NvtxFunctionPointer>(createDomain);
  *Functions[NVTX_CBID_CORE2_DomainRangeStartEx] =
      reinterpret_cast<NvtxFunctionPointer>(startRange);
  *Functions[NVTX_CBID_CORE2_DomainRangeEnd] =
      reinterpret_cast<NvtxFunctionPointer>(endRange);
  return 1;
}

TEST(Nvtx, OperatorsAreRanges) {
  // Asked for at the first call of NVTX in the process.
  InitializeInjectionNvtx2_fnptr = attach;
  const auto Before = spmd::set_profiler(std::make_shared<spmd::NvtxRanges>());
  spmd::run_local(2, [](int Rank) {
    const spmd::Axis A = spmd::Mesh({{"dp", 2}}, Rank).axis("dp");
    float X[4] = {};
    all_reduce(spmd::View(X, {4}), A, spmd::P, spmd::R, {"train.cpp", 12});
  });
  spmd::set_profiler(Before);
  const std::string Range = "all_reduce over dp of 2 at train.cpp:12: 16";
  EXPECT_EQ("spmd", tool().Domain);
  EXPECT_EQ((std::vector<std::string>{Range, Range}), tool().Ended);
  EXPECT_TRUE(tool().Open.empty());
}

} // namespace
