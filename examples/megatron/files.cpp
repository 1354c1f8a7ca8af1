#include "files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <unistd.h>

namespace megatron {
namespace {

[[noreturn]] void refuse(const std::string &what, const std::string &path) {
  throw std::runtime_error("cannot " + what + " " + path + ": " +
                           std::strerror(errno));
}

} // namespace

std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    refuse("read", path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void write_file(const std::string &path, const std::string &content) {
  const std::string part = path + ".part";
  std::FILE *file = std::fopen(part.c_str(), "wb");
  if (!file)
    refuse("write", part);
  const bool written =
      std::fwrite(content.data(), 1, content.size(), file) == content.size() &&
      std::fflush(file) == 0 && fsync(fileno(file)) == 0;
  if (std::fclose(file) != 0 || !written)
    refuse("write", part);
  if (std::rename(part.c_str(), path.c_str()) != 0)
    refuse("write", path);
}

} // namespace megatron
