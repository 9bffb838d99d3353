// What somebody probably meant who wrote a name that nobody knows: for "did you mean" in messages.

/**
 * The known name that differs least by its letters, or undefined when none is near enough to be worth a question: for names
 * that may well be meant, such as attributes of a user, of which `likelyName` would doubt `email_verified_at`.
 */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  return nearestNames(written, known, 1)[0];
}

/** The nearest ones first, as many as that at most. */
export function nearestNames(written: string, known: Iterable<string>, most: number): readonly string[] {
  const near: { readonly name: string; readonly distance: number }[] = [];
  for (const name of known) {
    const distance = editDistance(written.toLowerCase(), name.toLowerCase());
    if (distance <= differencesMax(written, name)) near.push({ name, distance });
  }
  near.sort((one, other) => one.distance - other.distance);
  return near.slice(0, most).map(({ name }) => name);
}

/**
 * Likewise. Before them stand those of the same words in another order or form, or of nearly all of them: `wrong_nonce`,
 * `refresh_token_expiry`; behind them those of which it is half, or that are half of it: `validate`.
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
  const ordered = [...ofNearlyAll.map(({ name }) => name), ...nearestNames(written, names, most)];
  return [...new Set([...ordered, ...ofWords.map(({ name }) => name)])].slice(0, most);
}

/** The likeliest of them, or undefined when none is: for names that cannot be meant, since nothing is done with them. */
export function likelyName(written: string, known: Iterable<string>): string | undefined {
  return likelyNames(written, known, 1)[0];
}

/** By how they begin, so that `tokens` is `token` and `rotate` is `rotation`; a word of less than three letters says nothing. */
function wordsOf(name: string): ReadonlySet<string> {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  return new Set(words.filter(({ length }) => length >= 3).map((word) => word.slice(0, 5)));
}

/** Which part of the longer one the shorter one is; 0 when it has a word that the other has not. */
function sharedWords(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [fewer, more] = one.size < other.size ? [one, other] : [other, one];
  return fewer.size > 0 && [...fewer].every((word) => more.has(word)) ? fewer.size / more.size : 0;
}

/** A third of the letters: two short names differ in two letters by accident. */
function differencesMax(one: string, other: string): number {
  return Math.floor(Math.max(one.length, other.length) / 3);
}

/** Letters to insert, remove, replace or exchange with their neighbour, counted (optimal string alignment). */
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
