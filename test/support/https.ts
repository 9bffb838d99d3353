// Requests to a started program with TLS, by a client that trusts only its authority.
import { readFileSync } from 'node:fs';
import { type Agent, request } from 'node:https';
import type { RawAnswer } from './http.ts';
import type { SpawnedIdp } from './start-idp.ts';

interface SecureRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Without it, each request opens its own connection. */
  readonly agent?: Agent;
}

export type SecureClient = (path: string, options?: SecureRequest) => Promise<RawAnswer>;

export function secureClient({ baseUrl, caFile }: Pick<SpawnedIdp, 'baseUrl' | 'caFile'>): SecureClient {
  if (caFile === undefined) throw new Error('the program reported no authority file');
  const ca = readFileSync(caFile);
  return (path, { method = 'GET', headers = {}, body, agent } = {}) =>
    new Promise((resolve, reject) => {
      const outgoing = request(baseUrl + path, { method, headers, ca, agent: agent ?? false }, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        incoming.on('error', reject).on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text });
        });
      });
      outgoing.on('error', reject).end(body);
    });
}

export function secureForm(
  client: SecureClient,
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  return client(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });
}
