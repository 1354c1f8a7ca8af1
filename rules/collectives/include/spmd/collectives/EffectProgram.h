//===- EffectProgram.h - What a program does with communicators -*- C++ -*-===//
//
// A tree of statements for each function: control flow, the calls of
// communication libraries, and as much of the data as decides about them. No
// `clang::` type survives here.
//
// Places are expressions too: Variable, Field, Element and Target say where a
// value is, Load reads it there, Address points to it.
//
//===----------------------------------------------------------------------===//

#ifndef SPMD_COLLECTIVES_EFFECTPROGRAM_H
#define SPMD_COLLECTIVES_EFFECTPROGRAM_H

#include "spmd/ops/CollectiveApi.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace spmd::collectives {

/// A position in the program; the front end knows what \p Id stands for.
struct Site {
  unsigned Id = 0;
  unsigned Line = 0;
};

/// How much an unknown value may be relied on to be what it seems.
enum class Trust : std::uint8_t {
  Input,   ///< the same on all ranks, and every value is possible
  Unknown, ///< may follow from something that the program says elsewhere
  Varying, ///< other on each rank, and every value is possible
};

enum class Operator : std::uint8_t {
  Not,
  Negate,
  Complement,
  ToInteger,
  ToReal,
  ToBool,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
  Equal,
  Unequal,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And, ///< both sides are free of effects
  Or,
};

enum class ExprKind : std::uint8_t {
  Integer,
  Real,
  Name,     ///< a constant of a library's: MPI_INT, ncclSum
  Function, ///< a pointer to one
  Unknown,  ///< a new value for each evaluation
  Apply,    ///< of unknown meaning, but equal for equal operands
  Allocate, ///< new storage; with a name, of the host and the device
  Load,     ///< what is at the place
  Address,  ///< a pointer to the place
  Unary,
  Binary,
  Conditional, ///< none of its operands has effects
  /// The second operand where EffectProgram::Differs has its number, else the
  /// first.
  Typed,
  // Places
  Variable,
  Field,
  Element,
  Target, ///< of a pointer
};

/// What an annotation says that a number is, where nothing computes it.
enum class Declared : std::uint8_t {
  Nothing,
  Rank,
  NumberOfRanks,
  Varying, ///< the rank, or a length that others know: of messages, these
};

struct Expr {
  ExprKind Kind = ExprKind::Integer;
  Operator Op = Operator::Not;
  collectives::Trust Trust = collectives::Trust::Unknown;
  Declared Says = Declared::Nothing; ///< of a Load
  /// Element: of a pointer's target, which may be a single object.
  bool IsOfPointer = false;
  std::int64_t Integer = 0;
  double Real = 0;
  std::string Name; ///< of a constant, a function, a field
  /// Of a place: the axes that a declaration says its communicator is over.
  std::string Axes;
  /// The same of an axis itself, which has one communicator.
  bool IsAxis = false;
  /// Allocate: memory of the host's that the device reaches, too.
  bool IsPinned = false;
  /// Number of a variable, a function, an unknown, of what is typed.
  unsigned Number = 0;
  std::optional<rules::CallConstant> Meaning; ///< of a Name
  llvm::SmallVector<const Expr *, 3> Operands;
};

/// The member of a handle that points to what it stands for.
inline constexpr llvm::StringLiteral StorageField = "storage()";

/// The member of a container that says how many elements it has.
inline constexpr llvm::StringLiteral SizeField = "size()";
/// The member of a tensor that is its gradient.
inline constexpr llvm::StringLiteral GradientField = "grad()";

/// What the names of members begin with that hold an object's virtual methods.
inline constexpr llvm::StringLiteral VirtualField = "virtual ";

/// Whether \p E is what a handle stands for, all of it.
inline bool isStorage(const Expr *E) {
  return E->Kind == ExprKind::Load && E->Operands[0]->Kind == ExprKind::Field &&
         E->Operands[0]->Name == StorageField;
}

/// A call of a communication library.
struct Event {
  const rules::CollectiveCall *Call = nullptr;
  std::string Name; ///< as the program names what is called
  /// By the roles of the call's arguments; pointers where it writes.
  llvm::SmallVector<std::pair<rules::CallRole, const Expr *>, 8> Arguments;
  /// Counts are lists: each rank has its own.
  bool HasCountLists = false;
  /// As the program writes its buffers and its request.
  std::map<rules::CallRole, std::string> Spelled;
  /// Elements of the buffers for each that is counted; 0: not known.
  unsigned PerCount = 0;
  /// How many bytes there are in a buffer that is a variable, from where it is
  /// given.
  std::map<rules::CallRole, std::int64_t> Room;
  /// Containers of handles by their roles: places.
  std::map<rules::CallRole, const Expr *> Parts;
};

enum class StmtKind : std::uint8_t {
  Sequence,
  Assign, ///< Target = Value
  Copy,   ///< of an object with all that is in it
  Forget, ///< Target, and what is in it, may be anything from now on
  Event,
  If,
  Loop,   ///< Before (a test), Body, After (a step), or Body first
  Switch, ///< Value selects where in Body to begin
  Call,
  Return,
  Break,
  Continue,
  Throw,
  Try,   ///< Body[0] with handler Body[1]
  Block, ///< what Leave with its Label jumps behind
  Leave,
  Stop,
  /// Code of the user's that is not seen, and may communicate.
  Opaque,
  GiveUp, ///< what is not understood
  /// Of what Value points to, by the host or on a stream; without one, of all
  /// gradients that there are.
  Access,
  End,    ///< of what Value points to: freed, or out of scope
  Hand,   ///< Arguments go to code that is not seen
  Stream, ///< Arguments: the stream, or the event and the stream
};

/// What a call does to streams and events.
enum class StreamAction : std::uint8_t {
  Create,      ///< waits for the default stream, and that for it
  CreateApart, ///< does not
  CreateEvent,
  Record,    ///< an event on a stream
  WaitEvent, ///< the stream does, for the event
  SyncStream,
  SyncEvent,
  SyncDevice,
  SetStream, ///< of a library's handle
};

struct Stmt {
  StmtKind Kind = StmtKind::Sequence;
  unsigned Number = 0; ///< unique in the program
  Site At;
  const Expr *Target = nullptr; ///< a place; of what returns a value
  const Expr *Value = nullptr;  ///< a condition, a value, a callee
  /// If: both arms. Loop: test, body, step. Else what is inside.
  std::vector<const Stmt *> Body;
  std::vector<const Expr *> Arguments;
  std::vector<std::optional<std::int64_t>> Cases; ///< Switch; none: default
  std::vector<unsigned> CaseAt;                   ///< parallel to Cases
  Event What;
  std::string Name;       ///< what an Opaque, or a Call, calls; why it gives up
  unsigned Label = 0;     ///< of a Block
  bool BodyFirst = false; ///< do … while
  bool Moves = false;     ///< a Copy that leaves storage where it is
  // Access, End, Stream
  StreamAction Action = StreamAction::Create;
  bool Writes = false;
  const Expr *On = nullptr; ///< the stream; null: the host
  bool OnHandle = false;    ///< On is a handle that has a stream
  bool Blocks = false;      ///< the host waits for it
  /// Access: by what may have the device do it, but for memory of the host's.
  bool MayBeOnDevice = false;
  bool MayOnlyRead = false; ///< Access: a write, as far as anybody sees
  /// Opaque, Call: it is given nothing that a communicator may be in.
  bool HasNoComms = false;
  /// Call: if it is not seen, it is declared to communicate nothing.
  bool SendsNothing = false;
  /// Call: the functions of which it calls one; empty: nobody knows.
  std::vector<const Expr *> MayBe;
};

struct Variable {
  std::string Name;
  bool IsGlobal = false;
  /// Another file says what the global is at first.
  bool IsElsewhere = false;
  bool IsConstant = false;
  /// Main's arguments and the like.
  bool IsInput = false;
  /// An object of a class: its storage may be elsewhere, and its end may do
  /// what is not seen.
  bool IsObject = false;
  /// An object whose end completes nothing.
  bool IsContainer = false;
  std::string Symbol; ///< what other files know it by
};

struct Function {
  std::string Name;
  Site At;
  std::vector<unsigned> Parameters; ///< variables
  const Stmt *Body = nullptr;       ///< null: it is another file's
  bool IsMain = false;
  std::string Symbol;    ///< what other files know it by
  bool IsShared = false; ///< other files define the same
  /// By itself it is something: no closure, and nothing that others end.
  bool MayBeRoot = true;
  /// Its calls match each other at least, which is looked at where who calls it
  /// is too much: no closure, but a constructor.
  bool MayBePart = true;
  /// Made to run another function after what sets up what that reads.
  std::optional<unsigned> RunsFor;
};

/// Functions and expressions of one file. Nodes live as long as it does.
class EffectProgram {
public:
  std::deque<Function> Functions;
  std::vector<Variable> Variables;
  /// Of globals: done before main; those of constants always.
  std::vector<const Stmt *> Initial;
  /// Of events whose calls are in no table.
  std::vector<std::shared_ptr<rules::CollectiveApi>> OwnApis;
  /// Which of what is typed differs between ranks, as types say.
  std::vector<bool> Differs;
  /// What is run: functions that nobody in the file calls.
  std::vector<unsigned> Roots;

  const Expr *add(Expr E) {
    Exprs.push_back(std::move(E));
    return &Exprs.back();
  }
  const Stmt *add(Stmt S) {
    S.Number = Stmts.size();
    Stmts.push_back(std::move(S));
    return &Stmts.back();
  }

  const std::deque<Expr> &expressions() const { return Exprs; }

  unsigned addVariable(Variable V) {
    Variables.push_back(std::move(V));
    return Variables.size() - 1;
  }

  //===--- Shorthands -------------------------------------------------------//

  const Expr *integer(std::int64_t Value);
  const Expr *real(double Value);
  const Expr *unknown(Trust T);
  /// \p Computed, unless types say that it differs between ranks.
  const Expr *typed(unsigned Number, const Expr *Computed);
  /// A pointer to the function.
  const Expr *function(unsigned Number);
  const Expr *variable(unsigned Number);
  const Expr *temporary() { return variable(addVariable({})); }
  const Expr *field(const Expr *Of, llvm::StringRef Name);
  const Expr *element(const Expr *Of, const Expr *Index, bool OfPointer);
  const Expr *target(const Expr *Pointer);
  /// The place \p Of, of a communicator that is declared to be over \p Axes,
  /// or of these axes themselves.
  const Expr *over(const Expr *Of, std::string Axes, bool IsAxis);
  /// What a handle points to.
  const Expr *storage(const Expr *Handle) {
    return load(field(Handle, StorageField));
  }
  const Expr *load(const Expr *Place, Declared Says = Declared::Nothing);
  const Expr *address(const Expr *Place);
  const Expr *unary(Operator Op, const Expr *Of);
  const Expr *binary(Operator Op, const Expr *L, const Expr *R);
  const Expr *conditional(const Expr *If, const Expr *A, const Expr *B);
  const Expr *apply(llvm::StringRef Name, Trust T,
                    llvm::ArrayRef<const Expr *> Operands);
  const Expr *name(llvm::StringRef Name,
                   std::optional<rules::CallConstant> Meaning);

private:
  std::deque<Expr> Exprs;
  std::deque<Stmt> Stmts;
  unsigned NumUnknown = 0;
};

/// The collectives that \p F makes itself.
std::vector<const Stmt *> collectivesOf(const Function &F);

} // namespace spmd::collectives

#endif // SPMD_COLLECTIVES_EFFECTPROGRAM_H
