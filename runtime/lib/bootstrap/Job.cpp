#include "spmd/bootstrap.h"

#include "Launch.h"
#include "Variables.h"

#include "../local/World.h"

#include <mutex>

namespace spmd {

struct Job::State {
  bootstrap::Launch Is;
  std::mutex Lock;
  std::shared_ptr<Store> Known;
};

int Job::rank() const { return Is->Is.Rank; }
int Job::size() const { return Is->Is.Size; }
int Job::localRank() const { return Is->Is.LocalRank; }
const std::string &Job::launcher() const { return Is->Is.Launcher; }
const std::string &Job::rendezvous() const { return Is->Is.Rendezvous; }

Mesh Job::mesh(std::vector<Mesh::Dim> Dims) const {
  std::int64_t Ranks = 1;
  std::string Text;
  for (const Mesh::Dim &D : Dims) {
    Ranks *= D.Size;
    Text += (Text.empty() ? "" : ", ") + D.Name + "=" + std::to_string(D.Size);
  }
  if (Ranks != size())
    detail::fail("spmd::Job::mesh: " + Text + " makes " +
                 std::to_string(Ranks) + " ranks, the job has " +
                 std::to_string(size()) + " (" + launcher() + ")");
  return Mesh(std::move(Dims), rank());
}

static std::shared_ptr<Store> connect(const bootstrap::Launch &To) {
  if (To.Size == 1)
    return memory_store();
  if (To.Rendezvous.empty())
    bootstrap::failOn("MASTER_ADDR",
                      "the host of rank 0, and in MASTER_PORT a free port "
                      "there; SPMD_RENDEZVOUS does as well");
  const bootstrap::Place At = bootstrap::parsePlace(To.Rendezvous);
  try {
    return At.Path.empty()
               ? tcp_store(At.Host, At.Port, To.Rank, To.Size, To.Id)
               : file_store(At.Path, To.Rank, To.Size);
  } catch (const Error &E) {
    detail::fail(E.what() + ("; " + To.Because));
  }
}

Store &Job::store() const {
  const std::lock_guard<std::mutex> Held(Is->Lock);
  if (!Is->Known)
    Is->Known = connect(Is->Is);
  return *Is->Known;
}

Job init() {
  auto S = std::make_shared<Job::State>();
  const local::Self &Here = local::self();
  if (Here.In) {
    S->Is.Launcher = "run_local";
    S->Is.Rank = S->Is.LocalRank = Here.Rank;
    S->Is.Size = Here.In->size();
    S->Known = Here.In->store();
  } else {
    S->Is = bootstrap::readLaunch();
  }
  return Job(std::move(S));
}

} // namespace spmd
