// Two tabs have pending signed redirect logins while the SAML worker is killed and replaced. What a login form needs is in
// the store, not in the process.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { authnRequest, delivered, signedQuery } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { killWorker, until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { totp } from '#test/support/totp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers } from '#test/support/worlds.ts';

const secret = 'JBSWY3DPEHPK3PXP';
const users = { ...samlUsers, tom: { password: 'p', totp_secret: secret } };

describe('pending SAML logins while the worker is replaced', () => {
  let idp: RunningIdp;
  before(async () => {
    const key = await signingKey('sp');
    idp = await startIdp({ command: 'start', world: saml, users });
    mkdirSync(join(idp.configDirectory, 'sp'));
    writeFileSync(join(idp.configDirectory, 'sp', 'sp.pem'), key.certificatePem);
    await idp.configure({
      settings: { login: { totp: true }, saml: { want_authn_requests_signed: true, sp_certificates: ['sp/sp.pem'] } },
      users,
    });
  });
  after(() => idp.stop());

  const restart = async () => {
    await killWorker(idp, 'saml');
    await until('the replacement answers', async () => (await fetch(`${idp.baseUrl}/saml/cert.pem`)).status === 200);
  };

  verifies(
    ['SAM-28', 'SAM-29', 'SUP-06'],
    'finish in both tabs of one browser, including a second factor',
    async () => {
      const key = await signingKey('sp');
      const browser = newBrowser(idp);
      const open = (id: string) =>
        browser.get(
          `/saml/sso?${signedQuery(authnRequest({ id, attributes: 'ForceAuthn="1"' }), key, { relayState: id })}`,
        );
      const one = await open('_one');
      const two = await open('_two');
      await restart();
      const code = await browser.submit(one, { username: 'tom', password: 'p' });
      await restart();
      const second = delivered(await browser.submit(two, { username: 'alice', password: 'wonderland' }));
      const first = delivered(await browser.submit(code, { totp_code: totp(secret) }));
      for (const [answer, id] of [
        [first, '_one'],
        [second, '_two'],
      ] as const) {
        expect([...answer.status, answer.root.getAttribute('InResponseTo'), answer.relayState]).to.deep.equal([
          'Success',
          id,
          id,
        ]);
      }
    },
  );
});
