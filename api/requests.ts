// Sends requests to an instance. Each ends with a value, or with an error that names the request and the reason.
import type * as z from 'zod';
import { unreachableSentence } from '#shared/base/unreachable.ts';
import { isMapping } from '#shared/base/untrusted-values.ts';
import type { Answer } from './ask.ts';
import { ask, type Question } from './ask.ts';
import { IdpError, IdpRequestError } from './errors.ts';

/**
 * Sends a request to one instance. `path` is relative to its base address. Rejects with kind `stopped` after `stop`.
 */
export type Asking = (path: string, question?: Question) => Promise<Answer>;

export interface Requests {
  readonly ask: Asking;
  /** A REST request with JSON in both directions. @throws IdpRequestError if it does not succeed */
  json(method: string, path: string, body?: unknown): Promise<Members>;
  /**
   * An operation of the REST API. A success has one of these media types, or no body if none exist. @throws
   * IdpRequestError
   */
  operation(method: string, path: string, sent: SentToOperation): Promise<unknown>;
  /**
   * A request whose response must match this model. JSON is sent to the REST API, a form to the protocol endpoints.
   * @throws IdpRequestError if it does not succeed, and with kind `unexpected_answer` if the response does not match
   */
  modelled<Value>(
    model: z.ZodType<Value>,
    path: string,
    body: object | URLSearchParams,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Value>;
}

interface SentToOperation {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly mediaTypes: readonly string[];
}

export type Members = Readonly<Record<string, unknown>>;

export function requestsTo(base: string, managementSecret: string | undefined, isStopped: () => boolean): Requests {
  const asking: Asking = async (path, question = {}) => {
    if (isStopped()) throw stopped();
    try {
      return await ask(new URL(base + path), question);
    } catch (cause) {
      if (isStopped()) throw stopped();
      if (question.signal?.aborted === true) throw question.signal.reason;
      throw notReachable(base, cause);
    }
  };
  const secret = managementSecret === undefined ? {} : { 'X-Management-Secret': managementSecret };
  const succeed = async (method: string, path: string, question: Question): Promise<Success> => {
    const answer = await asking(path, { ...question, method });
    const { status } = answer;
    const body = bodyOf(answer);
    if (status >= 200 && status < 300) return { status, body, mediaType: mediaTypeOf(answer) };
    throw refusal(method, path, status, body);
  };
  const asJson = (body: unknown): Question => ({
    headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...secret },
    body: body === undefined ? undefined : writtenAsJson(body),
  });
  return {
    ask: asking,
    async json(method, path, body) {
      const { body: members } = await succeed(method, path, asJson(body));
      if (isMapping(members)) return members;
      throw new IdpError(
        'not_reachable',
        `Another program responds at ${base}: ${method} ${path} did not return JSON.`,
      );
    },
    async operation(method, path, { body, headers, mediaTypes }) {
      const question = asJson(body);
      const success = await succeed(method, path, { ...question, headers: { ...question.headers, ...headers } });
      if (success.mediaType === undefined ? mediaTypes.length === 0 : mediaTypes.includes(success.mediaType)) {
        return success.body;
      }
      throw unexpected(method, path, success);
    },
    async modelled(model, path, body, headers) {
      const question =
        body instanceof URLSearchParams
          ? { headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers }, body: body.toString() }
          : asJson(body);
      const success = await succeed('POST', path, question);
      const parsed = model.safeParse(success.body);
      if (parsed.success) return parsed.data;
      throw unexpected('POST', path, success);
    },
  };
}

/** @throws IdpError invalid_option */
export function writtenAsJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new IdpError('invalid_option', 'The value cannot be converted to JSON.', { cause });
  }
}

export function stopped(): IdpError {
  return new IdpError('stopped', 'This instance was stopped.');
}

export function notReachable(base: string, cause: unknown): IdpError {
  return new IdpError('not_reachable', unreachableSentence(base, reasonOf(cause)), { cause });
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

interface Success {
  readonly status: number;
  readonly body: unknown;
  readonly mediaType: string | undefined;
}

function mediaTypeOf({ headers }: Answer): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

/** A JSON body is parsed. Any other body is a string, or undefined if the response has none. */
function bodyOf(answer: Answer): unknown {
  const text = answer.body.toString('utf8');
  const mediaType = mediaTypeOf(answer);
  if (text === '' && mediaType === undefined) return undefined;
  if (mediaType !== 'application/json') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The response of a fault or an intermediary. Its content is only in `body`, because it may contain secrets. */
function unexpected(method: string, path: string, { status, body, mediaType }: Success): IdpRequestError {
  const [pathname = path] = path.split('?', 1);
  const form = mediaType === undefined ? 'no body' : mediaType;
  const message = `${method} ${pathname} returned an unexpected response: ${status} (${form}). See body.`;
  return new IdpRequestError('unexpected_answer', message, { status, error: undefined, body });
}

/** The message contains the server's own words, but nothing else of the request or response. */
function refusal(method: string, path: string, status: number, body: unknown): IdpRequestError {
  const { error, error_description: description, kind } = isMapping(body) ? body : {};
  const code = typeof error === 'string' ? error : undefined;
  const explanation = [code, description].filter((text) => typeof text === 'string').join(': ');
  const [pathname = path] = path.split('?', 1);
  const message = `${method} ${pathname} returned ${status}${explanation === '' ? '' : ` ${explanation}`}`;
  const isCode = code !== undefined && /^[a-z_]+$/.test(code);
  const named = typeof kind === 'string' ? kind : isCode ? code : `http_${status}`;
  return new IdpRequestError(named, message, { status, error: code, body });
}
