// An instance as the real processes: a supervisor of its own with its workers, as `test-idp start` runs them (API-09).
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { startRefusals } from '#shared/base/start-refusal.ts';
import { type KeyPair, privateKeyPem, publicKeyPem } from '#shared/state/keys/key-pair.ts';
import { IdpStartError } from '../errors.ts';
import type { RunningInstance } from '../in-process.ts';
import { anotherLife, lifeCycle } from '../life-cycle.ts';
import type { Prepared } from '../start-options.ts';
import type { StackOrder, StackReady } from './messages.ts';

/** Requests in flight get this long (API-29). */
const graceMilliseconds = 1_000;
const killMilliseconds = 5_000;

interface RunningStack extends RunningInstance {
  mcpUrl(): string;
  pid(): number;
}

interface Stack extends StackReady {
  readonly process: ChildProcess;
  readonly pid: number;
}

/** @throws IdpStartError; then no process is left */
export async function runAsStack(
  prepared: Prepared,
  pair: Promise<KeyPair> | undefined,
  givenUp: AbortSignal,
): Promise<RunningStack> {
  const { start, options } = prepared;
  const drawn = pair && (await Promise.race([pair, rejectedBy(givenUp)]));
  const keys = drawn && { privateKey: privateKeyPem(drawn), publicKey: publicKeyPem(drawn.publicKey) };
  const order: StackOrder = { start, oidcWorkers: options.oidcWorkers, mcpPort: 0, keys };
  let stack = await begin(order, options.log !== 'silent', givenUp);
  const { baseUrl: url } = stack;
  const life = lifeCycle({
    // A stack keeps its state in its private directory: a new one at the same address begins anew.
    async reset(ended) {
      await end(stack.process);
      const again = {
        ...order,
        start: { ...start, port: portOf(url), tokenMark: anotherLife() },
        mcpPort: portOf(stack.mcpUrl),
      };
      stack = await begin(again, options.log !== 'silent', ended);
    },
    async stop(resets) {
      await resets;
      await end(stack.process);
    },
  });
  return { url, mcpUrl: () => stack.mcpUrl, pid: () => stack.pid, ...life };
}

/** Nobody waits for keys any more that may never come. */
function rejectedBy(givenUp: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    givenUp.addEventListener('abort', () => reject(givenUp.reason), { once: true });
  });
}

const readyModel = z.object({ baseUrl: z.string(), mcpUrl: z.string() });
const failedModel = z.object({ failed: z.object({ reason: z.string(), refusal: z.enum(startRefusals) }) });

async function begin(order: StackOrder, heard: boolean, givenUp: AbortSignal): Promise<Stack> {
  givenUp.throwIfAborted();
  const child = fork(fileURLToPath(new URL('./stack-process.js', import.meta.url)), [], {
    stdio: ['ignore', 'ignore', heard ? 'inherit' : 'pipe', 'ipc'],
    execArgv: [],
    serialization: 'json',
  });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4096);
  });
  // Told, not killed: its private directory, with keys in it, goes with it.
  const giveUp = () => void end(child);
  givenUp.addEventListener('abort', giveUp, { once: true });
  const ended = once(child, 'exit').then(() => undefined);
  try {
    child.send(order, () => {});
    const answer = await Promise.race([once(child, 'message').then(([message]: unknown[]) => message), ended]);
    const { pid } = child;
    if (answer === undefined || pid === undefined)
      throw new IdpStartError('start_failed', lastSentence(output) ?? 'The stack ended at once.');
    const failed = failedModel.safeParse(answer);
    if (failed.success) {
      await ended;
      const { reason, refusal } = failed.data.failed;
      throw new IdpStartError(refusal, withoutWorker(reason));
    }
    release(child);
    return { ...readyModel.parse(answer), process: child, pid };
  } finally {
    givenUp.removeEventListener('abort', giveUp);
  }
}

/** A stack that was forgotten keeps nobody running (API-32). */
function release(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  const { stderr } = child;
  if (stderr !== null && 'unref' in stderr && typeof stderr.unref === 'function') stderr.unref();
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  // The second one ends it at once.
  const late = setTimeout(() => child.kill('SIGTERM'), graceMilliseconds);
  const force = setTimeout(() => child.kill('SIGKILL'), killMilliseconds);
  await ended;
  clearTimeout(late);
  clearTimeout(force);
  child.stderr?.destroy();
}

/** Of what a process said for people that had no time for more; log lines are JSON. */
function lastSentence(output: string): string | undefined {
  const sentence = output.split('\n').findLast((line) => line.trim() !== '' && !line.startsWith('{'));
  return sentence && withoutWorker(sentence.replace(/^test-idp: /, ''));
}

/** Which of the processes had the error is nobody's business here. */
function withoutWorker(sentence: string): string {
  return sentence.replace(/^(?:oidc|saml|mcp)(?:-\d+)?: /, '');
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
