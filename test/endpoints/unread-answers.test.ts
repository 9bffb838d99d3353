// Clients that request large responses and do not read them.
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { rawRequest } from '#test/support/http.ts';
import { until, workerPid } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';

const megabytes = (count: number) => count * 1024 * 1024;

describe('unread responses', () => {
  let idp: RunningIdp;
  const clients: Socket[] = [];

  before(async () => {
    // Too small to hold all responses that the clients below request.
    idp = await startIdp({ env: { NODE_OPTIONS: '--max-old-space-size=200' } });
    const parameters = Array.from({ length: 40 }, (_, index): [string, string] => [`p${index}`, 'x'.repeat(800)]);
    const body = new URLSearchParams([['grant_type', 'client_credentials'], ...parameters]).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    for (let sent = 0; sent < 320; sent += 16) {
      const each = () => rawRequest(`${idp.baseUrl}/token`, { method: 'POST', headers, body });
      await Promise.all(Array.from({ length: 16 }, each));
    }
  });
  after(async () => {
    for (const client of clients) client.destroy();
    await idp.stop();
  });

  const read = () => rawRequest(`${idp.baseUrl}/api/exchanges?limit=1000`);

  it('are sent in pieces on a limited number of connections, and further clients must retry', async () => {
    const whole = await read();
    expect(whole.status).to.equal(200);
    expect(JSON.parse(whole.body).count).to.equal(320);
    expect(whole.body.length).to.be.above(megabytes(8));
    const worker = workerPid(idp, 'oidc');
    const { port } = new URL(idp.baseUrl);
    const ask = `GET /api/exchanges?limit=1000 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    let begun = 0;
    for (let count = 0; count < 60; count += 1) {
      const client = connect(Number(port), '127.0.0.1');
      client
        .on('error', () => {})
        .once('readable', () => {
          begun += 1;
        });
      client.write(ask.repeat(3));
      clients.push(client);
    }
    await until('the first ones are answered', () => begun >= 16);
    const busy = await read();
    expect([busy.status, JSON.parse(busy.body).error]).to.deep.equal([503, 'large_reads_busy']);
    expect(busy.headers['retry-after']).to.equal('5');
    expect((await rawRequest(`${idp.baseUrl}/health`)).status).to.equal(200);
    expect(workerPid(idp, 'oidc'), 'no worker ran out of memory').to.equal(worker);
    for (const client of clients.splice(0)) client.destroy();
    const after = await until('a slot is free', async () => {
      const answer = await read();
      return answer.status === 200 && answer;
    });
    expect(after.body).to.equal(whole.body);
  });
});
