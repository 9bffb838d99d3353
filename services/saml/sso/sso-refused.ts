// A request to /saml/sso that is refused with a page, since there is nobody to send an answer to or no reason to believe
// who asks (SAM-15, SAM-18, SAM-19, SAM-21, SAM-30).
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { type Found, RefusedError, refused } from '#shared/model/refusals/refusal.ts';

/** Answered 400 with `message` on a page, and recorded as a failed `saml_request`. */
export class SsoRefusedError extends RefusedError {}

/** @throws SsoRefusedError for one that would come back as another text */
export function checkRelayState(relayState: string | undefined): void {
  if (relayState?.includes('\0')) throw ssoRefused(samlRefusals.relay_state_with_nul);
}

export function ssoRefused<Row extends (typeof samlRefusals)[keyof typeof samlRefusals]>(
  row: Row,
  ...found: Found<Row>
): SsoRefusedError {
  return new SsoRefusedError(refused(row, ...found));
}
