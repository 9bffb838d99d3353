// A request to /saml/sso that is refused with a page, since there is nobody to send an answer to or no reason to believe
// who asks (SAM-15, SAM-18, SAM-19, SAM-21, SAM-30).
import type { samlRefusals } from '#shared/refusals/families/saml.ts';
import { type Found, RefusedError, refused } from '#shared/refusals/refusal.ts';

/** Answered 400 with `message` on a page, and recorded as a failed `saml_request`. */
export class SsoRefusedError extends RefusedError {}

export function ssoRefused<Row extends (typeof samlRefusals)[keyof typeof samlRefusals]>(
  row: Row,
  ...found: Found<Row>
): SsoRefusedError {
  return new SsoRefusedError(refused(row, ...found));
}
