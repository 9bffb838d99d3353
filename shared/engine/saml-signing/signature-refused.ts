// A request whose signature is missing, wrong or of a form that does not count (SAM-25 to SAM-27).
import { samlSignatureRefusals } from '#shared/model/refusals/families/saml-signatures.ts';
import { type Found, RefusedError, refused } from '#shared/model/refusals/refusal.ts';

/** `message` says for people and for the audit's `reason` what is wrong; it repeats nothing of the request. */
export class SignatureRefusedError extends RefusedError {}

type Code = keyof typeof samlSignatureRefusals;

export function signatureRefused<Name extends Code>(
  code: Name,
  ...found: Found<(typeof samlSignatureRefusals)[Name]>
): SignatureRefusedError {
  return new SignatureRefusedError(refused(samlSignatureRefusals[code], ...found));
}
