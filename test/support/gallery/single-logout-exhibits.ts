// A SAML logout at /logout, with service providers that confirm, fail or do not respond, and its last page.
import { inflateRawSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { encodePost, namespaces, newId, rootOf, signedXml, statusPrefix } from '../saml/service-provider.ts';
import { signingKey } from '../saml/signing-key.ts';
import type { Exhibit } from './gallery.ts';
import { logIn, open, press, visit } from './steps.ts';
import { expenses, hostileName, payroll } from './world.ts';

const words = 'back at the application';

/**
 * The status of each provider's LogoutResponse, as second part of a status code. A provider without an entry does not
 * respond.
 */
type Answers = ReadonlyMap<string, 'Success' | 'Responder'>;

/** The browser is logged in at each, then logs out here. */
async function logOutAround(
  page: Page,
  baseUrl: string,
  serviceProviders: readonly string[],
  answers: Answers,
): Promise<void> {
  const { origin } = new URL(baseUrl);
  await page.route(
    (url) => url.origin !== origin,
    async (route) => {
      const request = new URL(route.request().url()).searchParams.get('SAMLRequest');
      const body = request === null ? undefined : await answerTo(request, `${baseUrl}/saml/slo`, answers);
      await route.fulfill({ contentType: 'text/html', body: body ?? `<p>${words}</p>` });
    },
  );
  await page.goto(`${baseUrl}/login`);
  await logIn(page, 'bob', 'builder');
  for (const sp of serviceProviders) {
    await page.goto(`${baseUrl}/saml/idp-initiated?${new URLSearchParams({ sp })}`);
    await page.getByText(words).waitFor();
  }
  await page.goto(`${baseUrl}/logout`);
  await press(page, 'Log out');
}

/** Returns the signed response as a service provider would. */
async function answerTo(request: string, slo: string, answers: Answers): Promise<string | undefined> {
  const root = rootOf(inflateRawSync(Buffer.from(request, 'base64')).toString());
  const host = new URL(root.getAttribute('Destination') ?? '').host;
  const [sp, status] = [...answers].find(([entityId]) => new URL(entityId).host === host) ?? [];
  if (status === undefined) return undefined;
  const answer =
    `<samlp:LogoutResponse xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}" ID="${newId()}"` +
    ` Version="2.0" IssueInstant="2026-01-01T00:00:00Z" Destination="${slo}" InResponseTo="${root.getAttribute('ID')}">` +
    `<saml:Issuer>${sp}</saml:Issuer><samlp:Status><samlp:StatusCode Value="${statusPrefix}${status}"/></samlp:Status>` +
    '</samlp:LogoutResponse>';
  const value = encodePost(signedXml(answer, await signingKey('sp')));
  return `<form method="post" action="${slo}"><input type="hidden" name="SAMLResponse" value="${value}"></form><script>document.forms[0].submit()</script>`;
}

async function lastPage(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'You are logged out' }).waitFor();
}

export const singleLogoutExhibits: readonly Exhibit[] = [
  open('single-logout-none-under-way', 'session', '/saml/slo'),
  visit('single-logout', 'session', async (page, { baseUrl }) => {
    const answers: Answers = new Map([
      [expenses, 'Success'],
      [payroll, 'Success'],
    ]);
    await logOutAround(page, baseUrl, [expenses, payroll], answers);
    await lastPage(page);
  }),
  visit('single-logout-partial', 'session', async (page, { baseUrl }) => {
    const answers: Answers = new Map([
      [expenses, 'Success'],
      [payroll, 'Responder'],
    ]);
    await logOutAround(page, baseUrl, [expenses, payroll, hostileName, 'urn:שלום'], answers);
    await lastPage(page);
  }),
  visit('single-logout-by-hand', 'session', async (page, { baseUrl }) => {
    await logOutAround(page, baseUrl, [expenses], new Map());
    await page.getByText(words).waitFor();
    await page.goto(`${baseUrl}/saml/slo`);
    await lastPage(page);
  }),
];
