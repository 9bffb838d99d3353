// How the clients of a storm use the stacks: each request goes to any of them. A 503 that says that nothing was done (the
// files are being read, STO-22, or a promotion or rotation did not get its lock) is retried. Every other unexpected
// response becomes a fault in the ledger.
import type { SeededRandom } from '#test/support/seeded-random.ts';
import type { RunningIdp } from '#test/support/start-idp.ts';
import type { Ledger } from './ledger.ts';

export interface Storm {
  readonly stacks: readonly RunningIdp[];
  readonly ledger: Ledger;
  readonly random: SeededRandom;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON body of any form. Tests compare it. */
  readonly body: Awaited<ReturnType<Response['json']>>;
}

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Allowed statuses. Any other is a fault. */
  readonly expect: readonly number[];
}

const attemptsMax = 100;
const pauseMilliseconds = 100;

export function anyStack({ stacks, random }: Storm): RunningIdp {
  const stack = stacks[random.integer(0, stacks.length - 1)];
  if (stack === undefined) throw new Error('no stack is running');
  return stack;
}

export async function send(request: Request, storm: Storm): Promise<Answer> {
  const { ledger } = storm;
  const asked = `${request.method ?? 'GET'} ${request.path}`;
  for (let attempt = 1; ; attempt += 1) {
    const { baseUrl } = anyStack(storm);
    let answer: Answer;
    try {
      answer = await once(baseUrl, request);
    } catch (error) {
      ledger.faults.push(`${asked}: ${error instanceof Error ? `${error.message} ${String(error.cause)}` : error}`);
      throw error;
    }
    if (isBeforeTheWork(answer) && attempt < attemptsMax) {
      ledger.triedAgain += 1;
      await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
      continue;
    }
    if (!request.expect.includes(answer.status)) ledger.faults.push(`${asked}: ${answer.status} ${answer.text}`);
    return answer;
  }
}

function isBeforeTheWork({ status, body }: Answer): boolean {
  const kinds: readonly unknown[] = ['lock_unavailable', 'lock_timeout'];
  return status === 503 && (body?.error === 'configuration_unavailable' || kinds.includes(body?.kind));
}

/** Sends the same request several times simultaneously. */
export function sendAtOnce(times: number, request: Request, storm: Storm): Promise<readonly Answer[]> {
  return Promise.all(Array.from({ length: times }, () => send(request, storm)));
}

async function once(baseUrl: string, { method = 'GET', path, json, form, headers }: Request): Promise<Answer> {
  const answer = await fetch(baseUrl + path, {
    method,
    redirect: 'manual',
    headers: { ...(json === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
