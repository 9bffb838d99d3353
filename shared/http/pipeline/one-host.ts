// A request that names two hosts means neither for sure; every reader on its way may take the other one (RFC 9112 §3.2).
import type { IncomingMessage } from 'node:http';
import { httpRefusals } from '#shared/refusals/families/http.ts';
import { refusalReply } from '../refusal-reply.ts';
import { type Reply, withHeaders } from '../reply.ts';

export function refuseSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): Reply | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts < 2) return undefined;
  return withHeaders(refusalReply(httpRefusals.several_hosts), { Connection: 'close' });
}
