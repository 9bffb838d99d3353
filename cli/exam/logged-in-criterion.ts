// What counts as logged in, seen from the last page alone (EXM-06).
import { UsageError } from '../usage-error.ts';
import type { LastPage } from './visitor.ts';

const kinds = ['url', 'text', 'status', 'cookie'] as const;

interface Condition {
  readonly kind: (typeof kinds)[number];
  readonly value: string;
}

/** All of them have to hold. */
export type Criterion = readonly Condition[];

/** `status=200,text=Hello`. A comma stands for itself unless one of the four names and `=` come behind it. @throws UsageError */
export function readCriterion(text: string): Criterion {
  return text.split(/,(?=\s*(?:url|text|status|cookie)=)/).map((part) => {
    const [, name, value = ''] = /^\s*(\w+)=(.*)$/s.exec(part) ?? [];
    const kind = kinds.find((each) => each === name);
    if (kind === undefined || value === '') {
      throw new UsageError(
        `--logged-in-when takes url=, text=, status= or cookie=, not '${part}' (url= and text= look for a part of them)`,
      );
    }
    if (kind === 'status' && !/^[1-5]\d\d$/.test(value)) {
      throw new UsageError(`--logged-in-when: status= takes an HTTP status, not '${value}'`);
    }
    return { kind, value };
  });
}

/** What the last page of a login without fault looks like, and with it every page of somebody who is logged in. */
export interface Likeness {
  readonly status: number;
  readonly path: string;
  readonly cookieNames: readonly string[];
}

export function likenessOf({ status, url, cookieNames }: LastPage): Likeness {
  return { status, path: url.pathname, cookieNames: cookieNames.toSorted() };
}

/** `exchangeNames`: texts of the criterion that are to be looked for under another name, as of who logs in. */
export function meets(page: LastPage, criterion: Criterion, exchangeNames: (text: string) => string = same): boolean {
  return criterion.every((condition) => holds(page, condition, exchangeNames));
}

function holds(page: LastPage, { kind, value }: Condition, exchangeNames: (text: string) => string): boolean {
  switch (kind) {
    case 'url':
      return page.url.href.includes(value) || decodedText(page.url.href).includes(exchangeNames(value));
    case 'text':
      return page.text.includes(exchangeNames(value));
    case 'status':
      return page.status === Number(value);
    case 'cookie':
      return page.cookieNames.includes(value);
  }
}

/** `exchangeNames`: as for `meets`, of the names in the path. */
export function isLike(page: LastPage, likeness: Likeness, exchangeNames: (text: string) => string = same): boolean {
  const { status, path, cookieNames } = likenessOf(page);
  const isThere = path === likeness.path || decodedText(path) === exchangeNames(decodedText(likeness.path));
  return status === likeness.status && isThere && cookieNames.join('\n') === likeness.cookieNames.join('\n');
}

function decodedText(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** The name as a word of its own: `alice` stands neither in `alice-other` nor in `alice@example.org`. */
export function shows({ text }: Pick<LastPage, 'text'>, name: string): boolean {
  const literal = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w@.+-])${literal}(?![\\w@-]|\\.\\w)`, 'u').test(text);
}

function same(text: string): string {
  return text;
}
