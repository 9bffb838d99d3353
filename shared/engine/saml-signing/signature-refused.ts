// A request whose signature is missing, wrong or of an unsupported form (SAM-25 to SAM-27).
import { samlSignatureRefusals } from '#shared/model/refusals/families/saml-signatures.ts';
import { type Found, RefusedError, refused } from '#shared/model/refusals/refusal.ts';

/** `message` describes the error for people and for the audit's `reason`. It repeats no part of the request. */
export class SignatureRefusedError extends RefusedError {}

type Code = keyof typeof samlSignatureRefusals;

export function signatureRefused<Name extends Code>(
  code: Name,
  ...found: Found<(typeof samlSignatureRefusals)[Name]>
): SignatureRefusedError {
  return new SignatureRefusedError(refused(samlSignatureRefusals[code], ...found));
}
