// Stage 0: a request that names two hosts means neither for sure; every reader on its way may take the other one
// (RFC 9112 §3.2).
import type { IncomingMessage } from 'node:http';
import { json, type Reply } from '../reply.ts';

export function refuseSeveralHosts({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): Reply | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts < 2) return undefined;
  const error_description = 'The request has several Host headers; send one.';
  return json(400, { error: 'invalid_request', error_description }, { Connection: 'close' });
}
