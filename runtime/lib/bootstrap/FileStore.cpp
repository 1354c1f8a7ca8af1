#include "../RankList.h"
#include "Table.h"

#include "spmd/error.h"
#include "spmd/store.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

namespace spmd {
namespace {

namespace fs = std::filesystem;

/// Tells this object from all that have ever used the folder.
std::string nonce() {
  std::random_device Random;
  std::ostringstream Text;
  for (int Word = 0; Word < 4; ++Word)
    Text << std::hex << Random();
  return Text.str();
}

/// A key as a name of one file.
std::string fileName(const std::string &Key) {
  std::string Name = "key.";
  for (const char Letter : Key)
    if (std::isalnum(static_cast<unsigned char>(Letter)) || Letter == '-') {
      Name += Letter;
    } else {
      constexpr char Hex[] = "0123456789abcdef";
      const auto Byte = static_cast<unsigned char>(Letter);
      Name += {'%', Hex[Byte >> 4], Hex[Byte & 15]};
    }
  return Name;
}

[[noreturn]] void failTo(const char *Do, const fs::path &Path,
                         const std::error_code &Failed) {
  detail::fail(std::string("spmd: a store cannot ") + Do + " " + Path.string() +
               ": " + Failed.message());
}

/// Whole or not at all, as others see it.
void write(const fs::path &Path, const std::string &Text) {
  const fs::path Draft = Path.string() + "." + nonce();
  errno = 0;
  std::ofstream File(Draft, std::ios::binary);
  File << Text;
  File.close();
  std::error_code Failed;
  if (File)
    fs::rename(Draft, Path, Failed);
  else
    Failed.assign(errno ? errno : EIO, std::generic_category());
  if (Failed)
    failTo("write", Path, Failed);
}

void makeFolder(const fs::path &Path) {
  std::error_code Failed;
  fs::create_directories(Path, Failed);
  // It fails for a file in silence.
  if (!Failed && !fs::is_directory(Path, Failed) && !Failed)
    Failed = std::make_error_code(std::errc::not_a_directory);
  if (Failed)
    failTo("make", Path, Failed);
}

bool isThere(const fs::path &Path) {
  std::error_code Unknown;
  return fs::exists(Path, Unknown);
}

bool read(const fs::path &Path, std::string &Text) {
  std::ifstream File(Path, std::ios::binary);
  if (!File)
    return false;
  Text.assign(std::istreambuf_iterator<char>(File), {});
  return true;
}

/// Looks again and again, ever less often; false when time is up.
bool poll(const std::function<bool()> &Done) {
  const auto Until = std::chrono::steady_clock::now() + deadline();
  for (std::chrono::milliseconds Pause(1);;) {
    if (Done())
      return true;
    if (std::chrono::steady_clock::now() >= Until)
      return false;
    std::this_thread::sleep_for(Pause);
    Pause = std::min(Pause * 2, std::chrono::milliseconds(50));
  }
}

/// Each rank says hello with a number that nobody had before, and rank 0
/// answers with that number and the folder of this job, so that files of an
/// earlier one are not taken for this one's.
class FileStore final : public Store {
public:
  FileStore(fs::path At, int Rank, int Size)
      : Folder(std::move(At)), Rank(Rank), Size(Size) {
    makeFolder(Folder);
    if (Rank == 0)
      welcomeAll();
    else
      join();
  }

  ~FileStore() override {
    try {
      write(Session / named("left", Rank), "");
      for (int R = 0; R < Size; ++R)
        if (!isThere(Session / named("left", R)))
          return;
      for (int R = 1; R < Size; ++R) {
        fs::remove(Folder / named("hello", R));
        fs::remove(Folder / named("welcome", R));
      }
      fs::remove_all(Session);
    } catch (const std::exception &) {
      // Two who are both the last, or a folder that is gone: nothing to keep.
    }
  }

  void set(const std::string &Key, const std::string &Value) override {
    write(Session / fileName(Key), Value);
  }
  std::string get(const std::string &Key) override {
    std::string Value;
    if (!poll([&] { return read(Session / fileName(Key), Value); }))
      bootstrap::nobodySet(Key);
    return Value;
  }

private:
  static std::string named(const char *What, int Rank) {
    return std::string(What) + "." + std::to_string(Rank);
  }

  void welcomeAll() {
    const std::string Name = "job." + nonce();
    Session = Folder / Name;
    makeFolder(Session);
    std::vector<std::string> Answered(static_cast<std::size_t>(Size));
    std::string Missing;
    const auto Look = [&] {
      Missing.clear();
      for (int R = 1; R < Size; ++R) {
        if (isThere(Session / named("joined", R)))
          continue;
        detail::addRank(Missing, R);
        std::string Hello, &Last = Answered[static_cast<std::size_t>(R)];
        if (!read(Folder / named("hello", R), Hello) || Hello == Last)
          continue;
        write(Folder / named("welcome", R),
              Hello + " " + Name + " " + std::to_string(Size));
        Last = Hello;
      }
      return Missing.empty();
    };
    if (!poll(Look))
      detail::fail("spmd: " + Missing + " did not come to the store in " +
                   Folder.string() + " within " +
                   std::to_string(deadline().count()) + " ms");
  }

  void join() {
    const std::string Mine = nonce();
    write(Folder / named("hello", Rank), Mine);
    std::string Name;
    int Ranks = 0;
    const auto Look = [&] {
      std::string Text, To;
      return read(Folder / named("welcome", Rank), Text) &&
             std::istringstream(Text) >> To >> Name >> Ranks && To == Mine;
    };
    if (!poll(Look))
      detail::fail("spmd: rank 0 has not answered rank " +
                   std::to_string(Rank) + " in " + Folder.string() +
                   " within " + std::to_string(deadline().count()) + " ms");
    if (Ranks != Size)
      detail::fail("spmd: rank 0 says that there are " + std::to_string(Ranks) +
                   " ranks, rank " + std::to_string(Rank) + " says " +
                   std::to_string(Size));
    Session = Folder / Name;
    write(Session / named("joined", Rank), "");
  }

  const fs::path Folder;
  const int Rank, Size;
  fs::path Session;
};

} // namespace

std::shared_ptr<Store> file_store(const std::string &Folder, int Rank,
                                  int Size) {
  return std::make_shared<FileStore>(Folder, Rank, Size);
}

} // namespace spmd
