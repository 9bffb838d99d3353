// The private header by which the door tells the SAML frontend who is calling. It is believed on the stack's private
// socket only; the relay replaces whatever the outside sent under that name (SUP-02).
import type { IncomingMessage } from 'node:http';

export const relayedPeerHeader = 'x-test-idp-peer';

/** The address of the peer: of the client, also when the request came through the relay (`behindDoor`). */
export function peerAddress(request: IncomingMessage, behindDoor: boolean): string | undefined {
  if (!behindDoor) return request.socket.remoteAddress;
  const relayed = request.headers[relayedPeerHeader];
  return typeof relayed === 'string' && relayed !== '' ? relayed : undefined;
}
