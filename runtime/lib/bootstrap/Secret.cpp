#include "Secret.h"

#include "Variables.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>

namespace spmd::bootstrap {
namespace {

using Words = std::array<std::uint32_t, 8>;

constexpr std::size_t BlockBytes = 64;

/// The first bits of the fractions of the primes' cube roots.
constexpr std::uint32_t Constants[] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t turned(std::uint32_t X, int By) {
  return X >> By | X << (32 - By);
}

void addBlock(Words &To, const unsigned char *Block) {
  std::uint32_t W[64];
  for (int T = 0; T < 16; ++T, Block += 4)
    W[T] = std::uint32_t(Block[0]) << 24 | std::uint32_t(Block[1]) << 16 |
           std::uint32_t(Block[2]) << 8 | Block[3];
  for (int T = 16; T < 64; ++T)
    W[T] = W[T - 16] + W[T - 7] +
           (turned(W[T - 15], 7) ^ turned(W[T - 15], 18) ^ W[T - 15] >> 3) +
           (turned(W[T - 2], 17) ^ turned(W[T - 2], 19) ^ W[T - 2] >> 10);
  auto [A, B, C, D, E, F, G, H] = To;
  for (int T = 0; T < 64; ++T) {
    const std::uint32_t One = H +
                              (turned(E, 6) ^ turned(E, 11) ^ turned(E, 25)) +
                              ((E & F) ^ (~E & G)) + Constants[T] + W[T];
    const std::uint32_t Two = (turned(A, 2) ^ turned(A, 13) ^ turned(A, 22)) +
                              ((A & B) ^ (A & C) ^ (B & C));
    H = G, G = F, F = E, E = D + One;
    D = C, C = B, B = A, A = One + Two;
  }
  const Words Add = {A, B, C, D, E, F, G, H};
  for (std::size_t I = 0; I < To.size(); ++I)
    To[I] += Add[I];
}

} // namespace

std::string sha256(const std::string &Of) {
  std::string Padded = Of + '\x80';
  Padded.resize((Padded.size() + 8 + BlockBytes - 1) / BlockBytes * BlockBytes);
  for (std::size_t B = 0; B < 8; ++B)
    Padded[Padded.size() - 1 - B] =
        static_cast<char>(std::uint64_t(Of.size()) * 8 >> (8 * B));
  Words Sum = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (std::size_t At = 0; At < Padded.size(); At += BlockBytes)
    addBlock(Sum, reinterpret_cast<const unsigned char *>(&Padded[At]));
  std::string Out;
  for (const std::uint32_t Word : Sum)
    for (int Shift = 24; Shift >= 0; Shift -= 8)
      Out += static_cast<char>(Word >> Shift);
  return Out;
}

std::string proofOf(const std::string &Secret, const std::string &Challenge) {
  std::string Key = Secret.size() > BlockBytes ? sha256(Secret) : Secret;
  Key.resize(BlockBytes);
  std::string Inner = Key, Outer = Key;
  for (std::size_t B = 0; B < BlockBytes; ++B) {
    Inner[B] = static_cast<char>(Inner[B] ^ 0x36);
    Outer[B] = static_cast<char>(Outer[B] ^ 0x5c);
  }
  return sha256(Outer + sha256(Inner + Challenge));
}

bool areEqual(const std::string &A, const std::string &B) {
  unsigned Differ = A.size() != B.size();
  for (std::size_t I = 0; I < A.size() && I < B.size(); ++I)
    Differ |= static_cast<unsigned char>(A[I] ^ B[I]);
  return Differ == 0;
}

std::string drawChallenge() {
  std::random_device Random;
  std::string Out;
  for (int N = 0; N < 8; ++N) {
    const std::uint32_t Word = Random();
    for (int Shift = 0; Shift < 32; Shift += 8)
      Out += static_cast<char>(Word >> Shift);
  }
  return Out;
}

std::string sharedSecret() {
  constexpr char File[] = "SPMD_STORE_SECRET_FILE";
  if (!isSet(File))
    return text("SPMD_STORE_SECRET");
  std::ifstream From(text(File));
  std::string Line;
  if (!std::getline(From, Line) || Line.empty())
    failOn(File, "a file that can be read, whose first line is the secret");
  return Line;
}

} // namespace spmd::bootstrap
