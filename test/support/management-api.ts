// The REST API of a started program for tests: JSON in, status and JSON out.
import type { RunningIdp } from './start-idp.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Any value. Tests compare it. */
  readonly body: Awaited<ReturnType<Response['json']>>;
}

export type ApiClient = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ApiAnswer>;

/** Sends `body` as JSON, or a string as it is. Returns the parsed body of the response, or its text if it is not JSON. */
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

/**
 * The same for a client that retries as the server requests: while another process checks the files slowly on a busy
 * machine, nothing was done and the request is sent again (STO-22).
 */
export function patientApiClient(idp: Pick<RunningIdp, 'baseUrl'>): ApiClient {
  const send = apiClient(idp);
  return async (...request) => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await send(...request);
      if (answer.status !== 503 || answer.body?.kind !== 'freshness_in_progress' || attempt === 20) return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
