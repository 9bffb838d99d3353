// Requests to an instance and what becomes of its answers: a value, or an error that says what was asked and why not.
import { isMapping } from '#shared/values-from-outside.ts';
import type { Answer } from './ask.ts';
import { ask, type Question } from './ask.ts';
import { IdpError, IdpRequestError } from './errors.ts';

/** Asks one instance, `path` being seen from its base address; rejects with kind `stopped` once it has been stopped. */
export type Asking = (path: string, question?: Question) => Promise<Answer>;

export interface Requests {
  readonly ask: Asking;
  /** REST: JSON there and back. @throws IdpRequestError for what is no success */
  json(method: string, path: string, body?: unknown): Promise<Members>;
  /** An operation of the REST API, whose answer is JSON, text or nothing. @throws IdpRequestError */
  operation(
    method: string,
    path: string,
    sent: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> | undefined },
  ): Promise<unknown>;
  /** A form, as the protocol endpoints take it. @throws IdpRequestError */
  form(path: string, form: URLSearchParams, headers?: Readonly<Record<string, string>>): Promise<Members>;
}

export type Members = Readonly<Record<string, unknown>>;

export function requestsTo(base: string, managementSecret: string | undefined, isStopped: () => boolean): Requests {
  const asking: Asking = async (path, question = {}) => {
    if (isStopped()) throw stopped();
    try {
      return await ask(new URL(base + path), question);
    } catch (cause) {
      if (isStopped()) throw stopped();
      throw notReachable(base, cause);
    }
  };
  const secret = managementSecret === undefined ? {} : { 'X-Management-Secret': managementSecret };
  const succeed = async (method: string, path: string, question: Question): Promise<unknown> => {
    const answer = await asking(path, { ...question, method });
    const body = bodyOf(answer);
    if (answer.status >= 200 && answer.status < 300) return body;
    throw refusal(method, path, answer.status, body);
  };
  const send = async (method: string, path: string, question: Question): Promise<Members> => {
    const body = await succeed(method, path, question);
    if (isMapping(body)) return body;
    throw new IdpError('not_reachable', `what answers at ${base} is no test-idp: ${method} ${path} gave no JSON`);
  };
  const asJson = (body: unknown): Question => ({
    headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...secret },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return {
    ask: asking,
    json: (method, path, body) => send(method, path, asJson(body)),
    operation: (method, path, { body, headers }) => {
      const question = asJson(body);
      return succeed(method, path, { ...question, headers: { ...question.headers, ...headers } });
    },
    form: (path, form, headers) =>
      send('POST', path, {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        body: form.toString(),
      }),
  };
}

export function stopped(): IdpError {
  return new IdpError('stopped', 'this instance has been stopped');
}

export function notReachable(base: string, cause: unknown): IdpError {
  return new IdpError('not_reachable', `nobody answers at ${base} (${reasonOf(cause)})`, { cause });
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

function bodyOf({ body }: Answer): unknown {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The server's own words; neither what was sent nor what came back but them. */
function refusal(method: string, path: string, status: number, body: unknown): IdpRequestError {
  const { error, error_description: description, kind } = isMapping(body) ? body : {};
  const code = typeof error === 'string' ? error : undefined;
  const said = [code, description].filter((text) => typeof text === 'string').join(': ');
  const [asked = path] = path.split('?', 1);
  const message = `${method} ${asked} answered ${status}${said === '' ? '' : ` ${said}`}`;
  const isCode = code !== undefined && /^[a-z_]+$/.test(code);
  const named = typeof kind === 'string' ? kind : isCode ? code : `http_${status}`;
  return new IdpRequestError(named, message, { status, error: code, body });
}
