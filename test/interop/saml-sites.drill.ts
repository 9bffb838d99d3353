// Service providers, registered by their own metadata, log a real browser in: in their default form and with an encrypted
// assertion, both SP-initiated and IdP-initiated. single-logout.drill.ts covers their logout.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { launchChromium } from '#test/support/chromium.ts';
import type { Skippable } from '#test/support/debian-programs.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoUsers } from '#test/support/worlds.ts';
import { startPassportSaml, startSamlify } from './saml-sites/node-programs.ts';
import { startSimpleSamlPhp } from './saml-sites/simplesamlphp.ts';
import type { SamlSite, SiteOptions } from './saml-sites/sites.ts';

const attributes = [
  { name: 'mail', name_format: 'basic', from: 'email' },
  { name: 'authority', values: ['one', 'two'] },
];

interface Library {
  readonly name: string;
  start(context: Skippable, options: SiteOptions): Promise<SamlSite>;
  /** The value as the site shows it. */
  readonly mail: string | readonly string[];
  /** The NameID format that the site requests by default. */
  readonly nameId: RegExp;
}

const libraries: readonly Library[] = [
  {
    name: 'SimpleSAMLphp of Debian',
    start: startSimpleSamlPhp,
    mail: ['alice@example.org'],
    nameId: /^_[0-9a-f]{32}$/,
  },
  {
    name: 'passport-saml',
    start: (_context, options) => startPassportSaml(options),
    mail: 'alice@example.org',
    nameId: /^alice@example\.org$/,
  },
  {
    name: 'samlify',
    start: (_context, options) => startSamlify(options),
    mail: 'alice@example.org',
    nameId: /^alice@example\.org$/,
  },
];

for (const { name, start, mail, nameId } of libraries) {
  describe(name, () => {
    for (const encrypt of [[], ['assertion']] as const) {
      const how = encrypt.length > 0 ? 'its assertion encrypted' : 'as it comes';
      verifies(['ENC-13', 'IDI-09'], `logs in, ${how}, SP-initiated and IdP-initiated`, async function () {
        const browser = await launchChromium(this);
        const closing: (() => Promise<unknown>)[] = [() => browser.close()];
        const settings = (service_providers: object[]) => ({
          oauth: { issuer_from_request: true },
          saml: {
            ...{ idp_initiated: true, unregistered: 'refuse', strict_binding: true },
            ...{ want_authn_requests_signed: true, service_providers },
          },
        });
        try {
          const idp = await startIdp({ settings: settings([]), users: demoUsers });
          closing.unshift(() => idp.stop());
          const read = async (path: string) => (await fetch(`${idp.baseUrl}${path}`)).text();
          const site = await start(this, {
            ...{ idpMetadata: await read('/saml/metadata'), idpCertificate: await read('/saml/cert.pem') },
            ...{ idpEntityId: `${idp.baseUrl}/saml`, idpUrl: idp.baseUrl },
          });
          closing.unshift(() => site.stop());
          writeFileSync(join(idp.configDirectory, 'sp.xml'), site.metadata);
          const entry = { metadata_file: 'sp.xml', sign: 'both', encrypt, attributes };
          await idp.configure({ settings: settings([entry]), users: demoUsers });

          const logIn = async (from: string) => {
            const page = await (await browser.newContext()).newPage();
            await page.goto(from);
            expect(new URL(page.url()).origin).to.equal(idp.baseUrl);
            await page.getByLabel('Username').fill('alice');
            await page.getByLabel('Password').fill('wonderland');
            const arrived = page.waitForResponse((each) => each.url() === site.guarded && each.ok());
            await page.keyboard.press('Enter');
            return (await arrived).json();
          };
          const asked = await logIn(site.guarded);
          expect(asked.attributes, name).to.deep.equal({ mail, authority: ['one', 'two'] });
          expect(asked.name_id).to.match(nameId);
          const query = new URLSearchParams({ sp: site.entityId, RelayState: site.guarded });
          const begun = await logIn(`${idp.baseUrl}/saml/idp-initiated?${query}`);
          expect(begun).to.deep.include({ name_id: 'alice@example.org', attributes: asked.attributes });
        } finally {
          for (const close of closing) await close();
        }
      });
    }
  });
}
