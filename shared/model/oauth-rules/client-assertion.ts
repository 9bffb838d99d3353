// The assertion by which a client proves who it is (RFC 7521 §4.2), as far as it names its client; nothing is verified here.
import { decodeToken } from '#shared/model/domain/decoded-token.ts';

/** undefined: there is none, or it names nobody. */
export function clientOfAssertion(assertion: string | undefined): string | undefined {
  const subject = assertion === undefined ? undefined : decodeToken(assertion)?.payload.sub;
  return typeof subject === 'string' ? subject : undefined;
}
