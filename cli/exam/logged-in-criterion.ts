// The criterion for a logged-in user, checked on the last page only (EXM-06).
import { UsageError } from '../usage-error.ts';
import type { LastPage } from './visitor.ts';

const kinds = ['url', 'text', 'status', 'cookie'] as const;

interface Condition {
  readonly kind: (typeof kinds)[number];
  readonly value: string;
}

/** All conditions must match. */
export type Criterion = readonly Condition[];

/** `status=200,text=Hello`. A comma is literal unless one of the four names and `=` follow. @throws UsageError */
export function readCriterion(text: string): Criterion {
  return text.split(/,(?=\s*(?:url|text|status|cookie)=)/).map((part) => {
    const [, name, value = ''] = /^\s*(\w+)=(.*)$/s.exec(part) ?? [];
    const kind = kinds.find((each) => each === name);
    if (kind === undefined || value === '') {
      throw new UsageError(
        `--logged-in-when must be url=, text=, status= or cookie=, not '${part}' (url= and text= match a part)`,
      );
    }
    if (kind === 'status' && !/^[1-5]\d\d$/.test(value)) {
      throw new UsageError(`--logged-in-when: status= must be an HTTP status, not '${value}'`);
    }
    return { kind, value };
  });
}

/** Properties of the last page of a login without fault, which identify every page with a logged-in user. */
export interface Likeness {
  readonly status: number;
  readonly path: string;
  readonly cookieNames: readonly string[];
}

export function likenessOf({ status, url, cookieNames }: LastPage): Likeness {
  return { status, path: url.pathname, cookieNames: cookieNames.toSorted() };
}

/** `exchangeNames`: replaces names in the criterion, such as the name of the user who logs in. */
export function matchesCriterion(
  page: LastPage,
  criterion: Criterion,
  exchangeNames: (text: string) => string = same,
): boolean {
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

/** `exchangeNames`: as for `meets`, for the names in the path. */
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

/** The name as a separate word: `alice` does not match `alice-other` or `alice@example.org`. */
export function shows({ text }: Pick<LastPage, 'text'>, name: string): boolean {
  const literal = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w@.+-])${literal}(?![\\w@-]|\\.\\w)`, 'u').test(text);
}

function same(text: string): string {
  return text;
}
