// Suppressions that suppress nothing, and those without a reason; other tools'
// comments are none of our business.
// RUN: not %spmd-tidy %s -- | FileCheck %s --implicit-check-not=warning

int a; // NOLINT
int b; // NOLINT(google-explicit-constructor)
// NOLINTNEXTLINE
int c;
const char *d = "NOLINT(spmd-*)"; int NOLINT;

// CHECK: [[@LINE+1]]:11: warning: NO{{LINT}} suppresses nothing: 'spmd-*' has no finding here [spmd-suppression]
int e; // NOLINT(spmd-*): it had one

// CHECK: [[@LINE+2]]:4: warning: NO{{LINT}}NEXTLINE gives no reason: write one after it, as in 'NO{{LINT}}NEXTLINE(spmd-*): reason'
// CHECK: [[@LINE+1]]:4: warning: NO{{LINT}}NEXTLINE suppresses nothing
// NOLINTNEXTLINE(spmd-*)
int f;

// CHECK: [[@LINE+1]]:11: warning: unknown check 'spmd-supression'; the nearest is 'spmd-suppression'
int g; // NOLINT(spmd-supression): a typo

// A finding about a suppression can be suppressed too.
int h; // NOLINT(spmd-*,spmd-suppression)

// CHECK: [[@LINE+1]]:4: warning: NO{{LINT}}BEGIN suppresses nothing
// NOLINTBEGIN(spmd-*): a block
int i;
// NOLINTEND(spmd-*)

// CHECK: [[@LINE+1]]:4: warning: NO{{LINT}}END without a NO{{LINT}}BEGIN of the same checks before it
// NOLINTEND(spmd-*)

// NOLINTBEGIN
int j;

// CHECK: [[@LINE+1]]:11: warning: NO{{LINT}}( is never closed
int k; /* NOLINT(spmd-* */

// CHECK: [[@LINE+1]]:4: warning: NO{{LINT}}BEGIN without a NO{{LINT}}END of the same checks after it
// NOLINTBEGIN(spmd-*): never ended
int l;
