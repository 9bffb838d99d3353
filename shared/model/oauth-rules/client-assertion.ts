// The assertion with which a client authenticates (RFC 7521 §4.2). Reads only the client's name and verifies nothing.
import { decodeToken } from '#shared/model/domain/decoded-token.ts';

/** undefined: no assertion, or it names no client. */
export function clientOfAssertion(assertion: string | undefined): string | undefined {
  const subject = assertion === undefined ? undefined : decodeToken(assertion)?.payload.sub;
  return typeof subject === 'string' ? subject : undefined;
}
