// pysaml2 as a service provider that is registered by its own metadata: signed requests, encrypted assertions, and an
// IdP-initiated login. node-saml verifies the last one too.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { expect } from 'chai';
import { privateKeyPem } from '#shared/state/keys/key-pair.ts';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { Page } from '#test/support/browser-client.ts';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { delivered } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

const script = fileURLToPath(new URL('./pysaml2-login.py', import.meta.url));
/** Debian's own Python, which has the package. Another Python on the PATH would not. */
const python = '/usr/bin/python3';
const entityId = 'urn:pysaml2';
const acs = 'http://127.0.0.1:9/acs';

describe("Debian's python3-pysaml2 as a service provider", () => {
  verifies(['ENC-13', 'IDI-09'], 'reads encrypted assertions, both solicited and unsolicited', async function () {
    toolOrSkip(this, 'xmlsec1');
    await promisify(execFile)(python, ['-c', 'import saml2']).catch(() =>
      toolOrSkip(this, 'pysaml2', 'python3-pysaml2'),
    );
    const idp = await startIdp({ world: saml });
    try {
      const sp = await signingKey('sp');
      const file = (name: string, text: string) => {
        const path = join(idp.root, name);
        writeFileSync(path, text);
        return path;
      };
      const key = file('sp.key', privateKeyPem(sp));
      const certificate = file('sp.crt', sp.certificatePem);
      const metadataFile = file('idp.xml', await (await fetch(`${idp.baseUrl}/saml/metadata`)).text());
      const run = async (step: string, ...further: readonly string[]) => {
        const { stdout } = await promisify(execFile)(python, [
          ...[script, step, entityId, acs, metadataFile, key, certificate],
          ...further,
        ]);
        return JSON.parse(stdout);
      };
      file('config/sp.xml', (await run('metadata')).metadata);
      const attributes = [
        { name: 'roles', name_format: 'basic', from: 'roles' },
        { name: 'mail', name_format: 'basic', from: 'email' },
      ];
      await idp.configure({
        settings: {
          saml: {
            idp_initiated: true,
            unregistered: 'refuse',
            service_providers: [
              { metadata_file: 'sp.xml', want_signed_requests: true, encrypt: ['assertion'], attributes },
              { entity_id: 'https://sp.example', acs: 'https://sp.example/acs' },
            ],
          },
        },
      });
      const alice = await loggedIn(idp);
      const answerOf = (page: Page) => Buffer.from(delivered(page).xml).toString('base64');
      const read = {
        name_id: 'alice@example.com',
        attributes: { roles: ['USER', 'ADMIN'], mail: ['alice@example.com'] },
      };

      const asked = await run('ask');
      const page = await alice.get(asked.url.replace(idp.baseUrl, ''));
      expect(await run('answer', file('response', answerOf(page)), asked.id)).to.deep.equal(read);

      const begun = await alice.get(`/saml/idp-initiated?sp=${encodeURIComponent(entityId)}`);
      expect(await run('answer', file('response', answerOf(begun)), '')).to.deep.equal(read);

      const idpCert = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
      const unsolicited = answerOf(await alice.get('/saml/idp-initiated?sp=https%3A%2F%2Fsp.example'));
      const judged = (validateInResponseTo: ValidateInResponseTo) =>
        new SAML({
          callbackUrl: 'https://sp.example/acs',
          entryPoint: `${idp.baseUrl}/saml/sso`,
          issuer: 'https://sp.example',
          audience: 'https://sp.example',
          idpCert,
          wantAuthnResponseSigned: false,
          validateInResponseTo,
        })
          .validatePostResponseAsync({ SAMLResponse: unsolicited })
          .then(
            ({ profile }) => profile?.nameID,
            () => 'refused',
          );
      expect(await judged(ValidateInResponseTo.ifPresent)).to.equal('alice@example.com');
      expect(await judged(ValidateInResponseTo.always)).to.equal('refused');
    } finally {
      await idp.stop();
    }
  });
});
