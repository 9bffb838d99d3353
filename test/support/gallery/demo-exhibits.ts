// The demo: its two applications before and after a login, and after a failed one.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { RunningIdp } from '../start-idp.ts';
import type { Exhibit } from './gallery.ts';
import { logIn, visit } from './steps.ts';

const at = ({ demoUrl }: RunningIdp, path: string) => `${demoUrl ?? expect.fail('no demo runs')}${path}`;

async function logInAt(page: Page, idp: RunningIdp, application: 'openid-connect' | 'saml'): Promise<void> {
  await page.goto(at(idp, `/${application}/login`));
  await logIn(page, 'alice', 'wonderland');
  // A SAML response posts itself, or needs its button without a script.
  const goOn = page.getByRole('button', { name: 'Continue' });
  if (application === 'saml' && (await goOn.isVisible().catch(() => false))) await goOn.click().catch(() => {});
  await page.waitForURL(at(idp, `/${application}`));
}

export const demoExhibits: readonly Exhibit[] = [
  visit('demo', 'password', (page, idp) => page.goto(at(idp, '/'))),
  visit('demo-openid-connect', 'password', (page, idp) => logInAt(page, idp, 'openid-connect')),
  visit('demo-saml', 'password', (page, idp) => logInAt(page, idp, 'saml')),
  visit('demo-refused', 'password', (page, idp) => page.goto(at(idp, '/openid-connect/callback?state=of-nobody'))),
  visit('demo-not-found', 'password', (page, idp) => page.goto(at(idp, '/nowhere'))),
  visit('demo-not-registered', 'gated', (page, idp) => page.goto(at(idp, '/openid-connect/login'))),
];
