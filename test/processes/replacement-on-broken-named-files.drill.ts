// Workers die while a file that the configuration names is broken. Their siblings keep serving, the replacement is retried
// with a log line that names the file, and it serves once the file is repaired.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { secureClient } from '#test/support/https.ts';
import { spMetadata } from '#test/support/saml/sp-metadata.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { killWorker, until, type WorkerView } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { createTestAuthority } from '#test/support/test-authority.ts';
import { pemPair } from '#test/support/test-keys.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

const entityId = 'https://sp.example';

interface Named {
  readonly what: string;
  /** Path below the root. */
  readonly path: string;
  readonly worker: WorkerView['name'];
  /** One more than the deaths of a worker that the stack allows within a minute. */
  readonly tries: number;
}

const namedInSettings: readonly Named[] = [
  { what: 'metadata of a service provider', path: 'config/sp.xml', worker: 'oidc', tries: 6 },
  { what: 'external key', path: 'config/private.pem', worker: 'saml', tries: 2 },
  { what: 'certificate for TLS', path: 'config/tls-cert.pem', worker: 'oidc', tries: 2 },
  { what: 'key for TLS', path: 'config/tls-key.pem', worker: 'oidc', tries: 1 },
  { what: 'strict plugin', path: 'config/plugin.mjs', worker: 'mcp', tries: 2 },
];

const inKeysDirectory: readonly Named[] = [
  { what: 'private key', path: 'keys/rsa_private.pem', worker: 'oidc', tries: 2 },
  { what: 'key id', path: 'keys/kid.txt', worker: 'mcp', tries: 1 },
];

for (const [store, settings] of Object.entries({ memory: demoSettings, sqlite: sharedSettings })) {
  describe(`a stack with the ${store} store and broken named files`, () => {
    let root: SharedRoot;
    let idp: RunningIdp;

    const start = async () => {
      idp = await startIdp({ root: root.root, args: ['--oidc-workers', '2'] });
    };
    const end = async () => {
      await idp.stop();
      root.remove();
    };

    const serves = async ({ path, worker, tries }: Named) => {
      const place = join(root.root, path);
      const sound = readFileSync(place);
      const before = idp.log().length;
      const since = () => idp.log().slice(before);
      const discovery = async () => {
        const at = '/.well-known/openid-configuration';
        if (idp.caFile === undefined) return (await fetch(idp.baseUrl + at)).status;
        return (await secureClient(idp)(at)).status;
      };
      writeFileSync(place, 'broken');
      await killWorker(idp, worker);
      await until(`${path} was found broken ${tries} times`, () => {
        const found = since().match(/(\w+(?:-\d)?) cannot start: .*\. Fix the cause\. The stack needs no restart/g);
        return found !== null && found.length >= tries && found.every((line) => line.includes(basename(path)));
      });
      expect(await discovery()).to.equal(200);
      writeFileSync(place, sound);
      await until(`a worker of ${worker} answers again`, () =>
        new RegExp(`${worker}\\S* is ready again`).test(since()),
      );
      expect(await discovery()).to.equal(200);
      expect(idp.process.exitCode).to.equal(null);
    };

    describe('from the settings', () => {
      before(async () => {
        root = makeSharedRoot({
          ...settings,
          server: { tls: { cert: 'tls-cert.pem', key: 'tls-key.pem', ca: 'ca.pem' } },
          saml: { service_providers: [{ metadata_file: 'sp.xml' }] },
          jwt: { external_keys: { private_key: 'private.pem', public_key: 'public.pem' } },
          hooks: { strict: true },
          plugins: { './plugin.mjs': {} },
        });
        const authority = await createTestAuthority();
        const { key, cert } = await authority.issue(['localhost', '127.0.0.1']);
        const { privatePem, publicPem } = pemPair();
        const files = {
          'sp.xml': spMetadata({ entityId }),
          'tls-cert.pem': cert,
          'tls-key.pem': key,
          'ca.pem': authority.certificatePem,
          'private.pem': privatePem,
          'public.pem': publicPem,
          'plugin.mjs': 'export default { hook_api_version: 1, on_config_saved() {} };\n',
        };
        for (const [name, text] of Object.entries(files)) writeFileSync(join(root.root, 'config', name), text);
        await start();
      });
      after(end);

      for (const named of namedInSettings) {
        verifies('SUP-06', `replaces a worker once the file is repaired: ${named.what}`, () => serves(named));
      }
    });

    describe('from the keys directory', () => {
      before(async () => {
        root = makeSharedRoot(settings);
        await start();
      });
      after(end);

      for (const named of inKeysDirectory) {
        verifies('SUP-06', `replaces a worker once the file is repaired: ${named.what}`, () => serves(named));
      }
    });
  });
}

describe('a stack with broken named files at its first start', () => {
  verifies('SUP-07', 'ends at once with the reason', async () => {
    const root = makeSharedRoot({
      ...demoSettings,
      jwt: { external_keys: { private_key: 'private.pem', public_key: 'private.pem' } },
    });
    writeFileSync(join(root.root, 'config', 'private.pem'), 'broken');
    const log = await startIdp({ root: root.root }).then(
      () => 'started',
      ({ message }: Error) => message,
    );
    root.remove();
    expect(log).to.match(/test-idp: \w+: jwt\.external_keys\.private_key: \S+ cannot be used: .* not a readable/);
    expect(log).not.to.contain('cannot start');
  });
});
