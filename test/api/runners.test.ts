// The fixtures of test-idp/vitest and test-idp/playwright: what each creates, shares and ends. The runners are
// stand-ins that only collect the fixtures. test/package/runners.drill.ts runs the real ones.

import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Idp, StartOptions } from '#api/index.ts';
import { claimsOf } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { apiPath, pemKeys, startIdp } from '#test/support/start-api.ts';
import { verifies } from '#test/support/verifies.ts';

type Given = Readonly<Record<string, unknown>>;
type Fixture = (given: Given, use: (value: unknown) => Promise<void>, info?: { file: string }) => Promise<void>;
type Declared = Fixture | readonly [unknown, { readonly scope: string }];

interface Held<Value> {
  readonly value: Value;
  end(): Promise<void>;
}

/** Runs a fixture as a runner does: its value exists until it has to end. */
async function hold<Value>(fixture: Declared | undefined, given: Given, file = ''): Promise<Held<Value>> {
  const run = Array.isArray(fixture) ? fixture[0] : fixture;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let done: Promise<void> = Promise.resolve();
  const value = await new Promise<Value>((resolve, reject) => {
    done = run(
      given,
      async (made: Value) => {
        resolve(made);
        await ended;
      },
      { file },
    );
    done.catch(reject);
  });
  return {
    value,
    end: async () => {
      end();
      await done;
    },
  };
}

describe('the fixtures of the runners', function () {
  this.timeout(60_000);
  let project: string;
  const environment = { IDP_URL: process.env.IDP_URL, IDP_MANAGEMENT_SECRET: process.env.IDP_MANAGEMENT_SECRET };
  before(() => {
    project = mkdtempSync(join(tmpdir(), 'test-idp-fixtures-'));
    const installed = join(project, 'node_modules', 'test-idp');
    mkdirSync(join(installed, 'docs'), { recursive: true });
    cpSync(dirname(apiPath), join(installed, 'dist'), { recursive: true });
    cpSync(join(repositoryRoot, 'package.json'), join(installed, 'package.json'));
    symlinkSync(join(repositoryRoot, 'node_modules/better-sqlite3'), join(project, 'node_modules/better-sqlite3'));
    for (const runner of ['vitest', '@playwright/test']) {
      const directory = join(project, 'node_modules', runner);
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'package.json'), '{"type": "module", "exports": "./index.js"}');
      writeFileSync(join(directory, 'index.js'), 'export const test = { extend: (fixtures) => fixtures };');
    }
  });
  after(() => {
    rmSync(project, { recursive: true, force: true });
    for (const [name, value] of Object.entries(environment)) if (value !== undefined) process.env[name] = value;
  });
  beforeEach(() => {
    for (const name of Object.keys(environment)) delete process.env[name];
  });
  async function fixturesOf(runner: 'vitest' | 'playwright'): Promise<Readonly<Record<string, Declared>>> {
    const path = join(project, 'node_modules', 'test-idp', 'dist', `${runner}.js`);
    return (await import(pathToFileURL(path).href)).test;
  }
  const options = async (more: StartOptions = {}): Promise<StartOptions> => ({ keys: await pemKeys(), ...more });
  const rootOf = ({ url }: Idp) => url.replace(/\/s\/[^/]+$/, '');
  const live = async (root: string): Promise<number> => (await (await fetch(`${root}/api/sandboxes`)).json()).count;

  describe('of vitest', () => {
    verifies(['API-38', 'API-41'], 'are one instance for each worker and one sandbox for each file', async () => {
      const { idpWorker, idp } = await fixturesOf('vitest');
      expect([idpWorker, idp].map((fixture) => Array.isArray(fixture) && fixture[1].scope)).to.deep.equal([
        'worker',
        'file',
      ]);
      const users = { alice: { password: 'wonderland' } };
      const worker = await hold(idpWorker, { idpOptions: await options({ users }) });
      const [first, second] = [
        await hold<Idp>(idp, { idpWorker: worker.value }),
        await hold<Idp>(idp, { idpWorker: worker.value }),
      ];
      expect(rootOf(first.value)).to.equal(rootOf(second.value));
      expect(first.value.url).not.to.equal(second.value.url);
      // Each has the entries of the start, but not what another one added.
      expect(first.value.users.alice?.password).to.equal('wonderland');
      expect(claimsOf((await first.value.token()).access_token).sub).to.equal('demo-client');
      await first.value.addUser({ username: 'bob', password: 'one' });
      await second.value.addUser({ username: 'bob', password: 'two' });
      const seen = await Promise.all(
        [first.value, second.value].map(async (each) => (await each.token({ user: 'bob' })).access_token),
      );
      expect(seen.map((token) => claimsOf(token).iss)).to.deep.equal([first.value.issuer, second.value.issuer]);
      const root = rootOf(first.value);
      expect(await live(root)).to.equal(2);
      await first.end();
      expect(await live(root)).to.equal(1);
      await second.end();
      await worker.end();
      expect(await fetch(root).catch(() => 'gone')).to.equal('gone');
    });

    verifies(['API-02', 'API-38'], 'have the settings that a sandbox needs explicitly', async () => {
      const { idpWorker, idp } = await fixturesOf('vitest');
      const settings = { faults: [{ fault: 'token_expired' }], saml: { entity_id: 'https://idp.example/entity' } };
      const worker = await hold(idpWorker, { idpOptions: await options({ settings } as StartOptions) });
      const file = await hold<Idp>(idp, { idpWorker: worker.value });
      expect((await file.value.faults.list()).map(({ fault }) => fault)).to.deep.equal(['token_expired']);
      expect(await (await fetch(file.value.samlMetadataUrl)).text()).to.include(
        'entityID="https://idp.example/entity"',
      );
      await file.end();
      await worker.end();
    });

    verifies('API-38', 'start nothing for files that do not use them', async () => {
      const { idpWorker } = await fixturesOf('vitest');
      const worker = await hold(idpWorker, { idpOptions: { unheardOf: true } });
      await worker.end();
    });

    verifies('API-38', 'read the management secret from the files that an instance is started with', async () => {
      const configDir = join(project, 'config');
      mkdirSync(configDir);
      writeFileSync(join(configDir, 'settings.yaml'), 'management_secret: open sesame\n');
      writeFileSync(join(configDir, 'users.yaml'), 'users: {}\n');
      const { idpWorker, idp } = await fixturesOf('vitest');
      const worker = await hold(idpWorker, { idpOptions: await options({ configDir }) });
      const file = await hold<Idp>(idp, { idpWorker: worker.value });
      expect(await file.value.addUser({ username: 'zoe', password: 'z' })).to.include({ username: 'zoe' });
      await file.end();
      await worker.end();
    });

    verifies(
      'API-38',
      'connect to the instance that IDP_URL names, and reject options that would have no effect',
      async () => {
        const running = await startIdp(await options({ settings: { management_secret: 'open sesame' } }));
        try {
          process.env.IDP_URL = running.url;
          process.env.IDP_MANAGEMENT_SECRET = 'open sesame';
          const { idpWorker, idp } = await fixturesOf('vitest');
          const worker = await hold(idpWorker, { idpOptions: {} });
          const file = await hold<Idp>(idp, { idpWorker: worker.value });
          expect(file.value.url).to.match(new RegExp(`^${running.url}/s/`));
          await file.end();
          await worker.end();
          expect((await running.fetch('/health')).status).to.equal(200);
          const other = await hold(idpWorker, { idpOptions: { users: {} } });
          const refused = await hold(idp, { idpWorker: other.value }).catch((error) => error);
          expect([refused.kind, refused.message]).to.deep.equal([
            'invalid_option',
            `idpOptions.users is for an instance that the tests start, but IDP_URL names a running one (${running.url}). Remove one of them.`,
          ]);
        } finally {
          await running.stop();
        }
      },
    );
  });

  describe('of Playwright', () => {
    verifies(
      ['API-39', 'API-41'],
      'are one sandbox for each file, and a login that the browser’s next request uses',
      async () => {
        const { idpFiles, idpOfFile, idp, loginAs } = await fixturesOf('playwright');
        const worker = await hold(idpFiles, { idpOptions: await options() });
        const inFile = async (file: string) => {
          const instance = await hold(idpOfFile, { idpFiles: worker.value }, file);
          return { instance, idp: (await hold<Idp>(idp, { idpOfFile: instance.value })).value };
        };
        const [one, again] = [await inFile('a.spec.ts'), await inFile('a.spec.ts')];
        expect(again.idp).to.equal(one.idp);

        await one.idp.addUser({ username: 'zoe', password: 'z' });
        await one.idp.addClient({ client_id: 'web', redirect_uris: ['http://127.0.0.1/cb'] });
        const page = new PageStandIn();
        type LoginAs = (user: string, options?: { url?: string; password?: string }) => Promise<void>;
        const { value: login } = await hold<LoginAs>(loginAs, { idpOfFile: one.instance.value, page });
        await login('zoe');
        const query = {
          response_type: 'code',
          client_id: 'web',
          redirect_uri: 'http://127.0.0.1:9/cb',
          scope: 'openid',
        };
        const silent = `${one.idp.url}/authorize?${new URLSearchParams({ ...query, prompt: 'none' })}`;
        await page.goto(silent);
        expect(page.url()).to.match(/^http:\/\/127\.0\.0\.1:9\/cb\?code=/);

        await login('zoe', { url: `${one.idp.url}/authorize?${new URLSearchParams(query)}` });
        expect(page.url()).to.match(/^http:\/\/127\.0\.0\.1:9\/cb\?code=/);
        const wrong = await login('zoe', { password: 'y' }).catch((error) => error);
        expect([wrong.name, wrong.message]).to.deep.equal(['IdpLoginError', sentences.loginWrong]);
        const stays = await login('zoe', { url: `${one.idp.url}/device` }).catch((error) => error);
        expect([stays.kind, stays.message]).to.deep.equal([
          'login_unfinished',
          `The login of zoe from ${one.idp.url}/device did not leave ${new URL(one.idp.url).pathname}/device of the instance (a page).`,
        ]);

        const root = rootOf(one.idp);
        const other = await inFile('b.spec.ts');
        expect([rootOf(other.idp), await live(root)]).to.deep.equal([root, 1]);
        expect((await other.idp.fetch('/api/users/zoe')).status).to.equal(404);
        await worker.end();
        expect(await fetch(root).catch(() => 'gone')).to.equal('gone');
      },
    );

    it('keep login.session if the test sets it', async () => {
      const { idpFiles, idpOfFile } = await fixturesOf('playwright');
      for (const session of ['on', 'off'] as const) {
        const settings = session === 'off' ? { settings: { login: { session } } } : {};
        const worker = await hold(idpFiles, { idpOptions: await options(settings) });
        const { value } = await hold<{ idp: Idp }>(idpOfFile, { idpFiles: worker.value }, 'a.spec.ts');
        const { sandboxes } = await (await fetch(`${rootOf(value.idp)}/api/sandboxes`)).json();
        expect(sandboxes[0].settings).to.deep.equal(session === 'off' ? {} : { login: { session: 'on' } });
        await worker.end();
      }
    });
  });
});

/** A page that has only cookies and redirects. */
class PageStandIn {
  #at = 'about:blank';
  #cookies: readonly { readonly name: string; readonly value: string; readonly path: string }[] = [];

  async goto(url: string): Promise<void> {
    const { origin } = new URL(url);
    this.#at = url;
    for (let redirects = 0; redirects < 5 && this.#at.startsWith(origin); redirects += 1) {
      const sent = this.#cookies.filter(({ path }) => new URL(this.#at).pathname.startsWith(path));
      const headers = { Cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; ') };
      const location = (await fetch(this.#at, { headers, redirect: 'manual' })).headers.get('location');
      if (location === null) return;
      this.#at = new URL(location, this.#at).href;
    }
  }

  async waitForURL(isThere: (url: URL) => boolean): Promise<void> {
    if (!isThere(new URL(this.#at))) throw new Error('it stays the same');
  }

  url(): string {
    return this.#at;
  }

  async title(): Promise<string> {
    return 'a page';
  }

  context() {
    return {
      addCookies: async (cookies: readonly { name: string; value: string; path: string }[]) => {
        this.#cookies = cookies;
      },
    };
  }
}
