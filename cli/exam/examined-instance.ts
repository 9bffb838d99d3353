// The identity provider for the exam: its REST API in one namespace.
import * as z from 'zod';
import { unreachableSentence } from '#shared/base/unreachable.ts';
import { exchangeModel } from '#shared/engine/recorder/show-exchange.ts';
import type { FaultCondition, FaultEndpoint } from '#shared/model/domain/fault.ts';
import { ExamError } from './exam-error.ts';
import { NoAnswerError, sendRequestAnywhere } from './send-request.ts';

export type Exchange = Pick<
  z.output<typeof exchangeModel>,
  'id' | 'flow' | 'endpoint' | 'parameters' | 'client_id' | 'username' | 'decision' | 'fault' | 'answer' | 'status'
>;

export interface FaultWish {
  readonly fault: string;
  readonly at: FaultEndpoint;
  readonly when: FaultCondition;
  readonly times: number | 'always';
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly ttl_seconds: number;
}

interface ClockPlace {
  readonly offset_seconds: number;
  readonly frozen: boolean;
  readonly moved: boolean;
  readonly now: string;
}

/** An error response of the REST API, with its `kind`. */
export class RefusedError extends ExamError {
  constructor(
    readonly status: number,
    readonly kind: string | undefined,
    message: string,
  ) {
    super(message);
  }
}

interface Options {
  /** The base address of the instance, or of the sandbox below it. */
  readonly base: string;
  readonly managementSecret: string | undefined;
  readonly insecure: boolean;
}

const exchangesModel = z.looseObject({
  exchanges: z.array(exchangeModel.loose()),
  cursor: z.string(),
});
const clockModel = z.looseObject({
  offset_seconds: z.number(),
  frozen: z.boolean(),
  moved: z.boolean(),
  now: z.string(),
});
const refusalModel = z.looseObject({
  error: z.string().optional(),
  error_description: z.string().optional(),
  kind: z.string().optional(),
});

const patienceMilliseconds = 15_000;
const exchangesAtOnce = 1000;

export type ExaminedInstance = ReturnType<typeof examinedInstance>;

export function examinedInstance({ base, managementSecret, insecure }: Options) {
  /** The exam's clean-up also runs after it was stopped, so it has a signal that never aborts. */
  const never = new AbortController().signal;
  const secret = managementSecret === undefined ? {} : { 'X-Management-Secret': managementSecret };

  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const url = new URL(`${base}${path}`);
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      Accept: 'application/json',
      ...(sent === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    let answer: Awaited<ReturnType<typeof sendRequestAnywhere>>;
    try {
      answer = await sendRequestAnywhere(url, {
        ...{ method, body: sent, timeoutMilliseconds: patienceMilliseconds, insecure, signal: never },
        headers: { ...headers, ...secret },
      });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw new ExamError(unreachableSentence(url.origin, error.message));
    }
    const read = parsed(answer.body);
    if (answer.status >= 200 && answer.status < 300) return read;
    const { error, error_description: description, kind } = refusalModel.safeParse(read).data ?? {};
    const message = [error, description].filter((text) => text !== undefined).join(': ');
    const hint = answer.status === 401 ? '. Pass the secret with --management-secret or IDP_MANAGEMENT_SECRET' : '';
    const [pathname] = path.split('?');
    throw new RefusedError(answer.status, kind, `${method} ${pathname} returned ${answer.status} ${message}${hint}`);
  };

  const exchanges = async (after: string | undefined, limit = exchangesAtOnce) => {
    const query = new URLSearchParams({ limit: String(limit), ...(after === undefined ? {} : { after }) });
    return exchangesModel.parse(await call('GET', `/api/exchanges?${query}`));
  };

  return {
    /** Every origin under which browsers reach it. */
    async origins(): Promise<ReadonlySet<string>> {
      const document = z
        .looseObject({ issuer: z.string(), authorization_endpoint: z.string() })
        .parse(await call('GET', '/.well-known/openid-configuration'));
      const origins = [base, document.issuer, document.authorization_endpoint].map((text) => new URL(text).origin);
      // Two names for one machine. A browser may be sent to either.
      const twins = origins.map((origin) =>
        origin.includes('//localhost')
          ? origin.replace('//localhost', '//127.0.0.1')
          : origin.replace('//127.0.0.1', '//localhost'),
      );
      return new Set([...origins, ...twins]);
    },
    async begin(subject: { client_id: string } | { sp: string }, ttl_seconds: number, moves_clock: boolean) {
      const body = { ...subject, ttl_seconds, moves_clock };
      const made = await call('POST', '/api/exams', body);
      return z.looseObject({ id: z.string(), username: z.string() }).parse(made);
    },
    async renew(id: string, ttl_seconds: number): Promise<void> {
      await call('PUT', `/api/exams/${id}`, { ttl_seconds });
    },
    async end(id: string): Promise<void> {
      await call('DELETE', `/api/exams/${id}`);
    },
    async createUser(username: string, password: string): Promise<void> {
      await call('POST', '/api/runtime/users', { username, password, email: `${username}@example.org` });
    },
    /** The user's e-mail address, if any. */
    async addressOf(username: string): Promise<string | undefined> {
      const user = await call('GET', `/api/users/${encodeURIComponent(username)}`);
      return z.looseObject({ email: z.string().optional() }).parse(user).email || undefined;
    },
    /** Another user who can log in. undefined: none exists. */
    async anotherUser(than: string): Promise<string | undefined> {
      const { users } = z
        .looseObject({ users: z.array(z.looseObject({ username: z.string() })) })
        .parse(await call('GET', '/api/users'));
      return users.find(({ username }) => username !== than && !username.startsWith('exam-'))?.username;
    },
    async setFault(wish: FaultWish): Promise<string> {
      return z.looseObject({ id: z.string() }).parse(await call('POST', '/api/faults', { ...wish, quiet: true })).id;
    },
    /** Returns how often the fault fired, and deletes it. */
    async takeBackFault(id: string): Promise<number> {
      const { hits } = z.looseObject({ hits: z.number() }).parse(await call('GET', `/api/faults/${id}`));
      await call('DELETE', `/api/faults/${id}`);
      return hits;
    },
    async isRecording(): Promise<boolean> {
      return z.looseObject({ enabled: z.boolean() }).parse(await call('GET', '/api/recorder')).enabled;
    },
    async cursor(): Promise<string> {
      return (await exchanges(undefined, 1)).cursor;
    },
    async exchangesAfter(cursor: string): Promise<readonly Exchange[]> {
      return (await exchanges(cursor)).exchanges;
    },
    async explanationOf(flow: string): Promise<string | undefined> {
      const whole = z.looseObject({ explanation: z.string() }).safeParse(await call('GET', `/api/flows/${flow}`));
      return whole.data?.explanation;
    },
    /** The party that began a flow: the client, or the service provider by its Issuer. null if the flow names none. */
    async askerOf(flow: string): Promise<string | null> {
      const name = z.string().nullable();
      const whole = z.looseObject({ client_id: name, sp: name }).safeParse(await call('GET', `/api/flows/${flow}`));
      return whole.data?.client_id ?? whole.data?.sp ?? null;
    },
    async clock(): Promise<ClockPlace> {
      return clockModel.parse(await call('GET', '/api/clock'));
    },
    async setClockBack({ offset_seconds }: ClockPlace, seconds: number): Promise<void> {
      await call('PUT', '/api/clock', { offset_seconds: offset_seconds - seconds, frozen: false });
    },
    async returnClock({ moved, offset_seconds, frozen, now }: ClockPlace): Promise<void> {
      if (!moved) await call('DELETE', '/api/clock');
      else await call('PUT', '/api/clock', frozen ? { at: now, frozen: true } : { offset_seconds, frozen: false });
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
