// Texts that are declared to be the same on all ranks, and are sent round as buffers are.
// RUN: %spmd-tidy --quiet %s -- %stubs 2>&1 | count 0
// RUN: not %spmd-tidy --quiet %s -- -DWRONG %stubs 2>&1 | FileCheck %s --implicit-check-not=error:
#include <mpi.h>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>
/// A file of the own rank in an object that is the same otherwise.
struct Named {
  std::string file;
  float *w;
};
void name([[spmd::type("tp: R")]] Named &n, [[spmd::axis("tp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    n.file = "log";
}

struct Options { [[spmd::type("tp: R")]] std::string model; [[spmd::type("tp: R")]] std::vector<std::string> files; };
void parse(Options &o, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    std::string arg = argv[i];
    if (arg == "--model") o.model = argv[i + 1];
    else if (arg.find("--file=") == 0) o.files.push_back(arg.substr(7));
    else o.files.push_back("x" + arg);
  }
  o.model += ".bin";
  o.model.append("x");
  o.model = o.model + "/" + o.files[0];
}
void send([[spmd::type("tp: R")]] std::string &text, [[spmd::axis("tp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  // CHECK: :[[#@LINE+1]]:7: error: parameter 'text' on exit must be R on 'tp', but 'text' is V
  if (rank == 0)
    std::getline(std::cin, text);
  int n = text.size();
  MPI_Bcast(&n, 1, MPI_INT, 0, comm);
  text.resize(n);
#ifndef WRONG
  MPI_Bcast(&text[0], n, MPI_CHAR, 0, comm);
#endif
}
void sendAll([[spmd::type("tp: R")]] std::vector<std::string> &texts, [[spmd::axis("tp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    std::string line;
    while (std::getline(std::cin, line))
      texts.push_back(line);
  }
  int n = texts.size();
  MPI_Bcast(&n, 1, MPI_INT, 0, comm);
  texts.resize(n);
  for (auto &s : texts) {
    int len = s.size();
    MPI_Bcast(&len, 1, MPI_INT, 0, comm);
    s.resize(len);
    MPI_Bcast(const_cast<char *>(s.data()), len, MPI_CHAR, 0, comm);
  }
}
void sendByBuffer([[spmd::type("tp: R")]] std::string &text, [[spmd::axis("tp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) text = "abc";
  int n = text.size();
  MPI_Bcast(&n, 1, MPI_INT, 0, comm);
  std::vector<char> buffer(n + 1);
  if (rank == 0) text.copy(buffer.data(), n);
  MPI_Bcast(buffer.data(), n, MPI_CHAR, 0, comm);
  text = std::string(buffer.data(), n);
}
void sendByAssign([[spmd::type("tp: R")]] std::string &text, [[spmd::axis("tp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  char buffer[128];
  if (rank == 0) {
    std::cin >> text;
    strncpy(buffer, text.c_str(), 128);
  }
  MPI_Bcast(buffer, 128, MPI_CHAR, 0, comm);
  if (rank != 0) text = buffer;
}
void log([[spmd::type("tp: R")]] const std::string &name, [[spmd::axis("tp")]] MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  std::string file = name + "." + std::to_string(rank);
  std::string line = "rank " + std::to_string(rank);
  if (rank == 0) file = name;
  std::cout << file << line;
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  [[spmd::axis("tp")]] MPI_Comm comm = MPI_COMM_WORLD;
  int rank;
  MPI_Comm_rank(comm, &rank);
  [[spmd::type("tp: R")]] std::vector<std::string> texts;
  // CHECK: :[[#@LINE+1]]:7: error: from here on 'texts' is V on 'tp', and nothing makes it R again
  if (rank == 0) {
    std::string line;
    while (std::getline(std::cin, line))
      texts.push_back(line);
  }
  int n = texts.size();
  MPI_Bcast(&n, 1, MPI_INT, 0, comm);
  if (rank != 0)
    texts.resize(n);
  for (int i = 0; i < n; i++) {
    int length = rank == 0 ? texts[i].size() : 0;
    MPI_Bcast(&length, 1, MPI_INT, 0, comm);
    texts[i].resize(length);
#ifndef WRONG
    MPI_Bcast(texts[i].data(), length, MPI_CHAR, 0, comm);
#endif
  }
  std::vector<std::string> copies = texts;
  if (rank == 0)
    copies.push_back("end");
  std::string first = texts[0];
  if (rank == 0)
    first += "!";
  MPI_Finalize();
}
