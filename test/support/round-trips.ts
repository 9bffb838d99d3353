// A proxy in front of a PostgreSQL server that counts its queries: one round trip for each simple query and for each Sync,
// whatever was sent before it (PostgreSQL's manual, "Message Flow").
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresServer } from './postgres-server.ts';

export interface RoundTrips {
  /** For `runtime.url`. */
  readonly url: string;
  /**
   * The round trips so far, each with one statement or several that were sent together. BEGIN and COMMIT are statements
   * too.
   */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** `leftOut`: messages that do not count. */
export async function countRoundTrips(server: PostgresServer, leftOut: RegExp): Promise<RoundTrips> {
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-trips-'));
  const place = (of: string) => join(of, `.s.PGSQL.${server.port}`);
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect(place(server.socketDirectory));
    const count = countIn((statement) => {
      if (!leftOut.test(statement)) asked.push(statement);
    });
    client.on('data', count);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(place(directory), resolve));
  return {
    url: `postgres://${server.user}@:${server.port}/postgres?host=${encodeURIComponent(directory)}`,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Parses what one client sends: a startup message without a type, then messages of a type letter, a length and content. */
function countIn(record: (statement: string) => void): (chunk: Buffer) => void {
  let held = Buffer.alloc(0);
  let isStarted = false;
  const statements = new Map<string, string>();
  const bound: string[] = [];
  const read = (type: string, body: Buffer) => {
    const [one = '', two = ''] = body.toString('latin1').split('\0');
    if (type === 'P') statements.set(one, two);
    if (type === 'B') bound.push(statements.get(two) ?? '');
    if (type === 'Q') record(one);
    if (type === 'S') record(bound.splice(0).join(';\n'));
  };
  return (chunk) => {
    held = Buffer.concat([held, chunk]);
    for (;;) {
      const head = isStarted ? 1 : 0;
      if (held.length < head + 4) return;
      const end = head + held.readInt32BE(head);
      if (held.length < end) return;
      if (isStarted) read(held.toString('latin1', 0, 1), held.subarray(5, end));
      isStarted = true;
      held = held.subarray(end);
    }
  };
}
