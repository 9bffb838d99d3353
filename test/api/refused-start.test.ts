// A start that is rejected or cancelled leaves nothing behind (API-14, API-15).
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pemKeys, rejection, startIdp } from '#test/support/start-api.ts';
import { verifies } from '#test/support/verifies.ts';

const children = () => readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').match(/\d+/g) ?? [];

async function until<Found>(find: () => Found | undefined): Promise<Found> {
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    await pause(5);
  }
}

describe('a start that is rejected or cancelled', function () {
  this.timeout(30_000);
  let keys: Awaited<ReturnType<typeof pemKeys>>;
  let others: readonly string[];
  before(async function () {
    if (process.platform !== 'linux') {
      process.stderr.write('skipped: the children of a process are read from /proc, which only Linux has\n');
      this.skip();
    }
    keys = await pemKeys();
    others = children();
  });
  const more = () => children().filter((pid) => !others.includes(pid));
  const noMore = () => until(() => (more().length === 0 ? true : undefined));

  /** The child processes of this process. */
  const privateDirectory = () =>
    ['/dev/shm', tmpdir()]
      .filter((base) => existsSync(base))
      .flatMap((base) => readdirSync(base).map((name) => join(base, name)))
      .filter((path) => path.includes('test-idp-stack-'))
      .find((path) => more().some((pid) => existsSync(join(path, `${pid}.alive`))));

  verifies(['API-14', 'API-15'], 'deletes the private directory of its stack', async () => {
    const signal = new AbortController();
    const starting = startIdp({ keys, stack: true, signal: signal.signal }).catch((error: unknown) => error);
    const directory = await until(privateDirectory);
    const reason = new Error('the test is over');
    signal.abort(reason);
    expect(await starting).to.equal(reason);
    await noMore();
    expect(existsSync(directory), directory).to.equal(false);
  });

  verifies('API-15', 'is cancelled by a signal in the same event-loop turn, also as a stack', async () => {
    const signal = new AbortController();
    const starting = startIdp({ keys, stack: true, signal: signal.signal });
    const reason = new Error('the test is over');
    signal.abort(reason);
    const thrown = await starting.then(
      (idp) => idp.stop(),
      (error: unknown) => error,
    );
    expect(thrown).to.equal(reason);
    await noMore();
  });

  verifies('API-14', 'starts no process afterwards', async () => {
    let hand = (_keys: typeof keys) => {};
    const handed = new Promise<typeof keys>((resolve) => {
      hand = resolve;
    });
    const late = await rejection(startIdp({ keys: { pem: () => handed }, stack: true, timeout: 50 }));
    expect(late.kind).to.equal('timeout');
    hand(keys);
    for (let turn = 0; turn < 20; turn += 1) {
      await pause(5);
      expect(more()).to.deep.equal([]);
    }
  });

  verifies(['API-26', 'API-29'], 'ends with the stop of its instance, if a reset began it', async () => {
    const idp = await startIdp({ keys, stack: true });
    const former = String(idp.pid);
    const resetting = rejection(idp.reset());
    await until(() => (more().includes(former) ? undefined : true));
    await idp.stop();
    expect((await resetting).kind).to.equal('stopped');
    expect(more()).to.deep.equal([]);
    expect((await rejection(idp.reset())).kind).to.equal('stopped');
  });

  verifies(
    ['API-14', 'API-28'],
    'rejects with a reason as an error of this package, in process and as a stack',
    async () => {
      const configDir = mkdtempSync(join(tmpdir(), 'test-idp-api-'));
      try {
        const trace = join(configDir, 'trace');
        const hooks = { on_before_load: `test ! -e ${trace}`, strict: true };
        writeFileSync(join(configDir, 'settings.yaml'), JSON.stringify({ hooks }));
        writeFileSync(join(configDir, 'users.yaml'), 'users: {}\n');
        await using idp = await startIdp({ configDir, keys });
        writeFileSync(trace, '');
        const started = (stack?: true) => startIdp({ configDir, keys, ...(stack && { stack }) });
        for (const refused of [() => started(), () => started(true), () => idp.reset()]) {
          const { kind, message } = await rejection(refused());
          expect([kind, message]).to.deep.equal(['start_failed', 'the hook on_before_load ended with exit code 1']);
        }
        // The same reason applies where values cannot be replaced.
        expect((await idp.fetch('/health')).status).to.equal(200);
      } finally {
        rmSync(configDir, { recursive: true, force: true });
      }
    },
  );

  verifies(['API-09', 'API-28'], 'has the same kind in process and as a stack', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'test-idp-api-'));
    try {
      writeFileSync(join(folder, 'file'), '');
      const path = join(folder, 'file', 'runtime.db');
      for (const [options, kind] of [
        [{ host: '192.0.2.1' }, 'address_unusable'],
        // A stack with a visible log also writes it to standard error, where this test does not read it.
        [{ host: '192.0.2.1', log: 'error' }, 'address_unusable'],
        [{ host: 'no-such-host.invalid' }, 'address_unusable'],
        [{ settings: { runtime: { store: 'sqlite', path } } }, 'store_refused'],
      ] as const) {
        const refusals = await Promise.all([
          rejection(startIdp({ keys, ...options })),
          rejection(startIdp({ keys, ...options, stack: true })),
        ]);
        const [here, there] = refusals.map((refused) => [refused.kind, refused.message]);
        expect(here?.[0]).to.equal(kind);
        expect(there).to.deep.equal(here);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  verifies('API-14', 'has ended when its error is thrown', async () => {
    const late = await rejection(startIdp({ keys, stack: true, timeout: 150 }));
    expect([late.kind, more()]).to.deep.equal(['timeout', []]);
    const signal = new AbortController();
    const starting = startIdp({ keys, stack: true, signal: signal.signal }).catch((error: unknown) => error);
    await until(privateDirectory);
    const reason = new Error('the test is over');
    signal.abort(reason);
    expect([await starting, more()]).to.deep.equal([reason, []]);
  });

  verifies(['API-14', 'API-15'], 'ends the hook that it ran', async () => {
    const configDir = mkdtempSync(join(tmpdir(), 'test-idp-api-'));
    try {
      const hooks = { on_before_load: 'sleep 600', timeout_seconds: 600 };
      writeFileSync(join(configDir, 'settings.yaml'), JSON.stringify({ hooks }));
      writeFileSync(join(configDir, 'users.yaml'), 'users: {}\n');
      const signal = new AbortController();
      const starting = startIdp({ configDir, signal: signal.signal }).catch((error: unknown) => error);
      await until(() => (more().length > 0 ? true : undefined));
      const reason = new Error('the test is over');
      signal.abort(reason);
      expect(await starting).to.equal(reason);
      await noMore();
      expect((await rejection(startIdp({ configDir, timeout: 50 }))).kind).to.equal('timeout');
      await noMore();
      const strict = { on_before_load: 'exit 7', strict: true };
      writeFileSync(join(configDir, 'settings.yaml'), JSON.stringify({ hooks: strict }));
    } finally {
      rmSync(configDir, { recursive: true, force: true });
    }
  });

  verifies('API-15', 'stops connecting to a PostgreSQL server that does not respond', async () => {
    let attempts = 0;
    const server = createServer((socket) => {
      attempts += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    try {
      const runtime = { store: 'postgres', url: `postgres://idp@127.0.0.1:${port}/idp` } as const;
      const signal = new AbortController();
      const starting = startIdp({ settings: { runtime }, signal: signal.signal }).catch((error: unknown) => error);
      await until(() => (attempts > 0 ? true : undefined));
      const reason = new Error('the test is over');
      signal.abort(reason);
      expect(await starting).to.equal(reason);
      // The work that was in progress.
      await pause(300);
      const before = attempts;
      await pause(900);
      expect(attempts).to.equal(before);
    } finally {
      server.close();
    }
  });
});
