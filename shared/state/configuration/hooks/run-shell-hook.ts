// One shell command of a hook: its words given, its input fed, its life bounded. It answers how the command ended and
// never throws; what it printed is for the log alone (HOK-01, HOK-05, HOK-12). It ends with this process, however that is
// told to end; only a process that is killed outright (SIGKILL) cannot take it along.
import { spawn } from 'node:child_process';
import { type HookWords, hookCommand } from './hook-words.ts';

interface ShellHookRun {
  readonly command: string;
  /** What `{name}` stands for in the command (HOK-01). */
  readonly words: HookWords;
  /** Given on standard input; undefined: an empty one. */
  readonly input?: string | undefined;
  readonly timeoutMilliseconds: number;
  /** Aborted when nobody waits for the hook any more: it is ended at once, or not begun. */
  readonly givenUp?: AbortSignal | undefined;
}

interface HookEnd {
  /** undefined: it succeeded. Without command line and output. */
  readonly failure: string | undefined;
  readonly output: string;
}

const outputCharactersMax = 8_192;

export function runShellHook(run: ShellHookRun): Promise<HookEnd> {
  const { command, words, input, timeoutMilliseconds, givenUp } = run;
  const { line, environment } = hookCommand(command, words);
  return new Promise((resolve) => {
    if (givenUp?.aborted === true) return resolve({ failure: 'was given up', output: '' });
    let output = '';
    // A process group of its own, so that the end of its time reaches what the shell started, too.
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
    const giveUp = () => cutOff('was given up');
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
    // A command that starts something in the background is over when the command itself is: `exit`, not `close`.
    child.once('exit', (code, signal) =>
      end(code === 0 ? undefined : code === null ? `was ended by ${signal}` : `ended with exit code ${code}`),
    );
    // A command that does not read its input is no failure.
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
  });
}

/** Process groups of commands that run: whoever leads one is not reached by the signals of a terminal. */
const running = new Set<number>();

function endAll(): void {
  for (const group of running) killGroup(group);
}

/** Only while there is something to end: a program that runs an instance within itself has no listener of ours after it. */
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
    // It ended in this moment.
  }
}
