// Runs one shell command of a hook with its words and its input, within a time limit. It returns how the command ended
// and never throws. The command's output only goes to the log (HOK-01, HOK-05, HOK-12). The command ends with this
// process, unless the process is killed by SIGKILL.
import { spawn } from 'node:child_process';
import { type HookPlaceholders, hookCommand } from './hook-placeholders.ts';

interface ShellHookRun {
  readonly command: string;
  /** The values of `{name}` in the command (HOK-01). */
  readonly words: HookPlaceholders;
  /** Sent on standard input; undefined: an empty one. */
  readonly input?: string | undefined;
  readonly timeoutMilliseconds: number;
  /** Aborted when the caller no longer waits for the hook: it is ended at once, or not started. */
  readonly givenUp?: AbortSignal | undefined;
}

interface HookEnd {
  /** undefined: it succeeded. Contains neither command line nor output. */
  readonly failure: string | undefined;
  readonly output: string;
}

const outputCharactersMax = 8_192;

export function runShellHook(run: ShellHookRun): Promise<HookEnd> {
  const { command, words, input, timeoutMilliseconds, givenUp } = run;
  const { line, environment } = hookCommand(command, words);
  return new Promise((resolve) => {
    if (givenUp?.aborted === true) return resolve({ failure: 'was cancelled', output: '' });
    let output = '';
    // A separate process group, so that the time limit also ends the processes that the shell started.
    const child = spawn(line, {
      shell: true,
      env: { ...process.env, ...environment },
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    endsWithThisProcess(child.pid);
    const cutOff = (failure: string) => {
      killGroup(child.pid);
      end(failure);
    };
    const late = () => cutOff(`ran longer than ${timeoutMilliseconds / 1000} seconds`);
    const timer = setTimeout(late, timeoutMilliseconds);
    const giveUp = () => cutOff('was cancelled');
    givenUp?.addEventListener('abort', giveUp);
    const end = (failure: string | undefined) => {
      clearTimeout(timer);
      givenUp?.removeEventListener('abort', giveUp);
      hasEnded(child.pid);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ failure, output: output.slice(0, outputCharactersMax) });
    };
    const collect = (chunk: string) => {
      if (output.length < outputCharactersMax) output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.once('error', () => end('could not be started'));
    // A command that starts something in the background has ended when the command itself ends: `exit`, not `close`.
    child.once('exit', (code, signal) =>
      end(code === 0 ? undefined : code === null ? `was killed by ${signal}` : `ended with exit code ${code}`),
    );
    // A command may leave its input unread.
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
  });
}

/** Process groups of running commands: signals of a terminal do not reach them. */
const running = new Set<number>();

function endAll(): void {
  for (const group of running) killGroup(group);
}

/**
 * The listener exists only while a command runs, so that a program with an embedded instance has no listener left
 * afterwards.
 */
function endsWithThisProcess(pid: number | undefined): void {
  if (pid === undefined) return;
  if (running.size === 0) process.once('exit', endAll);
  running.add(pid);
}

function hasEnded(pid: number | undefined): void {
  if (pid === undefined || !running.delete(pid)) return;
  if (running.size === 0) process.off('exit', endAll);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
