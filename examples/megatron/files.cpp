#include "files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
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
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    refuse("read", path);
  std::string text;
  char part[1 << 16];
  while (const size_t size = std::fread(part, 1, sizeof part, file))
    text.append(part, size);
  // A folder can be opened.
  const int why = std::ferror(file) ? errno : 0;
  std::fclose(file);
  if ((errno = why) != 0)
    refuse("read", path);
  return text;
}

void require_writable(const std::string &path) {
  const std::string part = path + ".part";
  std::FILE *file = std::fopen(part.c_str(), "wb");
  if (!file)
    refuse("write", part);
  std::fclose(file);
  std::remove(part.c_str());
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
