// A host of a service provider: its metadata, or its SOAP logout endpoint. It stores its requests.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface XmlHost {
  /** Without a path. */
  readonly address: string;
  readonly port: number;
  readonly requests: { readonly url: string; readonly soapAction: string | undefined; readonly body: string }[];
  close(): Promise<void>;
}

/** `answer` is called once the whole request has arrived. */
export async function startXmlHost(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<XmlHost> {
  const requests: XmlHost['requests'] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const { soapaction } = request.headers;
      requests.push({
        url: request.url ?? '',
        soapAction: soapaction === undefined ? undefined : String(soapaction),
        body,
      });
      response.setHeader('Content-Type', 'text/xml');
      answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ address: `http://127.0.0.1:${port}`, port, requests },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
