// Connections that test libraries cannot intercept. Such libraries replace the functions of node:http or the connect
// method of every socket. This module captures the originals when the program is loaded, before a library replaces them
// (API-34).
import { isIP, Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';

const connect: (this: Socket, options: TcpNetConnectOpts) => Socket = Socket.prototype.connect;

/** Like net.connect. Errors are emitted as events. */
export function connectDirectly(options: TcpNetConnectOpts): Socket {
  const socket = new Socket();
  Reflect.apply(connect, socket, [options]);
  return socket;
}

/** Connects directly, with TLS on top. */
export function connectDirectlyWithTls(options: TcpNetConnectOpts & { readonly host: string }): Socket {
  const { host } = options;
  // An IP address is not a valid server name (RFC 6066 §3), but the certificate must still match it.
  return connectTls({ socket: connectDirectly(options), host, servername: isIP(host) === 0 ? host : '' });
}
