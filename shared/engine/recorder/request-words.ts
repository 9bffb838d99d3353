// All that a client says in a request, and by what one is known that says the same again (REC-08).
import type { RecordedEndpoint } from '#shared/model/domain/exchange.ts';
import type { Fingerprints } from './fingerprints.ts';

export interface RequestWords {
  readonly endpoint: RecordedEndpoint;
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly address: string;
  /** Names and values in turns. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

const charactersMax = 4096;

/** Nothing of what they say can be told from it; undefined: they say too much to be looked for. */
export function digestOfWords(words: RequestWords, fingerprints: Fingerprints): string | undefined {
  const text = textOf(words);
  return text.length > charactersMax ? undefined : fingerprints.digestOf(text);
}

export function hasSameWords(one: RequestWords, other: RequestWords): boolean {
  return (
    one.endpoint === other.endpoint &&
    one.method === other.method &&
    one.path === other.path &&
    one.rawQuery === other.rawQuery &&
    one.address === other.address &&
    hasSameLines(one.rawHeaders, other.rawHeaders) &&
    one.body.equals(other.body)
  );
}

function hasSameLines(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) if (one[index] !== other[index]) return false;
  return true;
}

/** In an order that tells any two apart. */
function textOf({ endpoint, method, path, rawQuery, address, rawHeaders, body }: RequestWords): string {
  const target = `${method} ${path}?${rawQuery} ${address}`;
  return `${endpoint} ${target}\n${rawHeaders.length}\n${rawHeaders.join('\n')}\n${body.toString('latin1')}`;
}
