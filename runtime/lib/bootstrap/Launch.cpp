#include "Launch.h"

#include "Variables.h"

#include <cstdint>

namespace spmd::bootstrap {
namespace {

/// The names under which a launcher says who this is.
struct Names {
  const char *Launcher, *Rank, *Size, *LocalRank, *LocalSize;
};

constexpr Names Torchrun = {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK",
                            "LOCAL_WORLD_SIZE"};
constexpr Names OpenMpi = {"Open MPI", "OMPI_COMM_WORLD_RANK",
                           "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                           "OMPI_COMM_WORLD_LOCAL_SIZE"};
/// In a job step the step's number of tasks counts, not that of the allocation.
constexpr Names Slurm = {"Slurm", "SLURM_PROCID", "SLURM_NTASKS",
                         "SLURM_LOCALID", nullptr};
constexpr Names SlurmStep = {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS",
                             "SLURM_LOCALID", nullptr};

std::string is(const char *Name) {
  return std::string(Name) + " is '" + text(Name) + "'";
}

Launch readRanks(const Names &By) {
  Launch L;
  L.Launcher = By.Launcher;
  L.Size = number(By.Size, 1, INT_MAX,
                  std::string("the number of ranks, at least 1") +
                      (isSet(By.Rank) ? ", as " + is(By.Rank) : ""));
  const std::string Because = ", as " + is(By.Size);
  L.Rank = number(By.Rank, 0, L.Size - 1,
                  "a rank from 0 to " + std::to_string(L.Size - 1) + Because);
  int LocalSize = L.Size;
  std::string LocalBecause = Because;
  if (By.LocalSize && isSet(By.LocalSize)) {
    LocalSize = number(By.LocalSize, 1, L.Size,
                       "the number of ranks on this host, at most " +
                           std::to_string(L.Size) + Because);
    LocalBecause = ", as " + is(By.LocalSize);
  }
  L.LocalRank = number(By.LocalRank, 0, LocalSize - 1,
                       "a rank on this host from 0 to " +
                           std::to_string(LocalSize - 1) + LocalBecause);
  return L;
}

/// RANK of a shell that calls mpirun would make all processes one rank. Under
/// torchrun's own agents it is mpirun that starts one agent a host.
void checkAgree() {
  if (!isSet(OpenMpi.Rank) || isSet("TORCHELASTIC_RUN_ID"))
    return;
  if (text(Torchrun.Rank) != text(OpenMpi.Rank))
    failOn(Torchrun.Rank,
           "nothing or the same, as " + is(OpenMpi.Rank) + " under mpirun");
  if (text(Torchrun.Size) != text(OpenMpi.Size))
    failOn(Torchrun.Size,
           "nothing or the same, as " + is(OpenMpi.Size) + " under mpirun");
}

std::string tcp(const std::string &Host, int Port) {
  return "tcp://" + Host + ":" + std::to_string(Port);
}

/// A port that all ranks find by themselves, below those that systems give out.
int portOf(const std::string &Job) {
  std::uint32_t Hash = 2166136261U;
  for (const char Letter : Job)
    Hash = (Hash ^ static_cast<unsigned char>(Letter)) * 16777619U;
  return 20000 + static_cast<int>(Hash % 12000);
}

std::string masterPlace() {
  if (!isSet("MASTER_ADDR") && !isSet("MASTER_PORT"))
    return {};
  if (!isSet("MASTER_ADDR"))
    failOn("MASTER_ADDR", "the host of rank 0, as " + is("MASTER_PORT"));
  int Port = number("MASTER_PORT", 1, 65535,
                    "a port from 1 to 65535, as " + is("MASTER_ADDR"));
  // torchrun's agent has taken the port itself.
  if (text("TORCHELASTIC_USE_AGENT_STORE") == "True")
    Port += Port == 65535 ? -1 : 1;
  return tcp(text("MASTER_ADDR"), Port);
}

std::string slurmPlace(const std::string &Id) {
  for (const char *Name :
       {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"})
    if (isSet(Name))
      return tcp(firstNode(Name), portOf(Id));
  failOn("SLURM_STEP_NODELIST",
         "the nodes of the job step, the first of which has rank 0; "
         "MASTER_ADDR and MASTER_PORT, or SPMD_RENDEZVOUS, do as well");
}

void placeRanks(Launch &L) {
  for (const char *Part :
       {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "PMIX_NAMESPACE",
        "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT"})
    if (isSet(Part))
      L.Id += (L.Id.empty() ? "" : ".") + text(Part);
  L.Rendezvous = text("SPMD_RENDEZVOUS");
  if (!L.Rendezvous.empty())
    parsePlace(L.Rendezvous);
  else if (L.Rendezvous = masterPlace(); !L.Rendezvous.empty())
    return;
  else if (L.Launcher == std::string("Slurm"))
    L.Rendezvous = slurmPlace(L.Id);
  // Nothing says on which host rank 0 is; if there is one alone, this.
  else if (L.Launcher == std::string("Open MPI") &&
           text(OpenMpi.LocalSize) == text(OpenMpi.Size))
    L.Rendezvous = tcp("127.0.0.1", portOf(L.Id));
}

} // namespace

Place parsePlace(const std::string &Rendezvous) {
  const std::string Tcp = "tcp://", File = "file://";
  Place P;
  if (Rendezvous.rfind(File, 0) == 0)
    P.Path = Rendezvous.substr(File.size());
  if (!P.Path.empty() && P.Path[0] == '/')
    return P;
  // The host of an IPv6 address has colons of its own.
  const std::size_t Colon = Rendezvous.rfind(':');
  if (Rendezvous.rfind(Tcp, 0) == 0 && Colon > Tcp.size()) {
    P.Host = Rendezvous.substr(Tcp.size(), Colon - Tcp.size());
    if (P.Host.size() > 2 && P.Host.front() == '[' && P.Host.back() == ']')
      P.Host = P.Host.substr(1, P.Host.size() - 2);
    for (std::size_t At = Colon + 1; At < Rendezvous.size(); ++At) {
      const int Digit = Rendezvous[At] - '0';
      P.Port = Digit < 0 || Digit > 9 || P.Port > 65535 ? 65536
                                                        : P.Port * 10 + Digit;
    }
    if (P.Port >= 1 && P.Port <= 65535)
      return P;
  }
  failOn("SPMD_RENDEZVOUS",
         "'tcp://<host>:<port>' or 'file://<absolute path>'");
}

Launch readLaunch() {
  Launch L;
  if (isSet(Torchrun.Rank) || isSet(Torchrun.Size)) {
    checkAgree();
    L = readRanks(Torchrun);
  } else if (isSet(OpenMpi.Rank) || isSet(OpenMpi.Size)) {
    L = readRanks(OpenMpi);
  } else if (isSet(Slurm.Rank)) {
    L = readRanks(isSet(SlurmStep.Size) ? SlurmStep : Slurm);
  } else {
    L.Launcher = "none";
    return L;
  }
  placeRanks(L);
  return L;
}

} // namespace spmd::bootstrap
