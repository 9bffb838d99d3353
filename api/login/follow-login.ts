// A login without a browser: the pages of the instance, filled in one after the other as a person would (API-21 to
// API-24). Nothing here knows how the server decides: it checks no less than for anybody else.
import { IdpError, IdpLoginError } from '../errors.ts';
import type { DeviceApproval, OAuthCallback, SamlCallback } from '../types.ts';
import { hasButton, hasField, type Page, type PageForm } from './page.ts';
import type { Arrival, Fields, ScriptlessBrowser } from './scriptless-browser.ts';

/** Who logs in, and with what. */
export interface Person {
  readonly username: string;
  /** undefined: nobody knows it, which is enough where the page asks for none. */
  readonly password: string | undefined;
  readonly totp: string | undefined;
}

/** More screens than any login has. */
const screensMax = 12;

/** @throws IdpLoginError with the sentence of the page where it ended */
export async function followLogin(
  start: URL,
  person: Person,
  browser: ScriptlessBrowser,
): Promise<OAuthCallback | SamlCallback> {
  let arrival = await browser.visit(start);
  const login = new Screens(person);
  for (let screens = 0; screens < screensMax; screens += 1) {
    if (arrival.at === 'elsewhere') return callbackOf(arrival.url);
    const { page } = arrival;
    const delivery = page.forms.find(({ goesByItself }) => goesByItself);
    if (delivery !== undefined) {
      if (new URL(delivery.action).origin !== page.url.origin || isAnswer(delivery)) return postedCallback(delivery);
      arrival = await browser.submit(delivery, []);
      continue;
    }
    arrival = await login.next(page, browser);
  }
  throw new IdpLoginError('endless_login', 'The login has too many pages.', { status: 200 });
}

/** Logs in at the instance itself, for the web UI and for whatever its sessions count. @throws IdpLoginError */
export async function followSignIn(start: URL, person: Person, browser: ScriptlessBrowser): Promise<void> {
  let arrival = await browser.visit(start);
  const login = new Screens(person);
  for (let screens = 0; screens < screensMax; screens += 1) {
    // Whoever is logged in is sent on to the pages behind it.
    if (arrival.at === 'elsewhere' || arrival.page.url.pathname !== start.pathname) return;
    arrival = await login.next(arrival.page, browser);
  }
  throw new IdpLoginError('endless_login', 'The login has too many pages.', { status: 200 });
}

/** Approves or denies what a device asks for, on the pages of /device. @throws IdpLoginError */
export async function followDeviceApproval(
  start: URL,
  { userCode, decision = 'approve' }: Pick<DeviceApproval, 'userCode' | 'decision'>,
  person: Person,
  browser: ScriptlessBrowser,
): Promise<void> {
  let arrival: Arrival = await browser.visit(start);
  const login = new Screens(person, [['user_code', userCode]]);
  for (let screens = 0; screens < screensMax && arrival.at === 'page'; screens += 1) {
    const { page } = arrival;
    const form = page.forms.find((each) => hasButton(each, 'action'));
    // The pages that end it have no form; the one that says so of a code that is unknown says it as its message.
    if (form === undefined) {
      if (isEnd(page, decision)) return;
      throw refusedBy(page);
    }
    if (page.refusal !== undefined && decision === 'deny') throw refusedBy(page);
    arrival =
      decision === 'deny'
        ? await browser.submit(form, [
            ['user_code', userCode],
            ['action', 'deny'],
          ])
        : await login.next(page, browser);
  }
  throw new IdpLoginError('endless_login', 'The device flow has too many pages.', { status: 200 });
}

const endTitles = { approve: 'go back to your device', deny: 'was not connected' } as const;

function isEnd({ status, message }: Page, decision: 'approve' | 'deny'): boolean {
  return status === 200 && message.includes(endTitles[decision]);
}

/** What was filled in already; the same screen once more means that it was refused. */
class Screens {
  readonly #person: Person;
  readonly #further: Fields;

  constructor(person: Person, further: Fields = []) {
    this.#person = person;
    this.#further = further;
  }

  async next(page: Page, browser: ScriptlessBrowser): Promise<Arrival> {
    if (page.refusal !== undefined) throw refusedBy(page);
    const { username, password, totp } = this.#person;
    const code = page.forms.find((form) => hasField(form, 'totp_code'));
    if (code !== undefined) {
      if (totp === undefined) {
        const sentence = `${page.message}: ${username} has a second factor. Pass totp.`;
        throw new IdpLoginError('second_factor_needed', sentence, { status: page.status });
      }
      return await browser.submit(code, [['totp_code', totp]]);
    }
    const accounts = page.forms.find((each) => hasButton(each, 'account'));
    if (accounts !== undefined) return await browser.submit(accounts, [accountOf(accounts, username)]);
    const consent = page.forms.find((each) => hasButton(each, 'consent'));
    if (consent !== undefined) return await browser.submit(consent, [['consent', 'allow']]);
    const form = page.forms.find((each) => hasField(each, 'password') || hasField(each, 'username')) ?? personas(page);
    if (form === undefined) throw refusedBy(page);
    if (!hasField(form, 'password')) return await browser.submit(form, [...this.#asked(form), ['username', username]]);
    if (password === undefined) {
      throw new IdpError('password_unknown', `The password of ${username} is unknown. Pass it as password.`);
    }
    return await browser.submit(form, [...this.#asked(form), ['username', username], ['password', password]]);
  }

  /** Further fields, on the screens that ask for them. */
  #asked(form: PageForm): Fields {
    return this.#further.filter(([name]) => hasField(form, name));
  }
}

/** The account of that name, and the way to log in as another one where it is not offered. */
function accountOf({ buttons }: PageForm, username: string): Fields[number] {
  const isOffered = buttons.some(([name, value]) => name === 'account' && value === username);
  return isOffered ? ['account', username] : ['use_another', '1'];
}

/** The persona picker: each person is a button. */
function personas(page: Page): PageForm | undefined {
  return page.forms.find((form) => hasButton(form, 'username') || hasField(form, 'fill_username'));
}

function refusedBy({ refusal, message, status }: Page): IdpLoginError {
  return new IdpLoginError('login_refused', refusal ?? message, { status });
}

function isAnswer(form: PageForm): boolean {
  return hasField(form, 'SAMLResponse');
}

function callbackOf(url: URL): OAuthCallback {
  // An implicit or hybrid answer stands in the fragment, as the client's page would read it.
  const fragment = new URLSearchParams(url.hash.slice(1));
  return { callbackUrl: url.href, params: Object.fromEntries([...url.searchParams, ...fragment]) };
}

function postedCallback({ action, fields }: PageForm): OAuthCallback | SamlCallback {
  const form: Record<string, string> = Object.fromEntries(fields);
  const { SAMLResponse: samlResponse, RelayState: relayState } = form;
  if (samlResponse !== undefined) return { acsUrl: action, samlResponse, relayState };
  return { callbackUrl: action, params: form, form };
}
