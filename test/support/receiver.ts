// A page on another origin to which the program under test sends a browser: an application's redirect URI, or a service
// provider's ACS.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Receiver {
  readonly address: string;
  /** The next request. The fields of a form are in the query too. */
  received(): Promise<URL>;
  close(): void;
}

export async function startReceiver(path: string): Promise<Receiver> {
  let arrived: (url: URL) => void = () => {};
  let next: Promise<URL>;
  const wait = () => {
    next = new Promise((resolve) => {
      arrived = resolve;
    });
  };
  wait();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', address);
      // A browser also requests an icon.
      if (url.pathname === path) {
        if (request.method === 'POST') url.search = Buffer.concat(chunks).toString('utf8');
        arrived(url);
        wait();
      }
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>receiver</title>welcome back');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  return {
    address,
    received: () => next,
    close: () => void server.close(),
  };
}
