// The private headers by which the door tells the SAML frontend who is calling, and over what. They are believed on the
// stack's private socket only; the relay replaces whatever the outside sent under those names (SUP-02, TLS-13).
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

export const relayedPeerHeader = 'x-test-idp-peer';
export const relayedSchemeHeader = 'x-test-idp-scheme';

export interface Connection {
  readonly scheme: 'http' | 'https';
  /** The address of the peer. */
  readonly peerAddress: string | undefined;
}

/** The connection of the client, also when the request came through the relay (`behindDoor`). */
export function connectionOf({ socket, headers }: IncomingMessage, behindDoor: boolean): Connection {
  if (!behindDoor) {
    return { scheme: socket instanceof TLSSocket ? 'https' : 'http', peerAddress: socket.remoteAddress };
  }
  const { [relayedPeerHeader]: peer, [relayedSchemeHeader]: scheme } = headers;
  return {
    scheme: scheme === 'https' ? 'https' : 'http',
    peerAddress: typeof peer === 'string' && peer !== '' ? peer : undefined,
  };
}

/** What the client itself said, also where the relay said something of its own beside it. */
export function headersOfClient(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (headers[relayedSchemeHeader] === undefined) return headers;
  // The relay lets no other connection's headers through, so that the one that is there is its own.
  const { [relayedPeerHeader]: _, [relayedSchemeHeader]: __, connection: ___, ...said } = headers;
  return said;
}
