// The supervisor's few log lines, in the workers' format (pino) without loading that library: JSON lines for programs,
// readable lines on a terminal (CLI-07). They contain no data from outside.
import type { Clock } from '#shared/base/clock.ts';

export interface StackLog {
  info(message: string): void;
  warn(message: string): void;
  /** `logging.level` or `--log-level`, in either spelling. Unknown levels change nothing. */
  setLevel(level: string): void;
}

const severities = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: 70 } as const;
const otherSpellings: ReadonlyMap<string, keyof typeof severities> = new Map([
  ['warning', 'warn'],
  ['critical', 'fatal'],
]);

export function createStackLog(clock: Clock): StackLog {
  const stream = process.stderr;
  let threshold: number = severities.info;
  const write = (name: 'info' | 'warn', msg: string) => {
    const level = severities[name];
    if (level < threshold) return;
    const time = clock.now();
    stream.write(
      stream.isTTY
        ? `[${new Date(time).toISOString().slice(11, 23)}] ${name.toUpperCase()} (supervisor): ${msg}\n`
        : `${JSON.stringify({ level, time, pid: process.pid, name: 'supervisor', msg })}\n`,
    );
  };
  return {
    info: (message) => write('info', message),
    warn: (message) => write('warn', message),
    setLevel(level) {
      const requestedLevel = level.toLowerCase();
      const known = Object.entries(severities).find(
        ([name]) => name === (otherSpellings.get(requestedLevel) ?? requestedLevel),
      );
      if (known !== undefined) threshold = known[1];
    },
  };
}
