// A browser without script: it keeps cookies, and goes from page to page of one instance, never anywhere else.
import { ask } from '../ask.ts';
import { type Place, reachedAt } from '../own-addresses.ts';
import type { Browser } from '../types.ts';
import { type Page, type PageForm, readPage } from './page.ts';

export type Fields = readonly (readonly [name: string, value: string])[];

/** Where it was sent: a page of the instance, or an address elsewhere, which it does not visit. */
export type Arrival = { readonly at: 'page'; readonly page: Page } | { readonly at: 'elsewhere'; readonly url: URL };

const redirectsMax = 20;

export class ScriptlessBrowser implements Browser {
  readonly cookies = new Map<string, string>();
  readonly #instance: Place;

  constructor(instance: Place) {
    this.#instance = instance;
  }

  /** Follows redirects as long as they stay at the instance. Rejects with the error of the connection. */
  async visit(url: URL): Promise<Arrival> {
    return await this.#follow(url, undefined);
  }

  /** Sends the form as it stands, with these fields in place of its own. */
  async submit(form: PageForm, filled: Fields): Promise<Arrival> {
    const kept = form.fields.filter(([name]) => filled.every(([other]) => other !== name));
    return await this.#follow(new URL(form.action), new URLSearchParams([...kept, ...filled].map(([n, v]) => [n, v])));
  }

  async #follow(start: URL, form: URLSearchParams | undefined): Promise<Arrival> {
    let url = start;
    let body = form?.toString();
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const answer = await ask(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          Accept: 'text/html',
          ...(this.cookies.size === 0 ? {} : { Cookie: [...this.cookies].map((pair) => pair.join('=')).join('; ') }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
        },
        body,
      });
      for (const cookie of answer.headers['set-cookie'] ?? []) this.#keep(cookie);
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status >= 400 || location === undefined) {
        return { at: 'page', page: readPage(url, answer.status, answer.body.toString('utf8')) };
      }
      const target = new URL(location, url);
      const next = this.#inside(target);
      if (next === undefined) return { at: 'elsewhere', url: target };
      [url, body] = [next, undefined];
    }
    throw new Error(`The pages redirect in a loop (${url.pathname}).`);
  }

  #inside(url: URL): URL | undefined {
    return url.origin === new URL(this.#instance.url).origin ? url : reachedAt(url, this.#instance);
  }

  #keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split(';');
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals).trim();
    if (attributes.some((attribute) => /^\s*max-age\s*=\s*(?:0|-\d+)\s*$/i.test(attribute))) this.cookies.delete(name);
    else this.cookies.set(name, pair.slice(equals + 1).trim());
  }
}
