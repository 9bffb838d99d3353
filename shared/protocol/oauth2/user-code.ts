// The code that a person types at /device: eight letters that cannot be confused with each other and spell no words
// (DEV-02, DEV-10, RFC 8628 §6.1). Pure: randomness is an argument.

const userCodeAlphabet = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeLength = 8;

/** `integerBelow(n)` draws uniformly from 0 to n - 1. */
export function drawUserCode(integerBelow: (bound: number) => number): string {
  return Array.from({ length: userCodeLength }, () => userCodeAlphabet[integerBelow(userCodeAlphabet.length)]).join('');
}

/**
 * A typed code in its stored form: upper case, without hyphens and white space. The result may still be no valid code.
 */
export function normalizeUserCode(typed: string): string {
  // Only ASCII letters are converted to upper case: `ß` or `ſ` must not become letters of the alphabet.
  return typed.replace(/[\s\p{Pd}]/gu, '').replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
