// The private headers by which the OIDC worker passes the client's address and protocol to the SAML front end. They are
// trusted on the stack's private socket only. The relay replaces headers that clients send under those names (SUP-02,
// TLS-13).
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

export const relayedPeerHeader = 'x-test-idp-peer';
export const relayedSchemeHeader = 'x-test-idp-scheme';

export interface Connection {
  readonly scheme: 'http' | 'https';
  /** The address of the peer. */
  readonly peerAddress: string | undefined;
}

/** The connection of the client, even if the request came through the relay (`behindDoor`). */
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

/** The headers that the client itself sent, without those that the relay added. */
export function headersOfClient(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (headers[relayedSchemeHeader] === undefined) return headers;
  // The relay removes the client's Connection header, so this one is the relay's own.
  const { [relayedPeerHeader]: _, [relayedSchemeHeader]: __, connection: ___, ...ownHeaders } = headers;
  return ownHeaders;
}
