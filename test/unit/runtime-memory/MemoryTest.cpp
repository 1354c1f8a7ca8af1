// Copies, fills and sums' scaling in the memory of the host and, where there is
// one, of a CUDA device: the same cases, as bytes go up and come down.

#include <spmd/spmd.h>

#ifdef SPMD_HAVE_DEVICE
#include "DeviceMemory.h"
#endif

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

using spmd::DType;
using spmd::Shape;

namespace {

enum class Place { Host, Device };

class Memories : public ::testing::TestWithParam<Place> {
protected:
  void SetUp() override {
    if (GetParam() == Place::Host) {
      M = &spmd::hostMemory();
      return;
    }
#ifdef SPMD_HAVE_DEVICE
    int Devices = 0;
    if (cudaGetDeviceCount(&Devices) != cudaSuccess || Devices == 0)
      GTEST_SKIP() << "no CUDA device: the kernels were compiled, not run";
    Device = spmd::deviceMemory(nullptr, 0);
    M = Device.get();
#else
    GTEST_SKIP() << "built without CUDA";
#endif
  }

  /// Room for \p Bytes that begins \p Off bytes after an aligned address.
  char *room(std::size_t Bytes, std::size_t Off) {
    Held.push_back(M->allocate(Bytes + Off + 64));
    return static_cast<char *>(Held.back().get()) + Off;
  }
  char *uploaded(const std::vector<unsigned char> &X, std::size_t Off) {
    char *const To = room(X.size(), Off);
    M->upload(To, X.data(), X.size());
    return To;
  }
  std::vector<unsigned char> downloaded(const void *From, std::size_t Bytes) {
    std::vector<unsigned char> Out(Bytes);
    M->download(Out.data(), From, Bytes);
    return Out;
  }

  spmd::Memory *M = nullptr;
  std::unique_ptr<spmd::Memory> Device;
  std::vector<std::shared_ptr<void>> Held;
};

std::vector<unsigned char> counted(std::size_t N) {
  std::vector<unsigned char> Out(N);
  for (std::size_t I = 0; I < N; ++I)
    Out[I] = static_cast<unsigned char>(I * 7 + I / 251);
  return Out;
}

TEST_P(Memories, RowsOfAllSizesAndAlignments) {
  for (const std::size_t Row :
       {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 32u, 48u, 64u, 100u, 4096u, 5000u})
    for (const std::size_t Rows : {0u, 1u, 2u, 7u, 300u})
      for (const std::size_t Off : {0u, 1u, 4u, 8u}) {
        const std::size_t From = Row + 16 * (Row % 3), To = Row + Off;
        const auto In = counted(From * Rows + Row);
        std::vector<unsigned char> Expected(To * Rows + Row, 0xee);
        const char *X = uploaded(In, Off);
        char *const Y = uploaded(Expected, 0);
        M->copyRows(Y, To, X, From, Row, Rows);
        for (std::size_t R = 0; R < Rows; ++R)
          std::copy_n(In.begin() + static_cast<std::ptrdiff_t>(R * From), Row,
                      Expected.begin() + static_cast<std::ptrdiff_t>(R * To));
        ASSERT_EQ(Expected, downloaded(Y, Expected.size()))
            << Rows << " rows of " << Row << " at " << Off;
        Held.clear();
      }
}

void expectCopied(const spmd::StridedCopy &C,
                  const std::vector<unsigned char> &In,
                  std::vector<unsigned char> &Out) {
  std::vector<std::int64_t> At(C.Extents.size(), 0);
  for (std::int64_t N = 0; N < C.Extents.numel(); ++N) {
    std::int64_t Rest = N, To = 0, From = 0;
    for (std::size_t D = C.Extents.size(); D-- > 0; Rest /= C.Extents[D]) {
      To += Rest % C.Extents[D] * C.To[D];
      From += Rest % C.Extents[D] * C.From[D];
    }
    for (std::size_t B = 0; B < C.Size; ++B)
      Out[static_cast<std::size_t>(To) * C.Size + B] =
          In[static_cast<std::size_t>(From) * C.Size + B];
  }
}

TEST_P(Memories, StridedCopies) {
  const std::pair<Shape, std::pair<Shape, Shape>> Cases[] = {
      {{}, {{}, {}}},
      {{0}, {{1}, {1}}},
      {{7}, {{1}, {3}}},
      {{5, 6}, {{6, 1}, {1, 5}}},                  // transposed
      {{70, 40}, {{1, 70}, {48, 1}}},              // transposed, in tiles
      {{3, 33, 65}, {{33, 1, 99}, {2200, 65, 1}}}, // many of them, not full
      {{9, 2, 40, 3}, {{1, 9, 18, 720}, {240, 3, 6, 1}}},
      {{3, 4, 8}, {{40, 8, 1}, {32, 8, 1}}},
      {{3, 4, 8}, {{32, 8, 1}, {100, 16, 1}}}, // runs of eight
      {{3, 4, 5}, {{20, 5, 1}, {1, 3, 12}}},
      {{2, 3, 4, 5}, {{60, 1, 15, 3}, {60, 20, 5, 1}}},
      {{4, 1, 6}, {{6, 99, 1}, {12, 7, 2}}},
  };
  for (const auto &[Extents, Strides] : Cases)
    for (const std::size_t Size : {1u, 2u, 4u, 8u}) {
      const spmd::StridedCopy C = {Extents, Strides.first, Strides.second,
                                   Size};
      const auto In = counted(8000 * Size);
      std::vector<unsigned char> Expected(8000 * Size, 0xee);
      const char *X = uploaded(In, 0);
      char *const Y = uploaded(Expected, 0);
      M->copyStrided(Y, X, C);
      expectCopied(C, In, Expected);
      ASSERT_EQ(Expected, downloaded(Y, Expected.size()))
          << Extents.str() << " of " << Size;
      Held.clear();
    }
}

/// A piece of \p Whole for each rank, whose runs are so many bytes of each row.
std::vector<unsigned char> piecesOf(const std::vector<unsigned char> &Whole,
                                    const std::vector<std::int64_t> &Runs) {
  const auto Pitch = std::accumulate(Runs.begin(), Runs.end(), std::int64_t(0));
  std::vector<unsigned char> Out;
  std::int64_t Before = 0;
  for (const std::int64_t Run : Runs) {
    for (auto Row = Whole.begin(); Row != Whole.end(); Row += Pitch)
      Out.insert(Out.end(), Row + Before, Row + Before + Run);
    Before += Run;
  }
  return Out;
}

TEST_P(Memories, PiecesOfAllRanks) {
  const std::vector<std::int64_t> Uneven[] = {
      {3, 3, 1}, {0, 5}, {64, 0, 64, 1}, {1000, 999}};
  std::vector<std::vector<std::int64_t>> Cases(std::begin(Uneven),
                                               std::end(Uneven));
  for (const std::int64_t Run : {1, 4, 8, 12, 16, 32, 64, 100, 128, 4096})
    for (const std::size_t Ranks : {1u, 2u, 3u, 16u, 17u, 40u})
      Cases.emplace_back(Ranks, Run);
  for (const auto &Runs : Cases)
    for (const std::int64_t Rows : {0, 1, 7, 50}) {
      const int Ranks = static_cast<int>(Runs.size());
      const bool Even = Runs == std::vector(Runs.size(), Runs[0]);
      const auto Pitch =
          std::accumulate(Runs.begin(), Runs.end(), std::int64_t(0));
      const spmd::Counts Of =
          Even ? spmd::Counts(Runs[0]) : spmd::Counts(Runs, 1);
      const auto Whole = counted(static_cast<std::size_t>(Pitch * Rows));
      const auto Pieces = piecesOf(Whole, Runs);
      char *const To = room(Whole.size(), 0), *const Back =
                                                  room(Whole.size(), 0);
      M->pack(To, uploaded(Whole, 0), static_cast<std::size_t>(Rows), Of,
              Ranks);
      ASSERT_EQ(Pieces, downloaded(To, Whole.size()))
          << Rows << " rows of " << Runs[0] << " for " << Ranks;
      M->unpack(Back, To, static_cast<std::size_t>(Rows), Of, Ranks);
      ASSERT_EQ(Whole, downloaded(Back, Whole.size()));
      Held.clear();
    }
}

TEST_P(Memories, Zeros) {
  for (const std::size_t Bytes : {0u, 1u, 3u, 4u, 16u, 100u, 65536u, 65537u})
    for (const std::size_t Off : {0u, 1u, 4u}) {
      std::vector<unsigned char> Expected(Bytes + 2, 0xee);
      char *const Y = uploaded(Expected, Off);
      M->zero(Y + 1, Bytes);
      std::fill_n(Expected.begin() + 1, Bytes, 0);
      ASSERT_EQ(Expected, downloaded(Y, Expected.size()));
      Held.clear();
    }
}

template <class T>
void checkScale(spmd::Memory &M, DType Type, T *X, const std::vector<T> &In,
                const std::vector<T> &Expected, double By) {
  M.upload(X, In.data(), In.size() * sizeof(T));
  M.scale(X, Type, static_cast<std::int64_t>(In.size()), By);
  std::vector<T> Out(In.size());
  M.download(Out.data(), X, Out.size() * sizeof(T));
  ASSERT_EQ(Expected, Out);
}

TEST_P(Memories, Scales) {
  for (const std::size_t N : {0u, 1u, 3u, 8u, 1000u, 1001u})
    for (const std::size_t Off : {0u, 8u}) {
      std::vector<float> X(N);
      std::iota(X.begin(), X.end(), 1.f);
      std::vector<double> Y(X.begin(), X.end());
      std::vector<float> HalfX(X);
      std::vector<double> ThirdY(Y);
      for (float &E : HalfX)
        E *= 0.25f;
      for (double &E : ThirdY)
        E *= 1.0 / 3;
      checkScale(*M, DType::F32, reinterpret_cast<float *>(room(N * 8, Off)), X,
                 HalfX, 0.25);
      checkScale(*M, DType::F64, reinterpret_cast<double *>(room(N * 8, Off)),
                 Y, ThirdY, 1.0 / 3);
      // 1, 2, -4 in either half.
      std::vector<std::uint16_t> H(N, 0x3c00), B(N, 0xc080);
      checkScale(*M, DType::F16,
                 reinterpret_cast<std::uint16_t *>(room(N * 2, Off)), H,
                 std::vector<std::uint16_t>(N, 0x3800), 0.5);
      checkScale(*M, DType::BF16,
                 reinterpret_cast<std::uint16_t *>(room(N * 2, Off)), B,
                 std::vector<std::uint16_t>(N, 0xc000), 0.5);
      Held.clear();
    }
}

TEST_P(Memories, WholeNumbersAreNotScaled) {
  EXPECT_THROW(M->scale(room(8, 0), DType::I32, 1, 0.5), spmd::Error);
}

// As the host does it, one element after the other.
TEST_P(Memories, HashesTellElementsAndPlacesApart) {
  void *const Out = room(8, 0);
  const auto HashOf = [&](const std::vector<unsigned char> &X, DType Type,
                          std::size_t Off) {
    const auto Count = static_cast<std::int64_t>(X.size() / sizeOf(Type));
    M->hash(Out, uploaded(X, Off), Type, Count);
    const std::vector<unsigned char> Here = downloaded(Out, 8);
    std::uint64_t Expected = 0;
    spmd::hostMemory().hash(&Expected, X.data(), Type, Count);
    std::uint64_t Hash = 0;
    std::memcpy(&Hash, Here.data(), 8);
    EXPECT_EQ(Expected, Hash);
    return Hash;
  };
  EXPECT_EQ(0u, HashOf({}, DType::F32, 0));
  for (int T = 0; T <= static_cast<int>(DType::F8E5M2); ++T) {
    const auto Type = static_cast<DType>(T);
    for (const std::size_t Count : {1u, 31u, 1000u, 100000u}) {
      std::vector<unsigned char> X = counted(Count * sizeOf(Type));
      const std::uint64_t Before = HashOf(X, Type, 16);
      EXPECT_EQ(Before, HashOf(X, Type, 0));
      X.back() ^= 1;
      EXPECT_NE(Before, HashOf(X, Type, 0));
    }
  }
  const auto Floats = [](std::initializer_list<std::uint32_t> Bits) {
    std::vector<unsigned char> X(4 * Bits.size());
    std::memcpy(X.data(), Bits.begin(), X.size());
    return X;
  };
  EXPECT_NE(HashOf(Floats({1, 2}), DType::F32, 0),
            HashOf(Floats({2, 1}), DType::F32, 0));
  // NaNs, and what is none: an infinity, and a number.
  EXPECT_EQ(HashOf(Floats({0x7fc00000}), DType::F32, 0),
            HashOf(Floats({0xff800001}), DType::F32, 0));
  EXPECT_NE(HashOf(Floats({0x7f800000}), DType::F32, 0),
            HashOf(Floats({0x7fc00000}), DType::F32, 0));
  EXPECT_NE(HashOf(Floats({0x7fc00000}), DType::U32, 0),
            HashOf(Floats({0xff800001}), DType::U32, 0));
}

INSTANTIATE_TEST_SUITE_P(Host, Memories, ::testing::Values(Place::Host));
INSTANTIATE_TEST_SUITE_P(Device, Memories, ::testing::Values(Place::Device));

} // namespace
