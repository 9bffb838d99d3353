// How names from outside appear in an error_description: RFC 6749 §5.2 allows printable ASCII without quote and
// backslash there, and a description must stay readable whatever was sent.
const quotedNameCharactersMax = 80;

/** A list of names travels in a redirect, too; scopes that a person wrote fit by far. */
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

/** The name with every character that a description may not hold replaced by `?`, shortened when it is very long. */
export function safeInDescription(name: string): string {
  return shortened(name, quotedNameCharactersMax);
}

function shortened(name: string, charactersMax: number): string {
  const shown = name.length > charactersMax ? `${name.slice(0, charactersMax)}...` : name;
  return shown.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/gu, '?');
}

/** The names sorted by code point and joined with `, ` (SCO-03): whole, and all that have room; then how many more there are. */
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
