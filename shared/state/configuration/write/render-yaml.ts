// Writes values as YAML text: inline, or as the lines below a key. The text reads back as exactly the same value: texts
// that could be read as another type are quoted, and `${NAME}` is written so that it stays a text.
import { isMapping } from '#shared/base/untrusted-values.ts';
import { withoutPlaceholders } from '../load/placeholders.ts';

/** The quoting of a replaced scalar, kept where the new text allows it. */
export type Quoting = 'plain' | 'single' | 'double';

export interface Layout {
  readonly eol: string;
  /** Number of spaces for one level. */
  readonly step: number;
}

const flowWidthMax = 80;
/** The pattern of plain texts backtracks recursively: a text of megabytes exhausts the stack. */
const plainCharactersMax = 4096;

/** A value on one line; collections in flow style. */
export function renderInline(value: unknown, quoting: Quoting = 'plain'): string {
  if (typeof value === 'string') return renderText(withoutPlaceholders(value), quoting);
  if (typeof value === 'number') return renderNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => renderInline(item)).join(', ')}]`;
  if (isMapping(value)) {
    const members = definedEntries(value).map(([key, member]) => `${renderKey(key)}: ${renderInline(member)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return 'null';
}

/** `key: value` and the lines that belong to it, each with its line end. */
export function renderPair(key: string, value: unknown, indent: number, layout: Layout): string {
  const head = `${' '.repeat(indent)}${renderKey(key)}:`;
  if (fitsInline(value)) return `${head} ${renderInline(value)}${layout.eol}`;
  return `${head}${layout.eol}${renderBlock(value, indent + layout.step, layout)}`;
}

/** `- value` and the lines that belong to it. */
export function renderItem(value: unknown, indent: number, layout: Layout): string {
  const dash = `${' '.repeat(indent)}- `;
  if (fitsInline(value) || Array.isArray(value)) return `${dash}${renderInline(value)}${layout.eol}`;
  // The first key is on the line of the dash.
  return dash + renderBlock(value, indent + 2, layout).slice(indent + 2);
}

/** The lines of a collection that is not empty. */
export function renderBlock(value: unknown, indent: number, layout: Layout): string {
  if (Array.isArray(value)) return value.map((item) => renderItem(item, indent, layout)).join('');
  if (!isMapping(value)) return `${' '.repeat(indent)}${renderInline(value)}${layout.eol}`;
  return definedEntries(value)
    .map(([key, member]) => renderPair(key, member, indent, layout))
    .join('');
}

/** Scalars, empty collections and short lists of simple texts. */
function fitsInline(value: unknown): boolean {
  if (Array.isArray(value)) {
    const simple = value.every((item) => typeof item !== 'object' || item === null);
    return value.length === 0 || (simple && renderInline(value).length <= flowWidthMax);
  }
  return !isMapping(value) || definedEntries(value).length === 0;
}

export function renderKey(key: string): string {
  return renderText(key, 'plain');
}

function renderText(text: string, quoting: Quoting): string {
  if (quoting === 'single' && /^[\x20-\x7e\u00a1-\ud7ff\ue000-\ufefe]*$/.test(text)) {
    return `'${text.replaceAll("'", "''")}'`;
  }
  if (quoting === 'plain' && isPlain(text)) return text;
  return doubleQuoted(text);
}

const plainText = /^[A-Za-z_/](?:[\w$./@+()~=&?%;-]|:(?=[\w/])| (?=[\w$./@+(~=?;-]))*$/;

/** Texts that every parser reads as text. All others are quoted. */
function isPlain(text: string): boolean {
  return (
    text.length <= plainCharactersMax && plainText.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
  );
}

function doubleQuoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function renderNumber(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  return Object.is(value, -0) ? '-0.0' : String(value);
}

function definedEntries(value: Record<string, unknown>): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}
