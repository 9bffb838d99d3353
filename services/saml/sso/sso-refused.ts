// A request to /saml/sso that is rejected with a page. Either no address for a response is known, or the sender cannot
// be trusted (SAM-15, SAM-18, SAM-19, SAM-21, SAM-30).
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { type Found, RefusedError, refused } from '#shared/model/refusals/refusal.ts';

/** The response is a 400 with `message` on a page, and a failed `saml_request` is recorded. */
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
