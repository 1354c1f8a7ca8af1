#include "rendezvous.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace zero {
namespace {

constexpr int seconds_to_wait = 60;

[[noreturn]] void refuse(const char *what, const World &world) {
  std::fprintf(stderr, "zero: rank %d cannot %s %s:%s\n", world.rank, what,
               world.host.c_str(), world.port.c_str());
  std::exit(1);
}

int integer(const char *variable, int otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

addrinfo *resolve(const World &world, bool passive) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = passive ? AI_PASSIVE : 0;
  addrinfo *found = nullptr;
  const char *host = passive ? nullptr : world.host.c_str();
  if (getaddrinfo(host, world.port.c_str(), &hints, &found) != 0)
    refuse("resolve", world);
  return found;
}

void limit_wait(int socket) {
  timeval limit = {};
  limit.tv_sec = seconds_to_wait;
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

void serve(const void *bytes, std::size_t size, const World &world) {
  addrinfo *address = resolve(world, /*passive=*/true);
  const int listener = socket(address->ai_family, SOCK_STREAM, 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (listener < 0 ||
      bind(listener, address->ai_addr, address->ai_addrlen) != 0 ||
      listen(listener, world.size) != 0)
    refuse("listen on", world);
  freeaddrinfo(address);
  limit_wait(listener);
  for (int others = world.size - 1; others > 0; --others) {
    const int peer = accept(listener, nullptr, nullptr);
    if (peer < 0 ||
        send(peer, bytes, size, MSG_NOSIGNAL) != static_cast<ssize_t>(size))
      refuse("serve all ranks at", world);
    close(peer);
  }
  close(listener);
}

int connect_to_first(const World &world) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(seconds_to_wait);
  while (std::chrono::steady_clock::now() < deadline) {
    addrinfo *addresses = resolve(world, /*passive=*/false);
    for (addrinfo *a = addresses; a; a = a->ai_next) {
      const int peer = socket(a->ai_family, SOCK_STREAM, 0);
      if (peer >= 0 && connect(peer, a->ai_addr, a->ai_addrlen) == 0) {
        freeaddrinfo(addresses);
        return peer;
      }
      close(peer);
    }
    freeaddrinfo(addresses);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  refuse("connect to", world);
}

void receive(void *bytes, std::size_t size, const World &world) {
  const int peer = connect_to_first(world);
  limit_wait(peer);
  if (recv(peer, bytes, size, MSG_WAITALL) != static_cast<ssize_t>(size))
    refuse("receive from", world);
  close(peer);
}

} // namespace

World world_from_environment() {
  World world;
  world.rank = integer("RANK", 0);
  world.size = integer("WORLD_SIZE", 1);
  world.local_rank = integer("LOCAL_RANK", world.rank);
  if (const char *host = std::getenv("MASTER_ADDR"))
    world.host = host;
  if (const char *port = std::getenv("MASTER_PORT"))
    world.port = port;
  return world;
}

void broadcast_bytes(void *bytes, std::size_t size, const World &world) {
  if (world.size == 1)
    return;
  if (world.rank == 0)
    serve(bytes, size, world);
  else
    receive(bytes, size, world);
}

} // namespace zero
