// Finds the known name that an unknown name was probably meant to be, for "did you mean" in messages.

/**
 * The known name with the smallest edit distance, or undefined when none is near enough to suggest. For names that may
 * be intended, such as user attributes, where `likelyName` would wrongly question `email_verified_at`.
 */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  return nearestNames(written, known, 1)[0];
}

/** The nearest names first, at most `most` of them. */
function nearestNames(written: string, known: Iterable<string>, most: number): readonly string[] {
  const near: { readonly name: string; readonly distance: number }[] = [];
  for (const name of known) {
    const distance = editDistance(written.toLowerCase(), name.toLowerCase());
    if (distance <= differencesMax(written, name)) near.push({ name, distance });
  }
  near.sort((one, other) => one.distance - other.distance);
  return near.slice(0, most).map(({ name }) => name);
}

/**
 * Like `nearestNames`, with three more groups. First come the names that differ in one letter: `redirect_uri`. Then come
 * the names with all or nearly all of the same words in another order or form: `wrong_nonce`, `refresh_token_expiry`. Last come the names where one shares half of the other's words:
 * `validate`.
 */
export function likelyNames(written: string, known: Iterable<string>, most: number): readonly string[] {
  const names = [...known];
  const ofWords = names
    .map((name) => ({
      name,
      share: sharedWords(wordsOf(written), wordsOf(name)),
      distance: editDistance(written.toLowerCase(), name.toLowerCase()),
    }))
    .filter(({ share }) => share >= 1 / 2)
    .sort((one, other) => other.share - one.share || one.distance - other.distance);
  const ofNearlyAll = ofWords.filter(({ share }) => share > 1 / 2);
  const ofOneLetter = nearestNames(written, names, most).filter((name) => differsInOneLetter(written, name));
  const ordered = [...ofOneLetter, ...ofNearlyAll.map(({ name }) => name), ...nearestNames(written, names, most)];
  return [...new Set([...ordered, ...ofWords.map(({ name }) => name)])].slice(0, most);
}

function differsInOneLetter(written: string, name: string): boolean {
  return editDistance(written.toLowerCase(), name.toLowerCase()) <= 1;
}

/**
 * The likeliest known name, or undefined when none exists. For names that cannot be intended because they have no
 * effect.
 */
export function likelyName(written: string, known: Iterable<string>): string | undefined {
  return likelyNames(written, known, 1)[0];
}

/**
 * Compares the beginnings of words, so that `tokens` matches `token` and `rotate` matches `rotation`. Words of less
 * than three letters are ignored.
 */
function wordsOf(name: string): ReadonlySet<string> {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  return new Set(words.filter(({ length }) => length >= 3).map((word) => word.slice(0, 5)));
}

/**
 * The share of the longer name's words that the shorter one has. 0 when the shorter one has a word that the longer one
 * lacks.
 */
function sharedWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [fewer, more] = one.size < other.size ? [one, other] : [other, one];
  return fewer.size > 0 && [...fewer].every((word) => more.has(word)) ? fewer.size / more.size : 0;
}

/** A third of the letters, because short names easily differ in two letters by accident. */
function differencesMax(one: string, other: string): number {
  return Math.floor(Math.max(one.length, other.length) / 3);
}

/** Number of letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const costs = [at(next, column - 1) + 1, at(last, column) + 1, at(last, column - 1) + (same ? 0 : 1)];
      const exchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (exchanged && row > 1 && column > 1) costs.push(at(beforeLast, column - 2) + 1);
      next.push(Math.min(...costs));
    }
    beforeLast = last;
    last = next;
  }
  return at(last, other.length);
}

function at(costs: readonly number[], index: number): number {
  return costs[index] ?? Number.POSITIVE_INFINITY;
}
