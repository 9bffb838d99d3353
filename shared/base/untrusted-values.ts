// Values from outside: whether one is an object with members, and how deep it may be nested. Beyond that depth code that walks values by recursion (JSON, YAML, the database's
// own JSON) would end in a fault in the middle of something; so it is asked where such a value comes in.

/** A JSON object, or a mapping of YAML: neither a list nor null. */
export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Levels of lists and mappings that a custom attribute or an extra claim may have. */
export const nestingMax = 100;

/** Looks no deeper than it must, so that no value can hurt it. */
export function isNestedDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isNestedDeeperThan(levels - 1, member));
}

/**
 * Whether it holds a number that is not written again as it was read: a whole one beyond 2^53 that was written out in digits,
 * and what JSON has no number for and writes as null (1e400, which is read as infinite; `.inf` and `.nan` of YAML).
 */
export function holdsRoundedNumber(value: unknown): boolean {
  if (typeof value === 'number')
    return (
      !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21)
    );
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRoundedNumber);
}

/**
 * Where a mapping has the key `__proto__`, which the files refuse and models drop without a word: whoever asks for a claim of that
 * name, to see what a client makes of it, would test nothing. Undefined: nowhere, or deeper than anything may be nested.
 */
export function pathOfPrototypeKey(value: unknown, levels = nestingMax + 2): readonly string[] | undefined {
  if (typeof value !== 'object' || value === null || levels === 0) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') return [key];
    const within = pathOfPrototypeKey(member, levels - 1);
    if (within !== undefined) return [key, ...within];
  }
  return undefined;
}

/** Where a value holds the character U+0000, which PostgreSQL's texts cannot: it would come back as another text. */
export function pathOfNul(value: unknown, levels = nestingMax + 2): readonly string[] | undefined {
  if (typeof value === 'string') return value.includes('\0') ? [] : undefined;
  if (typeof value !== 'object' || value === null || levels === 0) return undefined;
  for (const [key, member] of Object.entries(value)) {
    if (key.includes('\0')) return [key.replaceAll('\0', '\\u0000')];
    const within = pathOfNul(member, levels - 1);
    if (within !== undefined) return [key, ...within];
  }
  return undefined;
}

export const nulProblem = 'must not contain the character U+0000';

/** Which member holds it, as a sentence; undefined: none. */
export function holdsNul(members: Readonly<Record<string, unknown>>): string | undefined {
  const path = pathOfNul(members);
  return path && `${path.join('.')} ${nulProblem}`;
}

/** What no value from outside may hold, as the path of the member and what is wrong with it. */
export function unusableMember(
  value: unknown,
): { readonly path: readonly string[]; readonly problem: string } | undefined {
  const key = pathOfPrototypeKey(value);
  if (key !== undefined) return { path: key, problem: prototypeKeyProblem };
  const nul = pathOfNul(value);
  return nul && { path: nul, problem: nulProblem };
}

export const prototypeKeyProblem = 'is not a name that can be used';
