// How names from outside appear in an error_description. RFC 6749 §5.2 allows printable ASCII without quote and
// backslash there, and the description must stay readable for any input.
const quotedNameCharactersMax = 80;

const addressCharactersMax = 255;

/** A redirect also carries a list of names. Lists of scopes written by people are far shorter. */
const listedCharactersMax = 1000;
const listedNameCharactersMax = 255;

/** Compares by code points, which is what "sorted" means in the contract. */
export function byCodePoint(left: string, right: string): number {
  if (left === right) return 0;
  const rightPoints = right[Symbol.iterator]();
  for (const character of left) {
    const other = rightPoints.next();
    if (other.done === true) return 1;
    const difference = (character.codePointAt(0) ?? 0) - (other.value.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return -1;
}

/** Replaces every character that a description must not contain by `?`, and shortens a very long name. */
export function safeInDescription(name: string): string {
  return shortened(name, quotedNameCharactersMax);
}

/** An address in the audit or on a page. It is longer than a name, and its end often differs. */
export function safeAddress(address: string): string {
  return shortened(address, addressCharactersMax);
}

function shortened(name: string, charactersMax: number): string {
  const shown = name.length > charactersMax ? `${name.slice(0, charactersMax)}...` : name;
  return shown.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/gu, '?');
}

/**
 * The names sorted by code point and joined with `, ` (SCO-03). Lists as many whole names as fit, then the number of
 * the rest.
 */
export function listNames(names: Iterable<string>): string {
  const sorted = [...new Set(names)].sort(byCodePoint).map((name) => shortened(name, listedNameCharactersMax));
  let length = 0;
  const shown = sorted.filter((name, index) => {
    length += name.length + ', '.length;
    return index === 0 || length <= listedCharactersMax;
  });
  const left = sorted.length - shown.length;
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ');
}
