import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { listenHere } from '#shared/process/worker/listen-here.ts';
import { baseUrlOf } from '#shared/process/worker/tcp-address.ts';
import { httpRequest, load } from '../../../bench/http-load.ts';

describe('a load', () => {
  let server: Server;
  afterEach(() => server.close());

  async function measured(milliseconds: number, times: { seconds: number; warmUpSeconds: number }) {
    server = createServer(async (_request, response) => {
      await delay(milliseconds);
      response.end('{}');
    });
    const baseUrl = baseUrlOf(await listenHere(server, { host: '127.0.0.1', port: 0 }));
    const request = httpRequest(baseUrl, { method: 'GET', path: '/' });
    return await load({ baseUrl, request, connections: 4, ...times });
  }

  it('runs until the first response arrives, and counts the time that this took', async () => {
    const { requestsPerSecond, samples, p99, errors } = await measured(150, { seconds: 0.02, warmUpSeconds: 0 });
    expect(requestsPerSecond)
      .to.be.greaterThan(0)
      .and.at.most(1000 / 149);
    expect(p99).to.be.at.least(149);
    expect(samples).to.have.length(1);
    expect(errors).to.equal(0);
  });

  it('does not count requests that were sent before the warm-up ended', async () => {
    const { requestsPerSecond, p99 } = await measured(150, { seconds: 0.02, warmUpSeconds: 0.02 });
    expect(requestsPerSecond)
      .to.be.greaterThan(0)
      .and.at.most(1000 / 149);
    expect(p99).to.be.at.least(149);
  });

  it('counts only responses that arrived within the measured seconds', async () => {
    const { requestsPerSecond, answered } = await measured(1, { seconds: 0.2, warmUpSeconds: 0 });
    const counted = Math.round(requestsPerSecond * 0.2);
    expect(answered - counted).to.be.within(0, 4);
  });
});
