// Claims typed for one login, as attributes of its assertions, with and without sessions.
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import { attributesIn, authnRequest, delivered, nameIdIn, redirectQuery } from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, saml } from '#test/support/worlds.ts';

const one = 'https://one.example';
const users = { alice: { roles: ['USER'], claims: { team: 'red', nickname: 'Al' } }, bob: {} };
const attributes = [
  { name: 'groups', from: 'roles' },
  { name: 'groups', from: 'claims.team' },
  { name: 'groups', from: 'claims.teams' },
  { name: 'groups', name_format: 'basic', from: 'claims.team' },
  { name: 'given', from: 'claims.given_name' },
];
const typed = { team: 'white', teams: ['USER', 'blue'], given_name: 'Alice', nickname: 'queen' };

describe('SAML: claims of one login', () => {
  let idp: RunningIdp;
  const settings = (login: object = {}) => ({
    login: { mode: 'persona', edit_claims: true, ...login },
    oauth: { clients: [{ client_id: 'web', client_secret: 'web-secret', redirect_uris: [callback] }] },
    saml: {
      idp_initiated: true,
      service_providers: [
        {
          ...{ entity_id: one, acs: `${one}/acs`, attributes },
          ...{ name_id_format: 'unspecified', name_id_from: 'claims.nickname' },
        },
      ],
    },
  });
  before(async () => {
    idp = await startIdp({ world: saml, users, settings: settings() });
  });
  after(() => idp.stop());

  verifies(['LIN-06', 'LIN-07'], 'are attributes of a service provider without attributes of its own', async () => {
    const two = `/saml/sso?${redirectQuery(authnRequest({ issuer: 'https://two.example' }))}`;
    const typedHere = {
      email: 'al@example.org',
      given_name: 'Al',
      plan: ['gold', 'x'],
      acr: 'urn:a',
    };
    const browser = newBrowser(idp);
    const { attributes } = claimsIn(await choose(browser.get(two), browser, typedHere));
    expect(attributes).to.deep.include.members([
      ['email', ['al@example.org']],
      ['given_name', ['Al']],
      ['plan', ['gold', 'x']],
    ]);
    expect(attributes.map(([name]) => name)).not.to.include('acr');
  });

  const sso = () => `/saml/sso?${redirectQuery(authnRequest({ issuer: one, acs: undefined }))}`;
  const choose = async (page: Promise<Page>, browser: BrowserClient, login_claims: object | undefined = undefined) =>
    browser.submit(await page, {
      username: 'alice',
      login_claims: login_claims === undefined ? '' : JSON.stringify(login_claims),
    });
  const claimsIn = (page: Page) => {
    const { root } = delivered(page);
    return { name: nameIdIn(root).value, attributes: attributesIn(root) };
  };
  const ofLogin = {
    name: 'queen',
    attributes: [
      ['groups', ['USER', 'white', 'blue']],
      ['groups', ['white']],
      ['given', ['Alice']],
    ],
  };
  const ofUser = {
    name: 'Al',
    attributes: [
      ['groups', ['USER', 'red']],
      ['groups', ['red']],
    ],
  };

  for (const session of ['off', 'on']) {
    verifies(['SPM-16', 'PCL-18'], `become attributes and NameID of its assertions (sessions ${session})`, async () => {
      await idp.configure({ users, settings: settings({ session }) });
      const browser = newBrowser(idp);
      expect(claimsIn(await choose(browser.get(sso()), browser, typed))).to.deep.equal(ofLogin);
      // The browser's login is still the same for any later request.
      expect(claimsIn(await browser.get(sso()))).to.deep.equal(ofLogin);
      expect(claimsIn(await browser.get(`/saml/idp-initiated?sp=${encodeURIComponent(one)}`))).to.deep.equal(ofLogin);
      const other = newBrowser(idp);
      expect(claimsIn(await choose(other.get(sso()), other))).to.deep.equal(ofUser);
      // A new login has its own claims.
      expect((await choose(browser.get('/login'), browser)).location).to.equal('/');
      expect(claimsIn(await browser.get(sso()))).to.deep.equal(ofUser);
      expect((await choose(browser.get('/login'), browser, typed)).location).to.equal('/');
      expect(claimsIn(await browser.get(sso()))).to.deep.equal(ofLogin);
    });
  }

  verifies('PCL-18', 'also apply at a service provider if they were typed at /authorize', async () => {
    await idp.configure({ users, settings: settings({ session: 'on' }) });
    const browser = newBrowser(idp);
    codeOf(await choose(browser.get(authorizePath()), browser, typed));
    expect(claimsIn(await browser.get(sso()))).to.deep.equal(ofLogin);
  });

  verifies('PCL-17', 'show the login page of the service provider again if rejected', async () => {
    await idp.configure({ users, settings: settings() });
    const browser = newBrowser(idp);
    for (const path of [sso(), `/saml/idp-initiated?sp=${encodeURIComponent(one)}`]) {
      const page = await choose(browser.get(path), browser, { authorities: ['ADMIN'] });
      expect(page.status).to.equal(200);
      expect(page.text).to.contain('login_claims.authorities must not be in claims');
      expect(page.body).to.not.contain('SAMLResponse');
    }
    expect((await browser.get(sso())).body).to.not.contain('SAMLResponse');
  });
});
