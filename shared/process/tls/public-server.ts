// The server at the public address. With TLS one port serves both protocols. The first byte of a connection shows
// whether it begins a handshake (RFC 8446 §5.1: content type 22) or a plain request, which http-on-tls-port.ts handles
// (TLS-09).
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { idleMillisecondsMax } from '#shared/process/worker/listen-here.ts';
import type { ServerTls } from '#shared/state/tls/open-server-tls.ts';
import type { ServerCertificate } from '#shared/state/tls/server-certificate.ts';
import { plainRequests } from './http-on-tls-port.ts';

const handshakeContentType = 22;

/**
 * A connection that sends nothing, or never completes its handshake, is closed after both times at the latest (TLS-14).
 */
const firstByteMilliseconds = 4_000;
const handshakeMilliseconds = 5_000;

/**
 * A server behind the OIDC worker, which has already rejected HTTP/1.1 requests without Host. An HTTP/1.0 request needs
 * no Host (RFC 9112 §3.2), and arrives here as HTTP/1.1.
 */
export function createRelayedServer(listener: RequestListener): Server {
  return createServer({ keepAliveTimeout: idleMillisecondsMax, requireHostHeader: false }, listener);
}

export function createPublicServer(listener: RequestListener, tls: ServerTls | undefined): Server {
  const kept = { keepAliveTimeout: idleMillisecondsMax };
  if (tls === undefined) return createServer(kept, listener);
  const server = createTlsServer(
    {
      ...contextOf(tls.certificate),
      ...kept,
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: handshakeMilliseconds,
      // The same as for a plain server.
      ...{ allowHalfOpen: true, noDelay: true },
    },
    listener,
  );
  tls.onRenewed((certificate) => server.setSecureContext(contextOf(certificate)));

  // A client that closes during the handshake, for example because it does not trust the certificate, has left. After
  // the handshake a client may close its own half and still read, as on a plain server.
  server.prependListener('secureConnection', (socket) => {
    socket.allowHalfOpen = true;
  });

  const plain = createServer(plainRequests(listener));
  const [beginHandshake, ...others] = server.listeners('connection');
  if (beginHandshake === undefined || others.length > 0)
    throw new Error('this version of Node.js has an unsupported kind of TLS server');
  server.removeAllListeners('connection');
  /** Connections whose protocol is not known yet, and plain ones, which each get one response. */
  const passing = new Set<Socket>();

  server.on('connection', (socket: Socket) => {
    passing.add(socket);
    const isSilent = setTimeout(() => socket.destroy(), firstByteMilliseconds);
    const gone = () => socket.destroy();
    socket.on('error', gone).on('end', gone);
    socket.once('close', () => {
      clearTimeout(isSilent);
      passing.delete(socket);
    });
    socket.once('data', (chunk: Buffer) => {
      socket.off('error', gone).off('end', gone);
      socket.pause();
      socket.unshift(chunk);
      if (chunk[0] === handshakeContentType) {
        clearTimeout(isSilent);
        passing.delete(socket);
        socket.allowHalfOpen = false;
        beginHandshake.call(server, socket);
      } else {
        plain.emit('connection', socket);
        socket.resume();
      }
    });
  });
  return alsoClosing(server, passing);
}

/** When the server closes, also closes the connections that never reached a request of its own. */
function alsoClosing(server: Server, passing: ReadonlySet<Socket>): Server {
  const closeIdle = server.closeIdleConnections.bind(server);
  const closeAll = server.closeAllConnections.bind(server);
  const closePassing = () => {
    for (const socket of [...passing]) socket.destroy();
  };
  server.closeIdleConnections = () => {
    closeIdle();
    closePassing();
  };
  server.closeAllConnections = () => {
    closeAll();
    closePassing();
  };
  return server;
}

/** All TLS 1.3 ciphers of Node.js, and the TLS 1.2 ciphers that BCP 195 recommends (RFC 9325 §4.2). */
const cipherSuites = [
  ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
].join(':');

function contextOf({ certificatePem, keyPem }: ServerCertificate) {
  return { cert: certificatePem, key: keyPem, minVersion: 'TLSv1.2', ciphers: cipherSuites } as const;
}
