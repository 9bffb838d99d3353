// Checks values from outside: whether a value is an object with members, and how deep it is nested. Recursive code
// (JSON, YAML, the database's JSON) fails on deeper values in the middle of its work. So depth is checked where a value
// enters.

/** A JSON object or a YAML mapping, neither a list nor null. */
export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Levels of lists and mappings that a custom attribute or an extra claim may have. */
export const nestingMax = 100;

/** Stops at `levels`, so that no value can exhaust the stack. */
export function isNestedDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isNestedDeeperThan(levels - 1, member));
}

/**
 * Whether the value contains a number that would change when written again. That is an integer beyond 2^53 written in
 * digits, or a number that JSON can only write as null (1e400, read as infinite, and `.inf` and `.nan` of YAML).
 */
export function holdsRoundedNumber(value: unknown): boolean {
  if (typeof value === 'number')
    return (
      !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21)
    );
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRoundedNumber);
}

/**
 * Finds the key `__proto__` in a mapping. Files reject it, and models drop it silently, so a test with a claim of that
 * name would test nothing. undefined: nowhere, or deeper than values may be nested.
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

/** Finds the character U+0000, which PostgreSQL texts cannot contain: the stored text would differ. */
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

/** Names the member that contains it, as a sentence. undefined: none. */
export function holdsNul(members: Readonly<Record<string, unknown>>): string | undefined {
  const path = pathOfNul(members);
  return path && `${path.join('.')} ${nulProblem}`;
}

/** What no value from outside may contain, as the path of the member and the problem. */
export function unusableMember(
  value: unknown,
): { readonly path: readonly string[]; readonly problem: string } | undefined {
  const key = pathOfPrototypeKey(value);
  if (key !== undefined) return { path: key, problem: prototypeKeyProblem };
  const nul = pathOfNul(value);
  return nul && { path: nul, problem: nulProblem };
}

export const prototypeKeyProblem = 'is a reserved name';
