// Lists of headers that came lately, with the text that they are kept as: clients say the same with every request, and
// so do we (REC-08). Remembered for each namespace apart, since each has fingerprints of its own. Nothing secret is kept: a
// list with a secret in it is forgotten with its request, so that no heap dump or core file has it.
import type { Fingerprints } from './fingerprints.ts';

export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

const listsMax = 16;
const charactersMax = 2048;

interface KnownList {
  readonly headers: HeaderValues;
  readonly text: string;
}

const ofNamespaces = new WeakMap<Fingerprints, KnownList[]>();

/** The text of a list that came before; undefined: none like it came lately. */
export function knownHeaders(headers: HeaderValues, fingerprints: Fingerprints): string | undefined {
  const known = ofNamespaces.get(fingerprints);
  return known?.find((list) => isSame(list.headers, headers))?.text;
}

/** Only for a list in which nothing is secret. */
export function rememberHeaders(headers: HeaderValues, text: string, fingerprints: Fingerprints): void {
  if (text.length > charactersMax) return;
  if (Object.values(headers).some((value) => typeof value === 'object')) return;
  const known = ofNamespaces.get(fingerprints);
  if (known === undefined) ofNamespaces.set(fingerprints, [{ headers, text }]);
  else if (known.unshift({ headers, text }) > listsMax) known.pop();
}

export function isSame(known: HeaderValues, headers: HeaderValues): boolean {
  if (known === headers) return true;
  let more = 0;
  for (const name in headers) {
    if (known[name] !== headers[name]) return false;
    more += 1;
  }
  for (const _ in known) more -= 1;
  return more === 0;
}
