// Calling the REST API of a started program as a test wants to: JSON in, status and JSON out.
import type { RunningIdp } from './start-idp.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Whatever came; a test compares it. */
  readonly body: Awaited<ReturnType<Response['json']>>;
}

export type ApiClient = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ApiAnswer>;

/** Sends `body` as JSON, a text as it is. The answer's body is parsed, or its text when it is not JSON. */
export function apiClient({ baseUrl }: Pick<RunningIdp, 'baseUrl'>): ApiClient {
  return async (method, path, body, headers = {}) => {
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const answer = await fetch(baseUrl + path, {
      method,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...sent,
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: parsed(text) };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
