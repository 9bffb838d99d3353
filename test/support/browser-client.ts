// A browser without scripts for endpoint tests. It stores cookies, never follows redirects on its own, and posts forms with
// their hidden fields, so that a test names only the fields that a user fills in.
import { expect } from 'chai';

interface PageForm {
  /** Resolved against the page's address. */
  readonly action: string;
  readonly method: string;
  /** Hidden, text and other input fields in order, with their values. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Named submit buttons. */
  readonly buttons: readonly (readonly [name: string, value: string])[];
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly location: string | null;
  /** The visible text: the body without markup, white space collapsed. */
  readonly text: string;
  readonly forms: readonly PageForm[];
}

type Fields = Readonly<Record<string, string>>;

export class BrowserClient {
  readonly cookies = new Map<string, string>();
  private readonly baseUrl: string;
  private readonly headers: Fields;

  /** `headers` are sent with each request. `Connection: close` gives each request its own connection. */
  constructor(baseUrl: string, headers: Fields = {}) {
    this.baseUrl = baseUrl;
    this.headers = headers;
  }

  get(path: string, headers: Fields = {}): Promise<Page> {
    return this.request(path, { headers });
  }

  post(
    path: string,
    fields: Fields | readonly (readonly [string, string])[] = {},
    headers: Fields = {},
  ): Promise<Page> {
    const pairs = Array.isArray(fields) ? fields : Object.entries(fields);
    return this.request(path, { method: 'POST', body: new URLSearchParams(pairs.map(([k, v]) => [k, v])), headers });
  }

  /** Posts the page's first form that has all the named fields or buttons, or else its first form. */
  submit(page: Page, filled: Fields = {}, headers: Fields = {}): Promise<Page> {
    const wanted = Object.keys(filled);
    const offers = (form: PageForm) =>
      wanted.every((name) => [...form.fields, ...form.buttons].some(([offered]) => offered === name));
    const form = page.forms.find(offers);
    if (form === undefined) throw new Error(`no form of ${page.url} offers ${wanted.join(', ')}:\n${page.body}`);
    // HTML accepts either case.
    expect(form.method.toLowerCase()).to.equal('post');
    const kept = form.fields.filter(([name]) => !wanted.includes(name));
    return this.post(form.action, [...kept, ...Object.entries(filled)], headers);
  }

  async request(path: string, init: RequestInit): Promise<Page> {
    const url = new URL(path, this.baseUrl).href;
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(this.headers)) headers.set(name, value);
    if (this.cookies.size > 0) {
      headers.set('Cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    }
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const equals = pair.indexOf('=');
      this.cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    const body = await response.text();
    return {
      url,
      status: response.status,
      headers: response.headers,
      body,
      location: response.headers.get('location'),
      text: decoded(body.replace(/<(script|style)\b.*?<\/\1>/gs, ' ').replace(/<[^>]*>/g, ' '))
        .replace(/\s+/g, ' ')
        .trim(),
      forms: formsOf(body, url),
    };
  }
}

/** The parameters of the address that a page redirects to. */
export function redirectParameters(page: Page): URLSearchParams {
  expect(page.status, page.text).to.equal(302);
  return new URL(page.location ?? '').searchParams;
}

/** The value of a hidden field on the page, in any form. */
export function fieldOf(page: Page, name: string): string | undefined {
  return page.forms.flatMap((form) => form.fields).find(([field]) => field === name)?.[1];
}

function formsOf(body: string, url: string): PageForm[] {
  return [...body.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', content = '']) => {
    const form = attributesOf(attributes);
    const elements = [...content.matchAll(/<(input|button|textarea|select)\b((?:"[^"]*"|[^>"])*)>/g)].map(
      ([, tag, text = '']) => ({ tag, ...Object.fromEntries(attributesOf(text)) }),
    ) as { tag: string; name?: string; value?: string; type?: string }[];
    const named = elements.filter(({ name }) => name !== undefined);
    const pair = ({ name = '', value = '' }: { name?: string; value?: string }) => [name, value] as const;
    return {
      action: new URL(form.get('action') ?? '', url).href,
      method: form.get('method') ?? 'get',
      fields: named.filter(({ tag }) => tag !== 'button').map(pair),
      buttons: named.filter(({ tag }) => tag === 'button').map(pair),
    };
  });
}

function attributesOf(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [name, decoded(value)]),
  );
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);
}
