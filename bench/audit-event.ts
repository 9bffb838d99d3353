// The cost of an audit event, by the number of events that share a commit: processor time of this process alone, the
// lowest tenth of many rounds (docs/performance.md).
//   node --import tsx bench/audit-event.ts
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { openRuntimeStore } from '#shared/state/store/open-store.ts';
import type { AuditLog } from '#shared/state/store/ports/audit.ts';
import { silentLogger } from '#test/support/silent-logger.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 100);
const warmUpRounds = 30;
const eventsInRound = 800;

/** The event of a request for a client's own token. */
async function record(audit: AuditLog): Promise<void> {
  await audit.record({
    at: systemClock.now(),
    event_type: 'token_request',
    endpoint: '/token',
    status: 'success',
    client_id: 'bench-client',
    ip_address: '127.0.0.1',
    method: 'POST',
    details: { grant_type: 'client_credentials' },
  });
}

/** Microseconds of processor time for one event. */
async function round(audit: AuditLog, inCommit: number): Promise<number> {
  const before = process.cpuUsage();
  for (let recorded = 0; recorded < eventsInRound; recorded += inCommit) {
    await Promise.all(Array.from({ length: inCommit }, () => record(audit)));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / eventsInRound;
}

const directory = mkdtempSync(join(tmpdir(), 'test-idp-bench-'));
const opened = await openRuntimeStore(
  { kind: 'stack', directory },
  { stopwatch: systemStopwatch, random: systemRandomness, log: silentLogger() },
);
for (const inCommit of [1, 2, 4, 8]) {
  for (let turn = 0; turn < warmUpRounds; turn += 1) await round(opened.audit, inCommit);
  const costs: number[] = [];
  for (let turn = 0; turn < rounds; turn += 1) costs.push(await round(opened.audit, inCommit));
  costs.sort((one, other) => one - other);
  const lowest = costs[Math.floor(costs.length / 10)] ?? Number.NaN;
  process.stdout.write(`an event in a commit of ${inCommit}: ${lowest.toFixed(1)} microseconds\n`);
}
await opened.close();
rmSync(directory, { recursive: true, force: true });
