// A page of the instance as a browser without script reads it: its forms, and what it says is wrong. The pages are ours
// and well formed, which is why so little is enough.
import { isMapping } from '#shared/base/untrusted-values.ts';

export interface PageForm {
  /** Absolute. */
  readonly action: string;
  /** Hidden, text and other input fields in order, with their values. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly buttons: readonly (readonly [name: string, value: string])[];
  /** With script it would be on its way already. */
  readonly goesByItself: boolean;
}

export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly forms: readonly PageForm[];
  /** Why something was refused, as a sentence; undefined: nothing was. */
  readonly refusal: string | undefined;
  /** What it says as a whole, for pages that only say something. */
  readonly message: string;
}

export function readPage(url: URL, status: number, html: string): Page {
  const message = textIn(html, /<p class="message-text">(.*?)<\/p>/s) ?? textIn(html, /<h1\b[^>]*>(.*?)<\/h1>/s);
  return {
    url,
    status,
    forms: formsOf(html, url),
    refusal:
      textIn(html, /<p id="[^"]*-error" class="field-error">(.*?)<\/p>/s) ??
      textIn(html, /<div class="notice notice-refusal"[^>]*>(.*?)<\/div>/s) ??
      (status >= 400 ? (message ?? errorDescriptionIn(html)) : undefined),
    message: message ?? `it returned ${status}`,
  };
}

export function hasField(form: PageForm, name: string): boolean {
  return form.fields.some(([offered]) => offered === name);
}

export function hasButton(form: PageForm, name: string): boolean {
  return form.buttons.some(([offered]) => offered === name);
}

/** The sentence of an answer that is no page: programs get an error of OAuth where a browser is shown what is wrong. */
function errorDescriptionIn(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (!isMapping(answer)) return undefined;
    const { error_description: sentence, error } = answer;
    return [sentence, error].find((each) => typeof each === 'string');
  } catch {
    return undefined;
  }
}

function textIn(html: string, pattern: RegExp): string | undefined {
  const [, found] = pattern.exec(html) ?? [];
  const text =
    found === undefined
      ? ''
      : decoded(found.replace(/<[^>]*>/g, ' '))
          .replace(/\s+/g, ' ')
          .trim();
  return text === '' ? undefined : text;
}

function formsOf(html: string, url: URL): PageForm[] {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].flatMap(([, attributes = '', content = '']) => {
    const form = attributesOf(attributes);
    if (form.get('method')?.toLowerCase() !== 'post') return [];
    const elements = [...content.matchAll(/<(input|button|textarea|select)\b((?:"[^"]*"|[^>"])*)>/g)].flatMap(
      ([, tag = '', text = '']) => {
        const element = attributesOf(text);
        const name = element.get('name');
        return name === undefined ? [] : [{ tag, pair: [name, element.get('value') ?? ''] as const }];
      },
    );
    return {
      action: new URL(form.get('action') ?? '', url).href,
      fields: elements.filter(({ tag }) => tag !== 'button').map(({ pair }) => pair),
      buttons: elements.filter(({ tag }) => tag === 'button').map(({ pair }) => pair),
      goesByItself: form.has('data-auto-submit'),
    };
  });
}

function attributesOf(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [name, decoded(value)]),
  );
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
    return entities[name] ?? whole;
  });
}
