// Whole files: they are written in full or not at all.

#pragma once

#include <string>

namespace megatron {

/// Throws std::runtime_error that names the file.
std::string read_file(const std::string &path);

/// Replaces \p path at once: a reader, or a crash, sees the old content or the
/// new one. Throws std::runtime_error that names the file.
void write_file(const std::string &path, const std::string &content);

/// Throws the same where write_file would, before there is anything to write.
void require_writable(const std::string &path);

} // namespace megatron
