//===- UnifiedDiff.cpp - --fix-dry-run ------------------------------------===//

#include "spmd/lint/Fixes.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

constexpr std::size_t Context = 3;

struct Line {
  char Kind; ///< ' ', '-' or '+'
  StringRef Text;
};

std::vector<StringRef> splitLines(StringRef Text) {
  std::vector<StringRef> Out;
  while (!Text.empty()) {
    const std::size_t End = Text.find('\n');
    const std::size_t Length = End == StringRef::npos ? Text.size() : End + 1;
    Out.push_back(Text.take_front(Length));
    Text = Text.drop_front(Length);
  }
  return Out;
}

/// Myers' greedy algorithm. Repairs change a few lines, so the number of
/// differences, and with it the time, is small.
std::vector<Line> diffLines(ArrayRef<StringRef> A, ArrayRef<StringRef> B) {
  const int N = A.size(), M = B.size(), Max = N + M;
  std::vector<std::vector<int>> Trace;
  std::vector<int> V(2 * Max + 2, 0);
  auto At = [&](std::vector<int> &W, int K) -> int & { return W[K + Max]; };
  int D = 0;
  for (bool Done = false; !Done; ++D) {
    Trace.push_back(V);
    for (int K = -D; K <= D && !Done; K += 2) {
      const bool Down = K == -D || (K != D && At(V, K - 1) < At(V, K + 1));
      int X = Down ? At(V, K + 1) : At(V, K - 1) + 1;
      int Y = X - K;
      while (X < N && Y < M && A[X] == B[Y])
        ++X, ++Y;
      At(V, K) = X;
      Done = X >= N && Y >= M;
    }
  }
  std::vector<Line> Out;
  int X = N, Y = M;
  for (--D; D >= 0; --D) {
    std::vector<int> &W = Trace[D];
    const int K = X - Y;
    const bool Down = K == -D || (K != D && At(W, K - 1) < At(W, K + 1));
    const int FromK = Down ? K + 1 : K - 1;
    const int FromX = D ? At(W, FromK) : 0, FromY = D ? FromX - FromK : 0;
    const int EndX = D ? (Down ? FromX : FromX + 1) : 0;
    while (X > EndX && Y > EndX - K)
      Out.push_back({' ', A[--X]}), --Y;
    if (!D)
      break;
    if (Down)
      Out.push_back({'+', B[FromY]});
    else
      Out.push_back({'-', A[FromX]});
    X = FromX;
    Y = FromY;
  }
  std::reverse(Out.begin(), Out.end());
  return Out;
}

void printHunk(raw_ostream &OS, ArrayRef<Line> Lines, std::size_t OldLine,
               std::size_t NewLine) {
  std::size_t Old = 0, New = 0;
  for (const Line &L : Lines) {
    Old += L.Kind != '+';
    New += L.Kind != '-';
  }
  // An empty range names the line before it.
  OS << "@@ -" << OldLine - (Old == 0) << ',' << Old << " +"
     << NewLine - (New == 0) << ',' << New << " @@\n";
  for (const Line &L : Lines) {
    OS << L.Kind << L.Text;
    if (!L.Text.ends_with("\n"))
      OS << "\n\\ No newline at end of file\n";
  }
}

} // namespace

std::string spmd::lint::unifiedDiff(StringRef Path, StringRef Old,
                                    StringRef New) {
  if (Old == New)
    return {};
  const std::vector<Line> Lines = diffLines(splitLines(Old), splitLines(New));
  std::string Out;
  raw_string_ostream OS(Out);
  const bool IsAbsolute = sys::path::is_absolute(Path);
  OS << "--- " << (IsAbsolute ? "" : "a/") << Path << "\n+++ "
     << (IsAbsolute ? "" : "b/") << Path << '\n';
  std::size_t OldLine = 1, NewLine = 1;
  for (std::size_t I = 0; I < Lines.size();) {
    if (Lines[I].Kind == ' ') {
      ++OldLine, ++NewLine, ++I;
      continue;
    }
    const std::size_t Before = std::min<std::size_t>(Context, OldLine - 1);
    // The hunk goes on while changes are at most two contexts apart.
    std::size_t End = I, Quiet = 0;
    for (std::size_t J = I; J < Lines.size() && Quiet <= 2 * Context; ++J) {
      Quiet = Lines[J].Kind == ' ' ? Quiet + 1 : 0;
      if (!Quiet)
        End = J + 1;
    }
    const std::size_t Last = std::min(Lines.size(), End + Context);
    const std::size_t First = I - std::min(I, Before);
    printHunk(OS, ArrayRef(Lines).slice(First, Last - First),
              OldLine - (I - First), NewLine - (I - First));
    for (; I < Last; ++I) {
      OldLine += Lines[I].Kind != '+';
      NewLine += Lines[I].Kind != '-';
    }
  }
  return Out;
}
