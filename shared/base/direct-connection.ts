// Connections that nothing in the process can get between. Libraries that intercept the requests of a test replace the
// functions of node:http or the connect of every socket; what is kept here was taken when the program was loaded, before
// they begin (API-34).
import { isIP, Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';

const connect: (this: Socket, options: TcpNetConnectOpts) => Socket = Socket.prototype.connect;

/** As net.connect does; errors come as events. */
export function connectDirectly(options: TcpNetConnectOpts): Socket {
  const socket = new Socket();
  Reflect.apply(connect, socket, [options]);
  return socket;
}

/** Connects directly, with TLS above the connection. */
export function connectDirectlyWithTls(options: TcpNetConnectOpts & { readonly host: string }): Socket {
  const { host } = options;
  // An IP address is no server name (RFC 6066 §3), and the certificate has to be its own all the same.
  return connectTls({ socket: connectDirectly(options), host, servername: isIP(host) === 0 ? host : '' });
}
