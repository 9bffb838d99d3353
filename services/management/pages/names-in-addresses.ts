// Names of users and clients as a part of this web UI's addresses.
import { nulProblem } from '#shared/base/untrusted-values.ts';

/** Why a name typed into a form is invalid, or undefined. `what` follows "Enter a". */
export function problemOfName(name: string, what: string): string | undefined {
  if (name === '') return `Enter a ${what}.`;
  if (name.includes('\0')) return `The ${what} ${nulProblem}.`;
  // Browsers remove these segments, even written as %2E (WHATWG URL), so no page could show, edit or delete the name.
  if (name === '.' || name === '..') return 'This name cannot be part of a URL. Choose another one.';
  return undefined;
}

/** A name that equals the last part of another page's path is spelled differently in the address. */
export function pathSegment(name: string): string {
  return name === 'create' ? '%63reate' : encodeURIComponent(name);
}
