#include "InstalledBackend.h"

#include "local/LocalBackend.h"
#include "local/World.h"

#include "spmd/stream.h"

namespace spmd {
namespace {

class HostAndDevice final : public Backend {
public:
  HostAndDevice(std::shared_ptr<Backend> Host, std::shared_ptr<Backend> Device)
      : By{std::move(Host), std::move(Device)} {}
  const char *name() const override { return By[0]->name(); }
  std::shared_ptr<Communicator> connect(const Axis &A) override {
    return By[0]->connect(A);
  }
  Memory &memory() override { return By[0]->memory(); }

  const std::shared_ptr<Backend> By[2];
};

/// Of the calling thread.
InstalledBackend &installed() {
  static InstalledBackend OfProcess{localBackend()};
  const local::Self &Here = local::self();
  InstalledBackend *const Own =
      Here.In ? &Here.In->backend(Here.Rank) : nullptr;
  return Own && Own->Whole ? *Own : OfProcess;
}

enum Side { Host, Device, Unsaid };
thread_local int Current = Unsaid;

/// The side of \p X; unsaid where it says nothing.
int sideOf(const View &X) {
  if (!X.data() && !X.numel())
    return Unsaid;
  return installed().By[Device]->memory().owns(X.data()) ? Device : Host;
}

int sideOf(const View &In, const View &Out) {
  if (Current != Unsaid || !installed().isTwo())
    return Current;
  const int Sides[] = {sideOf(In), sideOf(Out)};
  if (Sides[0] == Unsaid && Sides[1] == Unsaid)
    detail::fail("operand and result have neither elements nor an address, "
                 "which would say whether they are the host's or a device's");
  if (Sides[0] + Sides[1] == Host + Device)
    detail::fail(std::string("the operand is in the memory of ") +
                 (Sides[0] ? "a device, the result in that of the host"
                           : "the host, the result in that of a device"));
  return std::min(Sides[0], Sides[1]);
}

} // namespace

InstalledBackend::InstalledBackend(std::shared_ptr<Backend> B)
    : Whole(std::move(B)), By{Whole, Whole} {
  if (const auto *Two = dynamic_cast<const HostAndDevice *>(Whole.get()))
    std::copy(std::begin(Two->By), std::end(Two->By), By);
}

std::shared_ptr<Backend> host_and_device(std::shared_ptr<Backend> Host,
                                         std::shared_ptr<Backend> Device) {
  if (!Device)
    detail::fail("spmd::host_and_device: the device's backend is null");
  return std::make_shared<HostAndDevice>(
      Host ? std::move(Host) : localBackend(), std::move(Device));
}

detail::BackendScope::BackendScope(bool OnDevice)
    : Before(std::exchange(Current, OnDevice)) {}
detail::BackendScope::BackendScope(const View &In, const View &Out)
    : Before(std::exchange(Current, sideOf(In, Out))) {}
detail::BackendScope::~BackendScope() { Current = Before; }
bool detail::BackendScope::isOnDevice() { return Current == Device; }

void detail::cannotConnect(const Axis &A, const std::string &Why) {
  FailedCall Of;
  Of.Axis = A.name();
  Of.Cause = "no communicator: " + Why;
  fail("spmd: no communicator for " + describe(A) + ": " + Why, Of);
}

void detail::checkMembers(const Axis &A, const std::vector<int> &Members,
                          int Rank, int Size, const std::string &World) {
  if (A.globalRank() != Rank)
    cannotConnect(A, "its mesh was made for rank " +
                         std::to_string(A.globalRank()) + ", this is rank " +
                         std::to_string(Rank));
  for (int Member : Members)
    if (Member >= Size)
      cannotConnect(A, "rank " + std::to_string(Member) + " is on it, " +
                           World + " has " + std::to_string(Size) + " ranks");
}

std::shared_ptr<Backend> set_backend(std::shared_ptr<Backend> B) {
  const std::shared_ptr<Backend> Before = installed().Whole;
  const local::Self &Here = local::self();
  (Here.In ? Here.In->backend(Here.Rank) : installed()) =
      InstalledBackend(B ? std::move(B) : localBackend());
  return Before;
}

const std::shared_ptr<Backend> &backend() {
  return installed().By[detail::BackendScope::isOnDevice()];
}

/// By each of the two, or by one.
struct Axis::Connection {
  struct {
    std::shared_ptr<Backend> By;
    std::shared_ptr<Communicator> To;
  } Of[2];
  /// Who made the axis: threads that are no rank stand in for it.
  const local::RankOfRun Maker = local::RankOfRun::ofThread();
};

std::shared_ptr<Axis::Connection> Axis::unconnected() {
  return std::make_shared<Connection>();
}

const std::shared_ptr<Communicator> &Axis::connected() const {
  if (Foreign || !Made)
    return Foreign;
  const local::StandIn Here(Made->Maker);
  InstalledBackend &Now = installed();
  const std::shared_ptr<Backend> &By =
      Now.By[detail::BackendScope::isOnDevice()];
  auto &Known = Made->Of[Now.isTwo() && detail::BackendScope::isOnDevice()];
  if (Known.By != By) {
    // What has been started keeps its communicator, and its place.
    if (Known.To)
      Known.To->settle();
    Known.To = Size > 1 ? By->connect(*this) : nullptr;
    if (Size > 1 && !Known.To)
      detail::cannotConnect(*this, std::string("the backend '") + By->name() +
                                       "' gave none");
    Known.By = By;
  }
  return Known.To;
}

Memory &Axis::memory() const {
  if (Foreign)
    return Foreign->memory();
  static const local::RankOfRun Nobody;
  const local::StandIn Here(Made ? Made->Maker : Nobody);
  return backend()->memory();
}

} // namespace spmd
