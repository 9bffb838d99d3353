// Seven real service providers, registered by their own metadata, in one Chromium. Each starts a logout in turn, and the
// six others answer theirs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '#test/support/chromium.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoUsers } from '#test/support/worlds.ts';
import { startPassportSaml, startSamlify } from './saml-sites/node-programs.ts';
import { startSimpleSamlPhp } from './saml-sites/simplesamlphp.ts';
import { type SamlSite, startMellon, startNodeSaml, startPysaml2, startShibboleth } from './saml-sites/sites.ts';

const groups = ['blue', 'red and green', 'Größe'];
const users = { users: { ...demoUsers.users, alice: { ...demoUsers.users.alice, groups } } };

describe('single logout with real service providers', () => {
  verifies(['SLO-25', 'SPM-33'], 'logs in at seven by one session, and each logout ends it for all', async function () {
    this.timeout(300_000);
    const browser = await launchChromium(this);
    const closing: (() => Promise<unknown>)[] = [() => browser.close()];
    const settings = (service_providers: object[]) => ({
      oauth: { issuer_from_request: true },
      login: { session: 'on' },
      saml: {
        ...{ single_logout: true, unregistered: 'refuse', strict_binding: true },
        ...{ want_authn_requests_signed: true, service_providers },
      },
    });
    try {
      const idp = await startIdp({ settings: settings([]), users });
      closing.unshift(() => idp.stop());
      const read = async (path: string) => (await fetch(`${idp.baseUrl}${path}`)).text();
      const options = {
        ...{ idpMetadata: await read('/saml/metadata'), idpCertificate: await read('/saml/cert.pem') },
        ...{ idpEntityId: `${idp.baseUrl}/saml`, idpUrl: idp.baseUrl },
      };
      const sites: SamlSite[] = [];
      for (const start of [
        () => startMellon(this, options),
        () => startShibboleth(this, options),
        () => startPysaml2(options),
        () => startSimpleSamlPhp(this, options),
        () => startNodeSaml(options),
        () => startPassportSaml(options),
        () => startSamlify(options),
      ]) {
        const site = await start();
        sites.push(site);
        closing.unshift(() => site.stop());
      }
      const attributes = [{ name: 'groups', name_format: 'basic', from: 'groups' }];
      const entries = sites.map(({ metadata }, place) => {
        writeFileSync(join(idp.configDirectory, `sp${place}.xml`), metadata);
        // passport-saml requires both signatures by default, which the others accept.
        return { metadata_file: `sp${place}.xml`, sign: 'both', attributes };
      });
      await idp.configure({ settings: settings(entries), users });

      for (const initiator of sites) {
        const context = await browser.newContext();
        const page = await context.newPage();
        for (const [place, site] of sites.entries()) await logIn(page, site, place === 0);
        expect((await idp.api('GET', '/api/sessions')).body.count, initiator.name).to.equal(1);
        const events = await idp.audited(() => logOut(context, page, initiator, sites));
        const notified = events.flatMap(({ event_type, status, details }) =>
          event_type === 'saml_logout' && details.sp !== undefined ? [[details.sp, status, details.outcome]] : [],
        );
        expect(notified, initiator.name).to.have.length(sites.length - 1);
        for (const [sp, ...outcome] of notified) expect(outcome, String(sp)).to.deep.equal(['success', 'told']);
        expect((await idp.api('GET', '/api/sessions')).body.count, initiator.name).to.equal(0);
        await context.close();
      }
    } finally {
      for (const close of closing) await close();
    }
  });

  async function logIn(page: Page, site: SamlSite, isFirst: boolean) {
    const arrived = page.waitForResponse((each) => each.url() === site.guarded && each.status() === 200);
    await page.goto(site.guarded);
    if (isFirst) {
      await page.getByLabel('Username').fill('alice');
      await page.getByLabel('Password').fill('wonderland');
      await page.keyboard.press('Enter');
    }
    const response = await arrived;
    const shown = { text: await response.text(), headers: response.headers() };
    expect(site.groupsOf(shown), site.name).to.deep.equal(groups);
  }

  async function logOut(context: BrowserContext, page: Page, initiator: SamlSite, sites: readonly SamlSite[]) {
    const answered = page.waitForResponse(
      (each) =>
        each.url().startsWith(new URL(initiator.logout).origin) &&
        `${each.url()} ${each.request().postData()}`.includes('SAMLResponse='),
    );
    await page.goto(initiator.logout);
    await answered.catch(async () => {
      throw new Error(`${initiator.name} has no answer: ${page.url()}\n${await page.locator('body').innerText()}`);
    });
    for (const site of sites) {
      const other = await context.newPage();
      await other.goto(site.guarded);
      expect(new URL(other.url()).pathname, `${site.name} after ${initiator.name}`).to.equal('/saml/sso');
      await other.close();
    }
  }
});
