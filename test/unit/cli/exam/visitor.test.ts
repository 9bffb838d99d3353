import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { scriptlessVisitor } from '#cli/exam/scriptless-visitor.ts';
import { type MetadataHost, startMetadataHost } from '#test/support/metadata-host.ts';
import { createTestAuthority } from '#test/support/test-authority.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a visitor without JavaScript', () => {
  let plain: Server;
  let secure: MetadataHost;
  let base: string;
  before(async () => {
    secure = await startMetadataHost(await createTestAuthority(), ['localhost']);
    plain = createServer(answer);
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`;
    secure.answer = (request, response) => {
      const form = `<form method="post" action="${base}/callback"><input type="hidden" name="code" value="c&amp;d"></form>`;
      response
        .writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': 'there=1' })
        .end(`${form}<p>${request.headers.cookie ?? 'no cookie'}</p><script>document.forms[0].submit()</script>`);
    };
  });
  after(async () => {
    plain.closeAllConnections();
    await new Promise((resolve) => plain.close(resolve));
    await secure.close();
  });

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname } = new URL(request.url ?? '/', base);
    switch (pathname) {
      case '/login':
        response.writeHead(302, {
          Location: `https://localhost:${secure.port}/authorize`,
          'Set-Cookie': ['login=1; Path=/callback', 'seen=1; Path=/'],
        });
        return response.end();
      case '/callback': {
        const pieces: Buffer[] = [];
        for await (const piece of request) pieces.push(piece);
        const received = `${request.method} ${Buffer.concat(pieces)} ${request.headers.cookie}`;
        return response.writeHead(303, { Location: `/home?said=${encodeURIComponent(received)}#top` }).end();
      }
      case '/home':
        response.writeHead(200, { 'Content-Type': 'text/html' });
        return response.end(
          `<p>${new URL(request.url ?? '', base).searchParams.get('said')}; ${request.headers.cookie}`,
        );
      case '/circle':
        return response.writeHead(302, { Location: '/circle' }).end();
      case '/closes':
        return request.socket.destroy();
    }
  }

  const go = async (path: string, insecure = true, timeoutMilliseconds = 5000) => {
    const { signal } = new AbortController();
    const person = { username: 'alice', password: 'p' };
    const visitor = scriptlessVisitor({ instance: new Set(), person, timeoutMilliseconds, insecure, signal });
    return await (await visitor.begin()).go(new URL(path, base));
  };

  verifies('EXM-17', 'follows redirects and forms across hosts with its cookies, over http and https', async () => {
    const arrival = await go('/login');
    if (arrival.end !== 'page') throw new Error(arrival.end);
    expect(arrival.page.text).to.equal('POST code=c%26d login=1; seen=1; seen=1');
    expect([arrival.page.url.pathname, arrival.page.url.hash]).to.deep.equal(['/home', '']);
    expect(arrival.page.cookieNames).to.deep.equal(['seen']);
    expect(secure.requests.at(-1)?.headers.cookie).to.equal(undefined);
  });

  verifies('EXM-17', 'follows at most 30 redirects', async () => {
    expect(await go('/circle')).to.deep.include({ end: 'stuck', reason: 'more than 30 redirects' });
  });

  verifies('EXM-01', 'verifies certificates without --insecure', async () => {
    expect(await go('/login', false)).to.deep.include({
      ...{ end: 'closed', at: 'client', cause: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    });
  });

  verifies('EXM-12', 'distinguishes a closed connection from a missing response', async () => {
    expect(await go('/closes')).to.deep.include({ end: 'closed', at: 'client' });
    expect(await go('/silent', true, 200)).to.deep.include({ end: 'late', at: 'client' });
  });
});
