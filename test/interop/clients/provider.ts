// The identity provider for the clients: the shipped files, and a proxy that records each request and passes it on
// unchanged. The issuer follows the request, so that the proxy's address is the issuer.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as plainRequest, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, request as secureRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parseDocument } from 'yaml';
import { repositoryRoot } from '#test/support/source-text.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { type ProviderName, providers } from './client-rows.ts';

export interface SeenRequest {
  readonly path: string;
  /** The parameters of the query and of a form body. */
  readonly parameters: URLSearchParams;
  readonly authorization: string | undefined;
}

export interface Provider {
  readonly issuer: string;
  /** The certificate authority to trust, with TLS. */
  readonly authorityFile: string | undefined;
  /** Returns the requests since the last call. */
  takeSeen(): readonly SeenRequest[];
  stop(): Promise<void>;
}

export async function startProvider(name: ProviderName): Promise<Provider> {
  const { over, set = {}, setUsers = {} } = providers[name];
  const root = mkdtempSync(join(tmpdir(), 'test-idp-clients-'));
  cpSync(join(repositoryRoot, 'config'), join(root, 'config'), { recursive: true });
  change(join(root, 'config', 'settings.yaml'), set);
  change(join(root, 'config', 'users.yaml'), setUsers);
  const idp = await startIdp({ root, args: over === 'https' ? ['--tls'] : [] });
  const target = new URL(idp.baseUrl);
  const ca = idp.caFile === undefined ? undefined : readFileSync(idp.caFile);
  let seen: SeenRequest[] = [];

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    seen.push(seenRequest(incoming, body));
    const { hostname, port } = target;
    const options = { hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers };
    const onwards = ca === undefined ? plainRequest(options) : secureRequest({ ...options, ca });
    onwards.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    onwards.on('error', () => response.destroy());
    onwards.end(body);
  }

  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    pass(incoming, response).catch(() => response.destroy());
  };
  const pem = (name: string) => readFileSync(join(root, 'keys', name));
  const front =
    ca === undefined
      ? createServer(handle)
      : createSecureServer({ cert: pem('tls-cert.pem'), key: pem('tls-key.pem') }, handle);
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return {
    issuer: `${over}://127.0.0.1:${(front.address() as AddressInfo).port}`,
    authorityFile: idp.caFile,
    takeSeen() {
      const taken = seen;
      seen = [];
      return taken;
    },
    async stop() {
      front.closeAllConnections();
      front.close();
      await idp.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Sets the values in `set` by the path of their key. */
function change(file: string, set: Readonly<Record<string, unknown>>): void {
  const document = parseDocument(readFileSync(file, 'utf8'));
  for (const [path, value] of Object.entries(set)) document.setIn(path.split('.'), value);
  writeFileSync(file, document.toString());
}

function seenRequest({ url, headers }: IncomingMessage, body: Buffer): SeenRequest {
  const { pathname, searchParams } = new URL(url ?? '/', 'http://front');
  const form = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ? body.toString() : '';
  const parameters = new URLSearchParams([...searchParams, ...new URLSearchParams(form)]);
  return { path: pathname, parameters, authorization: headers.authorization };
}
