// The keys of machines on one PostgreSQL: every machine has a directory of its own, and all sign as one.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLocalJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from 'jose';
import { BrowserClient } from '#test/support/browser-client.ts';
import { alice, web } from '#test/support/credentials.ts';
import { postForm } from '#test/support/http.ts';
import { type PostgresServer, usePostgres } from '#test/support/postgres-server.ts';
import { authnRequest, delivered, nameIdIn, nameIdPolicy, redirectQuery } from '#test/support/saml/service-provider.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { pemPair } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';

const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

describe('the keys of machines on one PostgreSQL', function () {
  this.timeout(120_000);
  let server: PostgresServer;
  usePostgres((started) => {
    server = started;
  });

  let machines: SharedRoot[] = [];
  let running: RunningIdp[] = [];
  const settingsOn = (schema: string, jwt: object) => ({
    ...sharedSettings,
    jwt,
    saml: { encryption_key: true, metadata_next_key: true },
    runtime: { store: 'postgres', url: server.url(), schema },
  });
  const newMachine = (schema: string, jwt: object = {}) => {
    const machine = makeSharedRoot(settingsOn(schema, jwt));
    machines.push(machine);
    return machine;
  };
  const startOn = async ({ root }: SharedRoot) => {
    const idp = await startIdp({ root, command: 'start', args: ['--log-level', 'DEBUG'] });
    running.push(idp);
    return idp;
  };
  const stopAll = async () => {
    await Promise.all(running.map((idp) => idp.stop()));
    for (const machine of machines) machine.remove();
    running = [];
    machines = [];
  };

  const text = async (idp: RunningIdp, path: string) => {
    const answer = await fetch(`${idp.baseUrl}${path}`);
    return (await answer.text()).replaceAll(idp.baseUrl, 'https://one.example');
  };
  const keySet = async (idp: RunningIdp): Promise<readonly JWK[]> =>
    JSON.parse(await text(idp, '/.well-known/jwks.json')).keys;
  const token = async (idp: RunningIdp) => {
    const answer = await postForm(`${idp.baseUrl}/token`, { grant_type: 'client_credentials' }, web);
    return String((await answer.json()).access_token);
  };

  describe('that this program made', () => {
    let one: RunningIdp;
    let other: RunningIdp;
    before(async () => {
      const jwt = { keys_dir: '../keys', max_previous_keys: 10 };
      const places = [newMachine('made', jwt), newMachine('made', jwt)];
      const [first, second] = await Promise.all(places.map(startOn));
      if (first === undefined || second === undefined) throw new Error('One did not start.');
      [one, other] = [first, second];
    });
    after(stopAll);

    const published = (idp: RunningIdp) =>
      Promise.all(['/.well-known/jwks.json', '/saml/metadata', '/saml/cert.pem'].map((path) => text(idp, path)));

    verifies('CLU-07', 'are one key set, certificate and SAML metadata at all that start at once', async () => {
      expect(await published(one)).to.deep.equal(await published(other));
      expect(await keySet(one)).to.have.length(1);
      const [, metadata = '', certificate = ''] = await published(one);
      expect(metadata).to.contain('use="encryption"');
      expect(certificate).to.contain('BEGIN CERTIFICATE');
    });

    verifies('CLU-06', 'lie in the store: the keys directory stays unmade, and its key gives a warning', async () => {
      for (const idp of [one, other]) {
        expect(existsSync(join(idp.root, 'keys'))).to.equal(false);
        expect(idp.log()).to.match(/jwt\.keys_dir.*has no effect on signing keys with runtime\.store: postgres/);
      }
    });

    verifies('CLU-11', 'have the secret of persistent identifiers beside them, which outlives rotations', async () => {
      const identifier = async (idp: RunningIdp) => {
        const browser = new BrowserClient(idp.baseUrl);
        const asked = redirectQuery(authnRequest({ children: nameIdPolicy(persistent) }));
        const page = await browser.get(`/saml/sso?${asked}`);
        return nameIdIn(delivered(await browser.submit(page, alice)).root).value;
      };
      const before = await identifier(one);
      expect(await identifier(other)).to.equal(before);
      expect((await other.api('POST', '/api/keys/rotate')).status).to.equal(200);
      expect([await identifier(one), await identifier(other)]).to.deep.equal([before, before]);
    });

    verifies('CLU-08', 'are rotated at both at once, and sign and verify at all from then on', async () => {
      const before = (await keySet(one)).length;
      const rotate = async (idp: RunningIdp) => {
        const { status, body } = await idp.api('POST', '/api/keys/rotate');
        expect(status, JSON.stringify(body)).to.equal(200);
        // The answer is out: whoever is asked now, anywhere, signs with that key or a later one.
        const tokens = await Promise.all([token(one), token(other)]);
        return { rotation: body, tokens };
      };
      const rotations = await Promise.all([one, other, one, other].map(rotate));
      expect(new Set(rotations.map(({ rotation }) => rotation.old_kid)).size).to.equal(4);
      expect(new Set(rotations.map(({ rotation }) => rotation.new_kid)).size).to.equal(4);

      const keys = await keySet(one);
      expect(keys).to.have.length(before + 4);
      expect(await published(other)).to.deep.equal(await published(one));
      const kids = keys.map(({ kid }) => kid);
      for (const { rotation, tokens } of rotations) {
        for (const jwt of tokens) {
          await jwtVerify(jwt, createLocalJWKSet({ keys: [...keys] }));
          const position = kids.indexOf(decodeProtectedHeader(jwt).kid ?? '');
          expect(position, 'newest first').to.be.at.most(kids.indexOf(rotation.new_kid));
        }
      }
      expect(decodeProtectedHeader(await token(other)).kid).to.equal(kids[0]);
      const { new_kid } = (await one.api('POST', '/api/keys/rotate')).body;
      const signed = await Promise.all(Array.from({ length: 8 }, () => token(other)));
      expect(new Set(signed.map((jwt) => decodeProtectedHeader(jwt).kid))).to.deep.equal(new Set([new_kid]));
    });

    verifies('CLU-09', 'show their private part in the database alone', async () => {
      const [row] = await server.ask('SELECT record FROM made.signing_keys');
      expect(String(row?.record)).to.contain('BEGIN PRIVATE KEY');
      const told = await Promise.all(
        ['/api/config', '/api/keys/info', '/api/audit', '/api/exchanges'].map((path) => one.api('GET', path)),
      );
      const files = [one, other].flatMap(({ root }) =>
        readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
      );
      const pages = await Promise.all(['/keys', '/settings'].map((path) => text(one, path)));
      const shown = [JSON.stringify(told), ...files, ...pages, one.log(), other.log()].join('\n');
      expect(shown).to.not.contain('PRIVATE KEY');
    });
  });

  describe('that the operator brought', function () {
    // Five starts, one after another.
    this.timeout(240_000);
    afterEach(stopAll);
    const external = { private_key: '../own.pem', public_key: '../own.pub' };
    const machineWith = (schema: string, pair: ReturnType<typeof pemPair>) => {
      const machine = newMachine(schema, { external_keys: external });
      writeFileSync(join(machine.root, 'own.pem'), pair.privatePem);
      writeFileSync(join(machine.root, 'own.pub'), pair.publicPem);
      return machine;
    };
    const refusal = async (machine: SharedRoot) => String(await startOn(machine).catch((error: unknown) => error));

    verifies('CLU-10', 'are one pair: another start or reload is refused until nobody signs with it', async () => {
      const [pair, stranger] = [pemPair(), pemPair()];
      const [machine, twin] = [machineWith('brought', pair), machineWith('brought', pair)];
      const [one, other] = [await startOn(machine), await startOn(twin)];
      for (const path of ['/.well-known/jwks.json', '/saml/cert.pem', '/saml/metadata?signed=0']) {
        expect(await text(other, path), path).to.equal(await text(one, path));
      }
      const others = machineWith('brought', stranger);
      expect(await refusal(others)).to.match(/, but the other stacks on this store sign with an external pair/);

      const before = await keySet(one);
      for (const jwt of [{}, { external_keys: { ...external, kid: 'another-kid' } }]) {
        machine.writeSettings(settingsOn('brought', jwt));
        const { status, body } = await one.api('POST', '/api/config/reload');
        expect([status, body.kind]).to.deep.equal([422, 'activation']);
      }
      machine.writeSettings(settingsOn('brought', { external_keys: external }));
      expect((await one.api('POST', '/api/config/reload')).status).to.equal(200);
      expect(await keySet(one)).to.deep.equal(before);
      expect((await one.api('POST', '/api/keys/rotate')).body.kind).to.equal('external_keys_not_rotatable');

      await one.stop();
      expect(await refusal(others), 'one of them is left').to.contain('this stack would sign with');
      other.process.kill('SIGKILL');
      await other.exited;
      expect(await keySet(await startOn(others))).to.not.deep.equal(before);
    });
  });
});
