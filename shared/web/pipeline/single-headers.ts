// Headers that may occur once. Node.js keeps the first of two and drops the other, so chance would decide which one
// counts.
import type { IncomingMessage } from 'node:http';
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import type { Exchange } from './exchange.ts';

/** A request with two Host headers is ambiguous: another reader on its way may use the other one (RFC 9112 §3.2). */
export function refuseSeveralHosts({
  message,
}: {
  readonly message: Pick<IncomingMessage, 'rawHeaders'>;
}): Reply | undefined {
  if (!standsTwice(message.rawHeaders, 'host')) return undefined;
  return withHeaders(refusalReply(httpRefusals.several_hosts), { Connection: 'close' });
}

/**
 * Rejects credentials that were sent twice. Otherwise a client that means the second ones would get no error (RFC 9110
 * §5.3, RFC 6749 §2.3).
 */
export function refuseSeveralAuthorizations({ message: { headers, rawHeaders } }: Exchange): Reply | undefined {
  if (headers.authorization === undefined || !standsTwice(rawHeaders, 'authorization')) return undefined;
  return refusalReply(httpRefusals.several_authorizations);
}

function standsTwice(rawHeaders: readonly string[], searched: string): boolean {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === searched.length && name.toLowerCase() === searched) times += 1;
  }
  return times > 1;
}
