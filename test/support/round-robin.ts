// A minimal load balancer: each request goes to the next machine, with the Host of the client. It skips a machine that
// accepts no connection. A request that was sent to a failing machine fails with it.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

export interface RoundRobin {
  readonly baseUrl: string;
  /** Skips one machine, so that the same steps then reach other machines. */
  shift(): void;
  /** The number of requests that each machine answered, and of those that none did. */
  readonly answered: readonly number[];
  readonly failed: number;
  close(): Promise<void>;
}

export async function roundRobin(machines: readonly { readonly baseUrl: string }[]): Promise<RoundRobin> {
  let next = 0;
  let failed = 0;
  const answered = machines.map(() => 0);
  const send = (incoming: IncomingMessage, answer: ServerResponse, body: Buffer, left: number) => {
    const index = next % machines.length;
    next += 1;
    const target = new URL(incoming.url ?? '/', machines[index]?.baseUrl);
    const { method, headers } = incoming;
    const outgoing = request(target, { method, headers, agent: false }, (response) => {
      answered[index] = (answered[index] ?? 0) + 1;
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
      response.on('error', () => answer.destroy());
    });
    outgoing.on('error', (error) => {
      const wasSent = !('code' in error) || error.code !== 'ECONNREFUSED';
      if (!wasSent && left > 0) return send(incoming, answer, body, left - 1);
      failed += 1;
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end();
    });
    outgoing.end(body);
  };
  const server = createServer((incoming, answer) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => send(incoming, answer, Buffer.concat(parts), machines.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    shift: () => {
      next += 1;
    },
    answered,
    get failed() {
      return failed;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
