// Logins on every page, in every mode and with every error, the pages of a device, response pages and messages.

import type { Page } from 'playwright-core';
import { sentences } from '#test/support/sentences.ts';
import { basic, postForm } from '../http.ts';
import { authnRequest, redirectQuery } from '../saml/service-provider.ts';
import type { RunningIdp } from '../start-idp.ts';
import { totp } from '../totp.ts';
import type { Exhibit } from './gallery.ts';
import { answerForTheClient, authorize, deviceAddress, logIn, open, press, visit } from './steps.ts';
import { callback, hostileName, longText, totpSecret } from './world.ts';

const samlAddress = (parts: Parameters<typeof authnRequest>[0] = {}) =>
  `/saml/sso?${redirectQuery(authnRequest(parts), 'state')}`;
const withoutScript = { withoutScript: true } as const;
const keepsScheme = { keepsScheme: true } as const;

const passwordExhibits: readonly Exhibit[] = [
  open('login', 'password', '/login'),
  visit('login-refused', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/login`);
    await logIn(page, 'alice', 'Wonderland');
  }),
  visit('login-password-missing', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/login`);
    await page.getByLabel('Username').fill('alice');
    await page.locator('form').evaluate((form) => form.setAttribute('novalidate', ''));
    await press(page, 'Log in');
  }),
  visit('login-refused-hostile', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/login`);
    await logIn(page, hostileName, 'x y');
  }),
  { ...open('authorize', 'password', authorize('web-shop')), ...keepsScheme },
  visit(
    'authorize-refused',
    'password',
    async (page, { baseUrl }) => {
      await page.goto(baseUrl + authorize('web-shop'));
      await logIn(page, 'alice', 'Wonderland');
    },
    keepsScheme,
  ),
  open('authorize-horizontal', 'password', authorize('reporting')),
  { ...open('authorize-dark-client', 'password', authorize('night-watch')), ...keepsScheme },
  open('authorize-plain-client', 'password', authorize('kiosk')),
  open('authorize-hostile', 'password', authorize(hostileName)),
  open('authorize-unregistered', 'password', authorize('spa', { redirect_uri: `${callback}/others` })),
  open(
    'authorize-unregistered-endless',
    'password',
    authorize(hostileName, { redirect_uri: `${callback}/${longText}` }),
  ),
  { ...open('authorize-hint', 'password', authorize('web-shop', { login_hint: 'bob' })), ...keepsScheme },
  open('authorize-hint-endless', 'password', authorize('kiosk', { login_hint: longText.slice(0, 2000) })),
  visit(
    'form-post-delivery',
    'password',
    async (page, { baseUrl }) => {
      await page.goto(baseUrl + authorize('web-shop', { response_mode: 'form_post' }));
      await logIn(page, 'alice', 'wonderland');
    },
    { ...withoutScript, ...keepsScheme },
  ),
  {
    ...open(
      'form-post-refusal',
      'password',
      authorize('web-shop', { response_mode: 'form_post', scope: 'everything' }),
    ),
    ...withoutScript,
    ...keepsScheme,
  },
  visit('authorize-lost', 'password', async (page, { baseUrl }) => {
    await page.goto(baseUrl + authorize('kiosk'));
    await page
      .locator('[name=transaction_id]')
      .first()
      .evaluate((field) => field.setAttribute('value', 'gone'));
    await logIn(page, 'alice', 'wonderland');
  }),
  visit('authorize-without-cookie', 'password', async (page, { baseUrl }) => {
    await page.goto(baseUrl + authorize('kiosk'));
    await page.context().clearCookies();
    await logIn(page, 'alice', 'wonderland');
  }),
  open('device', 'password', '/device'),
  open('device-unknown-code', 'password', '/device?user_code=BCDF-GHJK'),
  visit('device-login', 'password', async (page, idp) => page.goto(await deviceAddress(idp))),
  visit('device-refused', 'password', async (page, idp) => {
    await page.goto(await deviceAddress(idp));
    await logIn(page, 'alice', 'Wonderland', 'Approve');
  }),
  visit('device-code-missing', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/device`);
    await page.locator('form').evaluate((form) => form.setAttribute('novalidate', ''));
    await logIn(page, 'alice', 'wonderland', 'Approve');
  }),
  visit('device-wrong-code', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/device?user_code=BCDF-GHJK`);
    await logIn(page, 'alice', 'wonderland', 'Approve');
  }),
  visit('device-approved', 'password', async (page, idp) => {
    await page.goto(await deviceAddress(idp));
    await logIn(page, 'alice', 'wonderland', 'Approve');
  }),
  visit('device-denied', 'password', async (page, idp) => {
    await page.goto(await deviceAddress(idp));
    await press(page, 'Deny');
  }),
  visit('device-used-code', 'password', async (page, idp) => {
    const address = await deviceAddress(idp);
    await page.goto(address);
    await press(page, 'Deny');
    await page.goto(address);
    await press(page, 'Deny');
  }),
  open('logout', 'password', '/logout'),
  open('logout-not-followed', 'password', `/logout?post_logout_redirect_uri=nowhere/${longText.slice(0, 300)}`),
  visit('saml-login', 'password', (page, { baseUrl }) => page.goto(baseUrl + samlAddress())),
  visit('saml-login-hostile', 'password', (page, { baseUrl }) =>
    page.goto(baseUrl + samlAddress({ issuer: `urn:&quot;&gt;&lt;script&gt;:${longText.slice(0, 900)}` })),
  ),
  visit('saml-refused', 'password', async (page, { baseUrl }) => {
    await page.goto(baseUrl + samlAddress());
    await logIn(page, 'alice', 'Wonderland');
  }),
  visit(
    'saml-delivery',
    'password',
    async (page, { baseUrl }) => {
      await page.goto(baseUrl + samlAddress());
      await logIn(page, 'alice', 'wonderland');
    },
    withoutScript,
  ),
  visit(
    'saml-delivery-refusal',
    'password',
    (page, { baseUrl }) => page.goto(baseUrl + samlAddress({ attributes: 'IsPassive="true"' })),
    withoutScript,
  ),
  open('saml-unreadable', 'password', '/saml/sso?SAMLRequest=nonsense'),
  open('saml-nothing', 'password', '/saml/sso'),
  open('not-found', 'password', '/nowhere'),
  open('not-for-opening', 'password', '/clients/forget'),
  visit('cross-site', 'password', (page, { baseUrl }) => postFromElsewhere(page, `${baseUrl}/settings`)),
  visit('cross-site-login', 'password', (page, { baseUrl }) => postFromElsewhere(page, `${baseUrl}/login`)),
];

/** Submits the form from a page without an origin of its own. */
async function postFromElsewhere(page: Page, action: string): Promise<void> {
  await page.setContent(`<form method="post" action="${action}"><button>Send</button></form>`);
  await press(page, 'Send');
  await page.waitForURL(action);
}

const personaExhibits: readonly Exhibit[] = [
  open('persona-hostile', 'persona', '/login'),
  visit('persona-unknown', 'persona', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/login`);
    await page
      .locator('.persona')
      .first()
      .evaluate((badge) => badge.setAttribute('value', 'nobody'));
    await page.locator('.persona').first().click();
  }),
  open('persona-device', 'persona', '/device'),
  open('persona-4', 'persona_4', '/login'),
  { ...open('persona-4-authorize', 'persona_4', authorize('web-shop')), ...keepsScheme },
  open('persona-4-horizontal', 'persona_4', authorize('reporting')),
  open('persona-40', 'persona_40', '/login'),
  {
    ...open('persona-40-authorize', 'persona_40', authorize('web-shop', { login_hint: 'dana.castro' })),
    ...keepsScheme,
  },
  open('persona-40-horizontal', 'persona_40', authorize('reporting')),
  visit('persona-40-device', 'persona_40', async (page, idp) => page.goto(await deviceAddress(idp))),
  visit('persona-40-saml', 'persona_40', (page, { baseUrl }) => page.goto(baseUrl + samlAddress())),
  open('persona-400', 'persona_400', '/login'),
  visit('persona-400-found', 'persona_400', (page, { baseUrl }) => searchPeople(page, baseUrl, 'ito')),
  visit('persona-400-nobody', 'persona_400', (page, { baseUrl }) => searchPeople(page, baseUrl, 'xyzzy')),
  open('persona-empty', 'empty_persona', '/login'),
  open('persona-claims', 'persona_claims', '/login'),
  visit(
    'persona-claims-typing',
    'persona_claims',
    async (page, { baseUrl }) => {
      await page.goto(baseUrl + authorize('web-shop'));
      await page.getByText('Claims for this login').click();
      await page.getByLabel(sentences.claimsFieldLabel).fill('{"given_name": "Al"}');
    },
    keepsScheme,
  ),
  visit('persona-claims-refused', 'persona_claims', async (page, idp) => {
    await page.goto(await deviceAddress(idp));
    await page.getByText('Claims for this login').click();
    await page.getByLabel(sentences.claimsFieldLabel).fill(`{"sub": ${JSON.stringify(longText)}}`);
    await page.locator('.persona').first().click();
  }),
];

async function searchPeople(page: Page, baseUrl: string, text: string): Promise<void> {
  await page.goto(`${baseUrl}/login`);
  await page.getByLabel('Search users').fill(text);
  await press(page, 'Search');
}

const stepExhibits: readonly Exhibit[] = [
  open('two-step', 'two_step', '/login'),
  visit('two-step-password', 'two_step', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/login`);
    await page.getByLabel('Username').fill('alice');
    await press(page, 'Continue');
  }),
  visit('two-step-refused', 'two_step', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/login`);
    await page.getByLabel('Username').fill('alice');
    await press(page, 'Continue');
    await page.getByLabel('Password').fill('Wonderland');
    await press(page, 'Log in');
  }),
  visit('two-step-endless', 'two_step', async (page, { baseUrl }) => {
    await page.goto(baseUrl + authorize('reporting'));
    await page.getByLabel('Username').fill(longText);
    await press(page, 'Continue');
  }),
  visit(
    'code',
    'totp',
    async (page, { baseUrl }) => {
      await page.goto(baseUrl + authorize('web-shop'));
      await logIn(page, 'carla', 'cabbage');
    },
    keepsScheme,
  ),
  visit('code-refused', 'totp', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/login`);
    await logIn(page, 'carla', 'cabbage');
    await page.getByLabel('Six-digit code').fill(totp(totpSecret, 7));
    await press(page, 'Confirm');
  }),
  visit('code-device', 'totp', async (page, idp) => {
    await page.goto(await deviceAddress(idp));
    await logIn(page, 'carla', 'cabbage', 'Approve');
  }),
  visit('code-ended', 'totp', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/saml/sso?${redirectQuery(authnRequest(), 'state')}`);
    await logIn(page, 'carla', 'cabbage');
    await page.locator('[name=pending_second_factor]').evaluate((field) => field.setAttribute('value', 'gone'));
    await page.getByLabel('Six-digit code').fill('123456');
    await press(page, 'Confirm');
  }),
];

async function askedToLogOut(page: Page, { baseUrl }: RunningIdp): Promise<void> {
  await page.goto(`${baseUrl}/login`);
  await logIn(page, 'alice', 'wonderland');
  await page.goto(`${baseUrl}/logout`);
}

/** In a browser in whose session a client with front-channel logout took part. */
async function logOutWithFrames(page: Page, idp: RunningIdp, address?: string): Promise<void> {
  const { baseUrl } = idp;
  const isBack = await answerForTheClient(page, baseUrl);
  await page.goto(baseUrl + authorize('web-shop', { prompt: 'login consent', scope: 'openid' }));
  await logIn(page, 'alice', 'wonderland');
  const back = page.waitForRequest((request) => new URL(request.url()).searchParams.has('code'));
  await press(page, 'Allow');
  await isBack();
  const code = new URL((await back).url()).searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', code, redirect_uri: callback };
  const answer = await postForm(`${baseUrl}/token`, grant, { Authorization: basic('web-shop', 'web-secret') });
  const { id_token } = (await answer.json()) as { id_token: string };
  const to = address === undefined ? {} : { post_logout_redirect_uri: address };
  await page.goto(`${baseUrl}/logout?${new URLSearchParams({ id_token_hint: id_token, ...to })}`);
}

const sessionExhibits: readonly Exhibit[] = [
  visit('logout-question', 'session', askedToLogOut),
  visit('logout-agreed', 'session', async (page, idp) => {
    await askedToLogOut(page, idp);
    await press(page, 'Log out');
  }),
  visit('logout-not-agreed', 'session', async (page, idp) => {
    await askedToLogOut(page, idp);
    await press(page, 'Stay logged in');
  }),
  visit('logout-answered-too-late', 'session', async (page, idp) => {
    await askedToLogOut(page, idp);
    await page.locator('[name=logout_id]').evaluate((field) => field.setAttribute('value', 'gone'));
    await press(page, 'Log out');
  }),
  visit('logout-frames', 'session', (page, idp) => logOutWithFrames(page, idp)),
  visit('logout-frames-not-followed', 'session', (page, idp) => logOutWithFrames(page, idp, 'nowhere')),
  visit(
    'logout-frames-leading-on',
    'session',
    (page, idp) => logOutWithFrames(page, idp, `${callback}/bye`),
    withoutScript,
  ),
  visit('logout-question-several', 'session', async (page, { baseUrl }) => {
    for (const [username, password] of [
      ['bob', 'builder'],
      [longText, 'x'],
      [hostileName, 'x'],
    ] as const) {
      await page.goto(baseUrl + authorize('web-shop', { prompt: 'login' }));
      await logIn(page, username, password);
    }
    await page.goto(`${baseUrl}/logout`);
  }),
  open('logout-hint-refused', 'session', '/logout?id_token_hint=none'),
  visit(
    'consent',
    'session',
    async (page, { baseUrl }) => {
      await page.goto(baseUrl + authorize('web-shop', { prompt: 'login', scope: 'openid profile email', state: 'x' }));
      await logIn(page, 'alice', 'wonderland');
    },
    keepsScheme,
  ),
  visit(
    'accounts',
    'session',
    async (page, { baseUrl }) => {
      const isBack = await answerForTheClient(page, baseUrl);
      for (const [username, password] of [
        ['bob', 'builder'],
        ['alice', 'wonderland'],
      ] as const) {
        await page.goto(baseUrl + authorize('web-shop', { prompt: 'login' }));
        await logIn(page, username, password);
        // Another exhibit may have given consent before.
        await Promise.race([isBack(), page.getByRole('button', { name: 'Allow' }).waitFor()]);
      }
      await page.goto(baseUrl + authorize('web-shop', { prompt: 'select_account' }));
    },
    keepsScheme,
  ),
];

export const loginExhibits: readonly Exhibit[] = [
  ...passwordExhibits,
  ...personaExhibits,
  ...stepExhibits,
  ...sessionExhibits,
];
