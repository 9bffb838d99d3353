// How stored data affects the cost of a request. Two of our programs run: one stays as it started, the other grows step
// by step, and both are loaded in turns after each step. Users and clients are added through the interface. Refreshed
// families and audit events are too many for that, so they are added through the ports of the open store. Finally, a
// long load is measured minute by minute.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { plusSeconds, systemClock, systemStopwatch } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { type OpenedStore, openRuntimeStore } from '#shared/state/store/open-store.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { httpRequest, load, type Operation } from './http-load.ts';
import { inTurns, share } from './in-turns.ts';
import { all, connections, measuredLoad, warmUp } from './measured-load.ts';
import { median } from './median.ts';
import { prepareDirectory, programsOn } from './programs.ts';
import { codeFlow, ofClient, once, tokenRequest, tokensOf } from './requests.ts';
import { memoryOfTree, type StartedProgram } from './started-program.ts';

interface GrowthBench {
  /** Loads after each step. */
  readonly pairs: number;
  readonly print: (line: string) => void;
}

/** Users and clients of a program that has not grown. Pages that offer some then have some to offer. */
const few = 10;
const grownTo = Number(process.env.BENCH_GROWTH ?? 10_000);
const families = Number(process.env.BENCH_GROWTH_FAMILIES ?? 100_000);
const events = Number(process.env.BENCH_GROWTH_EVENTS ?? 1_000_000);
/** The seconds of the long load, measured minute by minute or in five parts. */
const lasting = Number(process.env.BENCH_GROWTH_LASTING ?? 300);
/** The rows that are put into the store before the next wait. */
const putAtOnce = 1000;

type Named = readonly [name: string, operation: (number: number) => Operation];

export async function benchGrowth({ pairs, print }: GrowthBench): Promise<void> {
  const places = [startedOnFile(), startedOnFile()] as const;
  try {
    const [small, grown] = [await places[0].start(), await places[1].start()];
    const store = await openRuntimeStore(
      { kind: 'sqlite', path: places[1].path },
      { stopwatch: systemStopwatch, random: systemRandomness, log: silentLogger(), mustExist: true },
    );
    try {
      await growStepByStep({ small, grown, store, pairs, print });
    } finally {
      await store.close();
    }
    await loadForLong(grown, print);
  } finally {
    for (const place of places) await place.end();
  }
}

interface Place {
  /** The store's file. */
  readonly path: string;
  start(): Promise<StartedProgram>;
  end(): Promise<void>;
}

/** A program with a directory of its own and a store that this process can open as well. */
function startedOnFile(): Place {
  const store = prepareDirectory();
  const path = join(store, 'runtime.db');
  const directory = prepareDirectory({ runtime: { store: 'sqlite', path } });
  let program: StartedProgram | undefined;
  return {
    path,
    start: async () => {
      program = await programsOn(directory).ours();
      return program;
    },
    end: async () => {
      await program?.stop();
      for (const each of [directory, store]) rmSync(each, { recursive: true, force: true });
    },
  };
}

interface Growing extends GrowthBench {
  readonly small: StartedProgram;
  readonly grown: StartedProgram;
  /** The store of the grown program. */
  readonly store: OpenedStore;
}

async function growStepByStep({ small, grown, store, pairs, print }: Growing): Promise<void> {
  print(`\ngrowth, processor time beside one that has not grown (target: at most 1.10 everywhere):`);
  for (const program of [small, grown]) {
    await made(program, 'users', 0, few);
    await made(program, 'clients', 0, few);
  }
  const steps: readonly (readonly [what: string, grow: () => Promise<void>])[] = [
    [`${few} users and clients`, async () => {}],
    [`${grownTo} users`, () => made(grown, 'users', few, grownTo)],
    [`${grownTo} clients`, () => made(grown, 'clients', few, grownTo)],
    [`${families} families that were refreshed`, () => put(families, (number) => refreshed(store, number))],
    [`${events} audit events`, () => put(events, (number) => recorded(store, number))],
  ];
  for (const [what, grow] of steps) {
    await grow();
    print(`  ${what}:`);
    const loadsOfSmall = await loadsOf(small);
    for (const [index, [name, request]] of (await loadsOf(grown)).entries()) {
      const ofSmall = { program: small, request: loadsOfSmall[index]?.[1] ?? request };
      const ofGrown = { program: grown, request };
      for (const each of [ofSmall, ofGrown]) await warmUp(each);
      const measured = await inTurns(pairs, {
        small: () => measuredLoad(ofSmall),
        grown: () => measuredLoad(ofGrown),
      });
      const [before, now] = [all(measured.small, 'cpu'), all(measured.grown, 'cpu')];
      print(
        `    ${name.padEnd(20)} ${median(now).toFixed(3)} ms, ${median(before).toFixed(3)} ms: ${share(now, before)}`,
      );
    }
  }
  print(`  ${memoryOf(grown)} MiB resident, ${memoryOf(small)} where nothing has grown`);
}

/** Logins, because they leave the most data behind. */
async function loadForLong(program: StartedProgram, print: GrowthBench['print']): Promise<void> {
  if (lasting === 0) return;
  const part = Math.min(60, lasting / 5);
  print(`  code with login for ${lasting} s (target: p99 at most 3 × that of the first minute):`);
  const request = () => codeFlow(program);
  let first: number | undefined;
  for (let number = 1; number * part <= lasting + part / 2; number += 1) {
    const { baseUrl } = program;
    const { p99, errors, answered } = await load({ baseUrl, request, connections, seconds: part, warmUpSeconds: 0 });
    if (errors > 0) throw new Error(`${errors} of ${answered} answers are wrong: no measurement`);
    first ??= p99;
    print(
      `    ${`${number} × ${part} s`.padEnd(20)} ${(answered / part).toFixed(0)}/s, p99 ${p99.toFixed(0)} ms: ${first === 0 ? 'none to compare with' : (p99 / first).toFixed(2)}, ${memoryOf(program)} MiB`,
    );
  }
}

function memoryOf({ pid }: StartedProgram): string {
  return memoryOfTree(pid)
    .reduce((sum, [, mebibytes]) => sum + mebibytes, 0)
    .toFixed(0);
}

/** Calls `one` that many times to fill the store, several at once. */
async function put(count: number, one: (number: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += putAtOnce) {
    const some = Math.min(putAtOnce, count - from);
    await Promise.all(Array.from({ length: some }, (_, index) => one(from + index)));
  }
}

/** A family whose first token was used, as by a client that refreshes. */
async function refreshed({ store }: OpenedStore, number: number): Promise<void> {
  const expiresAt = plusSeconds(systemClock.now(), 30 * 86_400);
  const place = { line: `line-${number}`, number: 0 };
  const outcome = await store.tokenState.spendRefreshToken({
    ...{ family: `family-${number}`, place, expiresAt, rotate: true },
  });
  if (outcome !== 'spent') throw new Error(`a new family is ${outcome}`);
}

/** What a token request leaves behind. */
async function recorded({ audit }: OpenedStore, number: number): Promise<void> {
  await audit.record({
    event_type: 'token_request',
    at: systemClock.now(),
    client_id: `made-${number % grownTo}`,
    ip_address: '127.0.0.1',
    endpoint: '/token',
    method: 'POST',
    status: 'success',
    details: { grant_type: 'client_credentials', scope: 'openid' },
  });
}

async function loadsOf(program: StartedProgram): Promise<readonly Named[]> {
  const credentials = tokenRequest(program, { grant_type: 'client_credentials' });
  const { access_token: token } = tokensOf(await once(program, (ask) => ask(credentials)));
  const introspected = ofClient(program, '/introspect', { token });
  return [
    ['client_credentials', () => (ask) => ask(credentials)],
    ['introspection', () => (ask) => ask(introspected)],
    ['code with login', () => codeFlow(program)],
  ];
}

const entryOf = {
  users: (number: number) => ({ username: `made-${number}`, password: 'made', roles: ['USER'] }),
  clients: (number: number) => ({ client_id: `made-${number}`, client_secret: 'made' }),
} as const;

/**
 * Creates the entries numbered `from` to `to` on one connection, because they are created under a lock. @throws Error
 * for any status but 201
 */
async function made(program: StartedProgram, what: keyof typeof entryOf, from: number, to: number): Promise<void> {
  const { baseUrl } = program;
  const headers = { 'Content-Type': 'application/json' };
  await once(program, async (ask) => {
    for (let number = from; number < to; number += 1) {
      const body = JSON.stringify(entryOf[what](number));
      const answer = await ask(httpRequest(baseUrl, { method: 'POST', path: `/api/runtime/${what}`, headers, body }));
      if (answer.status !== 201) return answer;
    }
    return { status: 200, head: '', body: '' };
  });
}
