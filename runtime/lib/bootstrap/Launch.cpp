#include "Launch.h"

#include "Variables.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>

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

Launch readRanks(const Names &By) {
  Launch L;
  L.Launcher = By.Launcher;
  L.Size = number(By.Size, 1, INT_MAX,
                  std::string("the number of ranks, at least 1") +
                      (isSet(By.Rank) ? ", as " + is(By.Rank) : "") +
                      (By.Size == Slurm.Size ? "; srun sets it" : ""));
  const std::string Because = ", as " + is(By.Size);
  L.Rank = number(By.Rank, 0, L.Size - 1,
                  "a rank from 0 to " + std::to_string(L.Size - 1) + Because);
  int LocalSize = L.Size;
  std::string LocalBecause = Because;
  if (By.LocalSize && isSet(By.LocalSize)) {
    LocalSize = number(By.LocalSize, 1, L.Size,
                       "the number of ranks on this host, from 1 to " +
                           std::to_string(L.Size) + Because);
    LocalBecause = ", as " + is(By.LocalSize);
  }
  L.LocalRank = number(By.LocalRank, 0, LocalSize - 1,
                       "a rank on this host from 0 to " +
                           std::to_string(LocalSize - 1) + LocalBecause);
  L.Because = "; " + is(By.Rank) + " of " + By.Size + " '" + text(By.Size) +
              "', expected each rank once";
  return L;
}

/// A process that is one of several, and does not know which, would take
/// itself for a job of one.
void checkAlone() {
  for (const Names &By : {Torchrun, OpenMpi, Slurm})
    if (std::getenv(By.Rank))
      failOn(By.Rank, "this process's rank, or no such variable");
  for (const char *Name : {Torchrun.LocalRank, Torchrun.LocalSize,
                           "SPMD_RENDEZVOUS", "PMI_RANK", "PMIX_RANK"})
    if (isSet(Name))
      failOn(Torchrun.Rank,
             "this process's rank, and in WORLD_SIZE how many there are, as " +
                 is(Name) + ", and no known launcher gives one");
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

/// Without the brackets of IPv6.
std::string bare(const std::string &Host) {
  const bool HasBrackets =
      Host.size() > 2 && Host.front() == '[' && Host.back() == ']';
  return HasBrackets ? Host.substr(1, Host.size() - 2) : Host;
}

/// A name or an address, that of IPv6 in brackets or not.
bool isHost(const std::string &Host) {
  const std::string Text = bare(Host);
  return !Text.empty() && Text.find_first_of(" \t\r\n/[]") == Text.npos &&
         std::count(Text.begin(), Text.end(), ':') != 1;
}

constexpr char HostAndPort[] = "the host of rank 0 and a port that is free "
                               "there";

struct MeetingPlace {
  std::string Rendezvous, Because;
};

MeetingPlace masterPlace() {
  if (!isSet("MASTER_ADDR") && !isSet("MASTER_PORT"))
    return {};
  if (!isSet("MASTER_ADDR"))
    failOn("MASTER_ADDR", "the host of rank 0, as " + is("MASTER_PORT"));
  if (!isHost(text("MASTER_ADDR")))
    failOn("MASTER_ADDR", "the host of rank 0, its name or address alone");
  int Port = number("MASTER_PORT", 1, 65535,
                    "a port from 1 to 65535, as " + is("MASTER_ADDR"));
  std::string Because = is("MASTER_ADDR") + " and " + is("MASTER_PORT");
  // torchrun's agent has taken the port itself.
  if (text("TORCHELASTIC_USE_AGENT_STORE") == "True") {
    Because += ", after which torchrun's agent leaves one free";
    Port += Port == 65535 ? -1 : 1;
  }
  return {tcp(text("MASTER_ADDR"), Port),
          Because + ", expected " + HostAndPort};
}

/// Where a launcher says no port.
MeetingPlace madePlace(const std::string &Host, const std::string &Id,
                       const std::string &Says) {
  return {tcp(Host, portOf(Id)),
          Says + ", and the port is made of the job's id '" + Id +
              "'; set MASTER_ADDR and MASTER_PORT to " + HostAndPort};
}

MeetingPlace slurmPlace(const std::string &Id) {
  for (const char *Name :
       {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"})
    if (isSet(Name))
      return madePlace(firstNode(Name), Id,
                       is(Name) + ", whose first node is to have rank 0");
  failOn("SLURM_STEP_NODELIST",
         "the nodes of the job step, the first of which has rank 0; "
         "MASTER_ADDR and MASTER_PORT, or SPMD_RENDEZVOUS, do as well");
}

MeetingPlace chosenPlace(const std::string &Rendezvous) {
  const bool IsFolder = !parsePlace(Rendezvous).Path.empty();
  return {Rendezvous, is("SPMD_RENDEZVOUS") + ", expected " +
                          (IsFolder ? "a folder that all ranks see and write to"
                                    : HostAndPort)};
}

MeetingPlace placeOf(const Launch &L) {
  if (isSet("SPMD_RENDEZVOUS"))
    return chosenPlace(text("SPMD_RENDEZVOUS"));
  if (MeetingPlace Said = masterPlace(); !Said.Rendezvous.empty())
    return Said;
  if (L.Launcher == std::string("Slurm"))
    return slurmPlace(L.Id);
  // Nothing says on which host rank 0 is; if there is one alone, this.
  if (L.Launcher == std::string("Open MPI") &&
      text(OpenMpi.LocalSize) == text(OpenMpi.Size))
    return madePlace("127.0.0.1", L.Id,
                     is(OpenMpi.LocalSize) +
                         ", so that all ranks are on this host");
  return {};
}

void placeRanks(Launch &L) {
  for (const char *Part :
       {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "PMIX_NAMESPACE",
        "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT"})
    if (isSet(Part))
      L.Id += (L.Id.empty() ? "" : ".") + text(Part);
  const MeetingPlace At = placeOf(L);
  L.Rendezvous = At.Rendezvous;
  L.Because = At.Because + L.Because;
}

} // namespace

Place parsePlace(const std::string &Rendezvous) {
  const std::string Tcp = "tcp://", File = "file://";
  Place P;
  if (Rendezvous.rfind(File, 0) == 0)
    P.Path = Rendezvous.substr(File.size());
  if (!P.Path.empty() && P.Path[0] == '/' &&
      !std::isspace(static_cast<unsigned char>(P.Path.back())))
    return P;
  // The host of an IPv6 address has colons of its own.
  const std::size_t Colon = Rendezvous.rfind(':');
  if (Rendezvous.rfind(Tcp, 0) == 0 && Colon > Tcp.size()) {
    const std::string Host = Rendezvous.substr(Tcp.size(), Colon - Tcp.size());
    P.Host = bare(Host);
    for (std::size_t At = Colon + 1; At < Rendezvous.size(); ++At) {
      const int Digit = Rendezvous[At] - '0';
      P.Port = Digit < 0 || Digit > 9 || P.Port > 65535 ? 65536
                                                        : P.Port * 10 + Digit;
    }
    if (isHost(Host) && P.Port >= 1 && P.Port <= 65535)
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
    checkAlone();
    L.Launcher = "none";
    return L;
  }
  placeRanks(L);
  return L;
}

} // namespace spmd::bootstrap
