// SimpleSAMLphp, registered by its own metadata, logs a real browser in: as it comes, and with its assertion encrypted and a login
// that begins at the identity provider. Its logout is that of single-logout.drill.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { launchChromium } from '#test/support/chromium.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoUsers } from '#test/support/worlds.ts';
import { startSimpleSamlPhp } from './simplesamlphp/start-simplesamlphp.ts';

const attributes = [
  { name: 'mail', name_format: 'basic', from: 'email' },
  { name: 'authority', values: ['one', 'two'] },
];

describe('SimpleSAMLphp of Debian', () => {
  for (const encrypt of [[], ['assertion']] as const) {
    const how = encrypt.length > 0 ? 'its assertion encrypted' : 'as it comes';
    verifies(['ENC-13', 'IDI-09'], `logs in, ${how}, asked for and begun at the identity provider`, async function () {
      this.timeout(120_000);
      const browser = await launchChromium(this);
      const closing: (() => Promise<unknown>)[] = [() => browser.close()];
      const settings = (service_providers: object[]) => ({
        oauth: { issuer_from_request: true },
        saml: { idp_initiated: true, unregistered: 'refuse', strict_binding: true, service_providers },
      });
      try {
        const idp = await startIdp({ settings: settings([]), users: demoUsers });
        closing.unshift(() => idp.stop());
        const idpMetadata = await (await fetch(`${idp.baseUrl}/saml/metadata`)).text();
        const site = await startSimpleSamlPhp(this, { idpMetadata, idpEntityId: `${idp.baseUrl}/saml` });
        closing.unshift(() => site.stop());
        writeFileSync(join(idp.configDirectory, 'sp.xml'), site.metadata);
        const entry = { metadata_file: 'sp.xml', want_signed_requests: true, encrypt, attributes };
        await idp.configure({ settings: settings([entry]), users: demoUsers });
        const read = { mail: ['alice@example.org'], authority: ['one', 'two'] };

        const logIn = async (from: string) => {
          const page: Page = await (await browser.newContext()).newPage();
          await page.goto(from);
          expect(new URL(page.url()).origin).to.equal(idp.baseUrl);
          await page.getByLabel('Username').fill('alice');
          await page.getByLabel('Password').fill('wonderland');
          const arrived = page.waitForResponse((each) => each.url() === site.guarded && each.ok());
          await page.keyboard.press('Enter');
          return (await arrived).json();
        };
        const asked = await logIn(site.guarded);
        expect(asked.attributes).to.deep.equal(read);
        expect(asked.name_id, 'it asks for a transient one').to.match(/^_[0-9a-f]{32}$/);
        const entityId = encodeURIComponent(site.guarded.replace('/protected/', '/sp'));
        const begun = `${idp.baseUrl}/saml/idp-initiated?sp=${entityId}&RelayState=${encodeURIComponent(site.guarded)}`;
        expect(await logIn(begun)).to.deep.equal({ name_id: 'alice@example.org', attributes: read });
      } finally {
        for (const close of closing) await close();
      }
    });
  }
});
