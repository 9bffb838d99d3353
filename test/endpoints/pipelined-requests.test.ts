// Several requests on one connection in one packet: each sees the effect of the previous one (RFC 9112 §9.3.2).
import { expect } from 'chai';
import { noFaults, setFault } from '#test/support/faults.ts';
import { basic, rawText } from '#test/support/http.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';

const users = '/api/runtime/users';
const json = { 'Content-Type': 'application/json' };
const withCredentials = {
  Authorization: basic('web', 'web-secret'),
  'Content-Type': 'application/x-www-form-urlencoded',
};

function request(method: string, path: string, headers: Record<string, string> = {}, body = ''): string {
  const lines = { Host: '127.0.0.1', ...headers, ...(body !== '' && { 'Content-Length': String(body.length) }) };
  const head = Object.entries(lines).map((line) => `${line.join(': ')}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`;
}

const create = (username: string, headers = {}) =>
  request('POST', users, { ...json, ...headers }, JSON.stringify({ username, password: 'x' }));
const show = (username: string) => request('GET', `${users}/${username}`);
const token = () => request('POST', '/token', withCredentials, 'grant_type=client_credentials');
const mcpHeaders = { ...json, Accept: 'application/json, text/event-stream' };
const callTool = (url: string, name: string, args: object) =>
  request(
    'POST',
    '/mcp',
    { ...mcpHeaders, Host: new URL(url).host },
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  );

const random = seededRandom();

describe(`pipelined requests (SEED=${random.seed})`, () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp();
  });
  afterEach(() => noFaults(idp));
  after(() => idp.stop());

  /** The statuses of all responses in order, including interim ones. */
  async function statuses(...requests: string[]): Promise<number[]> {
    const text = await rawText(idp.baseUrl, requests.join(''));
    return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  it('are handled in order', async () => {
    const remove = request('DELETE', `${users}/ann`);
    const head = request('HEAD', `${users}/ann`);
    expect(await statuses(create('ann'), show('ann'))).to.deep.equal([201, 200]);
    expect(await statuses(remove, show('ann'), create('ann'), head, create('ann'))).to.deep.equal([
      ...[200, 404, 201, 200, 409],
    ]);
    expect(await statuses(head, remove, head, show('ann'))).to.deep.equal([200, 200, 404, 404]);
  });

  it('in any mix are handled one after the other', async () => {
    const methods = ['POST', 'DELETE', 'GET', 'HEAD'];
    for (let round = 0; round < 20; round += 1) {
      let exists = false;
      const [requests, expected]: [string[], number[]] = [[], []];
      for (let count = 0; count < 40; count += 1) {
        const method = methods[random.integer(0, 3)] ?? 'GET';
        requests.push(method === 'POST' ? create(`u${round}`) : request(method, `${users}/u${round}`));
        if (method === 'POST') expected.push(exists ? 409 : 201);
        else expected.push(exists ? 200 : 404);
        if (method === 'POST' || method === 'DELETE') exists = method === 'POST';
      }
      expect(await statuses(...requests)).to.deep.equal(expected);
    }
  });

  it('with Expect: 100-continue are handled in order', async () => {
    const expecting = { Expect: '100-continue' };
    expect(await statuses(create('exa', expecting), show('exa'))).to.deep.equal([100, 201, 200]);
    expect(await statuses(show('exb'), create('exb', expecting), show('exb'))).to.deep.equal([404, 100, 201, 200]);
  });

  it('after a malformed one are not handled', async () => {
    expect(await statuses('GET nowhere\r\n\r\n', create('mal'))).to.deep.equal([400]);
    expect(await statuses(show('mal'))).to.deep.equal([404]);
  });

  it('before a malformed one are answered', async () => {
    expect(await statuses(create('bef'), show('bef'), 'GET nowhere\r\n\r\n')).to.deep.equal([201, 200, 400]);
  });

  it('after Connection: close are not handled', async () => {
    expect(await statuses(create('cla', { Connection: 'close' }), create('clb'))).to.deep.equal([201]);
    expect(await statuses(show('cla'), show('clb'))).to.deep.equal([200, 404]);
  });

  it('wait for a response that a fault delays', async () => {
    await setFault(idp, 'delay', { parameters: { ms: 200 } });
    expect(await statuses(token(), create('del'), show('del'))).to.deep.equal([200, 201, 200]);
  });

  it('after a response that a fault prevents are not handled', async () => {
    await setFault(idp, 'hang', { parameters: { seconds: 1 } });
    expect(await statuses(token(), create('han'))).to.deep.equal([]);
    await setFault(idp, 'reset_connection');
    expect(await statuses(token(), create('han')).catch(({ code }) => code)).to.equal('ECONNRESET');
    expect(await statuses(show('han'))).to.deep.equal([404]);
  });

  it('to the SAML front end and to the API are handled in order', async () => {
    const query = request('POST', '/saml/attribute-query', { 'Content-Type': 'text/xml' }, '<unreadable/>');
    await idp.api('DELETE', '/api/audit');
    const text = await rawText(idp.baseUrl, query + request('GET', '/api/audit'));
    expect(text)
      .to.match(/^HTTP\/1\.1 [45]\d\d /)
      .and.contain('"endpoint":"/saml/attribute-query"');
  });

  it('to the MCP worker are handled in order', async () => {
    const url = idp.mcpUrl ?? expect.fail('the ready line names no mcp_url');
    const text = await rawText(
      new URL(url).origin,
      callTool(url, 'create_user', { username: 'mcp', password: 'x' }) + callTool(url, 'list_users', {}),
    );
    const [, created = '', listed] = text.split('HTTP/1.1 200 OK');
    expect(created).to.contain('"structuredContent":{"success":true,').and.not.contain('isError');
    expect(listed).to.contain('\\"username\\":\\"mcp\\"');
  });
});
