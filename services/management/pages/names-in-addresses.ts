// Names of users and clients as a part of this web UI's addresses.
import { nulProblem } from '#shared/base/untrusted-values.ts';

/** What a name typed into a form cannot be, or undefined; `what` reads on after "Enter a". */
export function problemOfName(name: string, what: string): string | undefined {
  if (name === '') return `Enter a ${what}.`;
  if (name.includes('\0')) return `The ${what} ${nulProblem}.`;
  // Browsers take these away, written with %2E too (WHATWG URL), so that no page could show, edit or delete it.
  if (name === '.' || name === '..') return 'This name cannot be part of a web address; choose another one.';
  return undefined;
}

/** A name that is also the last part of another page is told apart from it by its spelling. */
export function pathSegment(name: string): string {
  return name === 'create' ? '%63reate' : encodeURIComponent(name);
}
