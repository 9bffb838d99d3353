// What the recording stage and the store take for one token, in this process alone: processor time of requests that are
// recorded less that of the same requests that are not, in turns (docs/performance.md).
//   node --import tsx bench/recording-stage.ts
import { mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext } from '#shared/engine/exchange/request.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { clockAt, realTime } from '#shared/model/domain/movable-clock.ts';
import { openRuntimeStore } from '#shared/state/store/open-store.ts';
import type { Exchange } from '#shared/web/pipeline/exchange.ts';
import { IncomingRequest } from '#shared/web/pipeline/incoming-request.ts';
import { type RecordingParts, RequestRecording } from '#shared/web/pipeline/record-exchange.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { median } from './median.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 150);
const requestsInRound = 800;
const eventsInCommit = 4;

const directory = mkdtempSync(join(tmpdir(), 'test-idp-bench-'));
const opened = await openRuntimeStore(
  { kind: 'stack', directory },
  { stopwatch: systemStopwatch, random: systemRandomness, log: silentLogger() },
);
const snapshot = { settings: { recorder: { enabled: true, secrets: 'fingerprints' } } };
const parts = {
  services: { clock: { real: systemClock.now }, stopwatch: systemStopwatch, random: systemRandomness },
  rules: {},
  relayed: true,
  sent: (reply: Reply) => reply,
} as unknown as RecordingParts;

/** What a client of the benchmark sends, in strings of its own each time. */
const headerLines = Buffer.from(
  JSON.stringify([
    ...['host', '127.0.0.1:8000', 'connection', 'keep-alive', 'content-type', 'application/x-www-form-urlencoded'],
    ...[
      'authorization',
      `Basic ${Buffer.from('bench-client:bench-secret').toString('base64')}`,
      'content-length',
      '29',
    ],
    ...['user-agent', 'bench', 'accept', '*/*', 'x-forwarded-for', '127.0.0.1', 'x-forwarded-proto', 'http'],
  ]),
);
const formBody = Buffer.from('grant_type=client_credentials');
const header = Buffer.from(JSON.stringify({ alg: 'RS256', typ: 'at+jwt', kid: 'a'.repeat(43) })).toString('base64url');
const signature = systemRandomness.token(256);
let requests = 0;

function accessToken(): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: 'http://127.0.0.1:8000', sub: 'bench-client', aud: ['api'], client_id: 'bench-client', iat };
  const payload = { ...claims, exp: iat + 3600, jti: systemRandomness.token(16), scope: 'read write', authorities: [] };
  return `${header}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${signature}`;
}

function answerOne(isRecorded: boolean): Promise<void> {
  requests += 1;
  const rawHeaders: string[] = JSON.parse(headerLines.toString());
  const headers = Object.fromEntries(
    Array.from({ length: rawHeaders.length / 2 }, (_, index) => rawHeaders.slice(2 * index, 2 * index + 2)),
  );
  const message = {
    method: 'POST',
    headers,
    rawHeaders,
  } as unknown as IncomingMessage;
  const target = { path: '/token', rawQuery: '' };
  const namespace = { store: opened.store, configuration: { peek: () => snapshot } };
  const seen = clockAt(realTime);
  const clock = { asSeen: () => seen };
  const exchange = {
    ...{ message, target, namespace, clock, path: '/token', furtherHeaders: {}, requestId: `bench-${requests}` },
  } as unknown as Exchange;
  const request = new IncomingRequest(
    message,
    target,
    { body: Buffer.from(formBody), length: 29, refusal: undefined },
    {},
  );
  request.form.value('grant_type');
  const context = { snapshot, clientAddress: '127.0.0.1' } as unknown as ManagementContext;
  const token = accessToken();
  const reply = json(200, { access_token: token, token_type: 'Bearer', expires_in: 3600, scope: 'read write' });
  const event: AuditEvent = {
    at: systemClock.now(),
    event_type: 'token_request',
    endpoint: '/token',
    status: 'success',
    client_id: 'bench-client',
    ip_address: '127.0.0.1',
    method: 'POST',
    details: { grant_type: 'client_credentials' },
  };
  if (!isRecorded) return opened.audit.record(event);
  const recording = new RequestRecording('token', exchange, parts);
  recording.read(request, context);
  recording.noteEvent(event);
  void recording.settle({ reply });
  const done = opened.audit.record(event);
  void recording.end(reply);
  return done;
}

/** Microseconds of the processor for one request, of them in the system. */
interface Cost {
  readonly all: number;
  readonly system: number;
}

async function round(isRecorded: boolean): Promise<Cost> {
  const before = process.cpuUsage();
  for (let count = 0; count < requestsInRound; count += eventsInCommit) {
    const all: Promise<void>[] = [];
    for (let event = 0; event < eventsInCommit; event += 1) all.push(answerOne(isRecorded));
    await Promise.all(all);
  }
  await opened.store.exchanges.written();
  const { user, system } = process.cpuUsage(before);
  return { all: (user + system) / requestsInRound, system: system / requestsInRound };
}

for (let turn = 0; turn < 60; turn += 1) await round(turn % 2 === 0);
const recorded: Cost[] = [];
const plain: Cost[] = [];
for (let turn = 0; turn < rounds; turn += 1) {
  // Who goes first changes from pair to pair.
  for (const isRecorded of [turn % 2 === 0, turn % 2 !== 0])
    (isRecorded ? recorded : plain).push(await round(isRecorded));
}
/** What a busy machine disturbs least. */
const lowest = (costs: readonly Cost[], what: keyof Cost) =>
  [...costs.map((cost) => cost[what])].sort((one, other) => one - other)[Math.floor(costs.length / 10)] ?? Number.NaN;
const middle = (costs: readonly Cost[], what: keyof Cost) => median(costs.map((cost) => cost[what]));
const more = (of: typeof lowest, what: keyof Cost) => (of(recorded, what) - of(plain, what)).toFixed(1);
process.stdout.write(
  `a recorded token takes ${more(lowest, 'all')} microseconds more by the lowest tenths, ${more(middle, 'all')} by the medians; ` +
    `without ${lowest(plain, 'all').toFixed(1)} and ${middle(plain, 'all').toFixed(1)}\n`,
);
await opened.close();
rmSync(directory, { recursive: true, force: true });
