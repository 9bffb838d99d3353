// One wording for each kind of fault, for all families. The one for unknown names is shared/base/unknown-name.ts.
import { smallPieces } from '#shared/base/small-pieces.ts';
import { bytesText } from './quantities.ts';

export function missingParameter(name: string): string {
  return `The parameter ${name} is missing.`;
}

/** `This session does not exist.` */
export function notFound(noun: string): string {
  return `This ${noun} does not exist.`;
}

/** `A sandbox with this name already exists.` */
export function nameTaken(noun: string): string {
  return `A ${noun} with this name already exists.`;
}

/** `The fault is invalid: parameters.ms must be 1 or more.` A problem that is a sentence of its own stays unchanged. */
export function invalid(noun: string, problem: string): string {
  return /^[A-Z].*[.?…]$/.test(problem) ? problem : `The ${noun} is invalid: ${problem}.`;
}

/** `The body is larger than 1 MiB.` */
export function tooLarge(what: string, bytesMax: number): string {
  return `${what} is larger than ${bytesText(bytesMax)}.`;
}

/** Of a body that arrives in too many small pieces. */
export const bodyInSmallPieces = `The body arrives in more than ${smallPieces.countMax} pieces of less than ${smallPieces.bytesBelow} bytes. Send larger chunks.`;

/** `Another process has locked the keys directory.` */
export function lockedByAnotherProcess(directory: LockedDirectory): string {
  return `Another process has locked the ${directory} directory.`;
}

/** `The filesystem of the keys directory does not support locks.` */
export function lockUnsupported(directory: LockedDirectory): string {
  return `The filesystem of the ${directory} directory does not support locks.`;
}

type LockedDirectory = 'configuration' | 'keys';
