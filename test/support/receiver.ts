// A page of somebody else's on another origin, to which the program under test sends a browser: an application's redirect
// URI, a service provider's ACS.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Receiver {
  readonly address: string;
  /** What comes next; what a form brought stands in the query, too. */
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
      // A browser also asks for an icon.
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
