// When a server that died is started again. No vscode in here: tested by node
// alone.

const FIRST = 1000;
const LONGEST = 30000;
/** One that has run as long is in order again. */
const HEALTHY = 120000;

export class BackOff {
  private failures = 0;
  private started = 0;

  constructor(private readonly most = 5) {}

  begin(now: number): void {
    this.started = now;
  }

  /** Milliseconds to wait before the next start; undefined: it is hopeless. */
  next(now: number): number | undefined {
    if (now - this.started >= HEALTHY) this.failures = 0;
    if (this.failures === this.most) return undefined;
    return Math.min(LONGEST, FIRST * 2 ** this.failures++);
  }

  reset(): void {
    this.failures = 0;
  }
}
