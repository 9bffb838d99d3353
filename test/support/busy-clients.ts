// Clients that keep a started program busy. Each sends one request after the other, on a new connection each or on a
// kept-alive one, and records every outcome.
import { Agent, request } from 'node:http';
import { web } from './credentials.ts';
import type { RawAnswer } from './http.ts';

interface LoadRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadOutcome {
  readonly request: LoadRequest;
  /** Milliseconds of the machine's monotonic clock. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly answer?: RawAnswer;
  /** The code of the error if there was no response. */
  readonly error?: string;
  /**
   * For a reused connection: milliseconds since the last request on it began. The server cannot have waited longer than
   * that for this one.
   */
  readonly sinceLast?: number;
}

interface LoadOptions {
  readonly clients: number;
  /** Between two requests of one client. */
  readonly pauseMilliseconds: number;
  readonly keepAlive: boolean;
  /** Returns the next request. `index` is unique. */
  readonly next: (index: number) => LoadRequest;
}

interface Load {
  /** Stops new requests, and resolves when the last ones have ended. */
  stop(): Promise<readonly LoadOutcome[]>;
}

export function startLoad(baseUrl: string, options: LoadOptions): Load {
  const outcomes: LoadOutcome[] = [];
  let stopped = false;
  let count = 0;
  async function client(): Promise<void> {
    const agent = options.keepAlive ? new Agent({ keepAlive: true, maxSockets: 1 }) : false;
    let lastStartedAt = 0;
    while (!stopped) {
      count += 1;
      const outcome = await send(baseUrl, options.next(count), agent, lastStartedAt);
      lastStartedAt = outcome.startedAt;
      outcomes.push(outcome);
      await new Promise((resolve) => setTimeout(resolve, options.pauseMilliseconds));
    }
    if (agent !== false) agent.destroy();
  }
  const clients = Array.from({ length: options.clients }, client);
  return {
    async stop() {
      stopped = true;
      await Promise.all(clients);
      return outcomes;
    },
  };
}

function send(baseUrl: string, wanted: LoadRequest, agent: Agent | false, lastStartedAt: number): Promise<LoadOutcome> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (result: Pick<LoadOutcome, 'answer' | 'error'>) => {
      const kept = outgoing.reusedSocket ? { sinceLast: startedAt - lastStartedAt } : {};
      resolve({ request: wanted, startedAt, endedAt: performance.now(), ...kept, ...result });
    };
    const fail = (error: NodeJS.ErrnoException) => end({ error: error.code ?? error.message });
    const outgoing = request(
      baseUrl + wanted.path,
      { method: wanted.method ?? 'GET', headers: { ...wanted.headers }, agent },
      (incoming) => {
        let body = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        incoming.once('error', fail);
        incoming.once('end', () =>
          end({ answer: { status: incoming.statusCode ?? 0, headers: incoming.headers, body } }),
        );
      },
    );
    outgoing.once('error', fail);
    outgoing.end(wanted.body);
  });
}

export const tokenRequest: LoadRequest = {
  method: 'POST',
  path: '/token',
  headers: { ...web, 'Content-Type': 'application/x-www-form-urlencoded' },
  body: 'grant_type=client_credentials',
};

export const attributeQuery: LoadRequest = {
  method: 'POST',
  path: '/saml/attribute-query',
  headers: { 'Content-Type': 'text/xml' },
  body: `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><p:AttributeQuery
    xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion" ID="_q" Version="2.0"
    IssueInstant="2026-01-01T00:00:00Z"><a:Issuer>https://sp.example</a:Issuer><a:Subject><a:NameID>alice</a:NameID>
    </a:Subject></p:AttributeQuery></e:Body></e:Envelope>`,
};
