// What the methods of an instance take and what they make of its answers: values of the declared types, and errors of this
// package for everything else (API-25, API-27, API-28).
import { expect } from 'chai';
import { IdpError, IdpRequestError, pemKeys, rejection, startIdp } from '#test/support/start-api.ts';
import { verifies } from '#test/support/verifies.ts';

type Idp = Awaited<ReturnType<typeof startIdp>>;

describe('answers of an instance', function () {
  this.timeout(60_000);
  let idp: Idp;
  before(async () => {
    idp = await startIdp({ keys: await pemKeys(), settings: { oauth: { dynamic_registration: { enabled: true } } } });
  });
  after(() => idp.stop());
  afterEach(() => idp.reset());

  verifies('API-25', 'the audit is filtered by status, and by nothing that is undefined', async () => {
    await idp.token();
    await rejection(idp.token({ client: { client_id: 'demo-client', client_secret: 'wrong' } }));
    const statuses = async (filter: Parameters<Idp['audit']>[0]) =>
      (await idp.audit(filter)).map(({ status }) => status);
    expect(await statuses({ event_type: 'token_request' })).to.deep.equal(['success', 'failed']);
    expect(await statuses({ event_type: 'token_request', status: 'failed' })).to.deep.equal(['failed']);
    const asked = JSON.parse('{}') as { username?: string };
    expect(await statuses({ ...{ username: asked.username }, event_type: 'token_request' } as object)).to.have.length(
      2,
    );
    const [entry] = await idp.audit();
    expect([typeof entry?.ip_address, entry?.user_agent]).to.deep.equal(['string', null]);
    expect(await idp.clock.read())
      .to.include({ moved: false })
      .and.have.property('real_now');
  });

  verifies(['API-25', 'TIM-06'], 'a clock that stands is moved by set, and goes on standing', async () => {
    await idp.clock.freeze('2031-02-03T04:05:06Z');
    expect(await idp.clock.set('2030-01-01T00:00:00Z')).to.include({ now: '2030-01-01T00:00:00.000Z', frozen: true });
    expect(await idp.clock.reset()).to.include({ moved: false });
    expect(await idp.clock.set(new Date('2030-01-01T00:00:00Z'))).to.include({ frozen: false });
  });

  verifies(['API-27', 'OAS-09'], 'operations answer what their types say, whatever form it has', async () => {
    await idp.token();
    const [flow] = await idp.flows();
    const har = await idp.api.showFlowAsHar({ id: flow?.id ?? '' });
    expect(har.log.entries.map(({ request }) => request.method)).to.deep.equal(['POST']);
    expect(await idp.api.showFlowAsMermaid({ id: flow?.id ?? '' }))
      .to.be.a('string')
      .that.includes('sequenceDiagram');
    const fault = await idp.faults.add('token_header_jku');
    await idp.token({ user: 'admin' });
    expect(await idp.api.showFaultMaterial({ id: fault.id }))
      .to.be.a('string')
      .that.includes('"keys"');
    for (const format of ['text', 'junit', 'sarif'] as const) {
      expect(await idp.api.showVerdict({ client_id: 'demo-client', format }), format).to.be.a('string');
    }
    const { client_id, registration_access_token } = await idp.api.registerClient({
      body: { redirect_uris: ['http://127.0.0.1/cb'] },
    });
    const headers = { Authorization: `Bearer ${registration_access_token}` };
    expect(await idp.api.deleteRegistration({ client_id, headers })).to.equal(undefined);
  });

  verifies('OAS-03', 'a method that is off, and a request too many, are described as they are answered', async () => {
    const { paths, components } = JSON.parse(await (await idp.fetch('/openapi.json')).text());
    const refused = await idp.fetch('/api/runtime/users/nobody', { method: 'PATCH', body: {} });
    expect([refused.status, refused.headers.get('allow')]).to.deep.equal([405, 'GET, DELETE, HEAD, OPTIONS']);
    const described = paths['/api/runtime/users/{name}'].patch.responses[405];
    expect(described).to.deep.equal({ $ref: '#/components/responses/MethodOff' });
    expect(components.responses.MethodOff.headers).to.have.property('Allow');
    expect(paths['/register'].post.responses[429].headers).to.have.property('Retry-After');
  });

  verifies('API-28', 'an answer of another form rejects with what came', async () => {
    await idp.faults.add('access_token_missing');
    const refused = await rejection(idp.token());
    if (!(refused instanceof IdpRequestError)) throw refused;
    expect([refused.kind, refused.status]).to.deep.equal(['unexpected_answer', 200]);
    expect(refused.body).to.include({ token_type: 'Bearer' });
    await idp.faults.add('html_error_page');
    expect((await rejection(idp.token())).kind).to.match(/^(?:unexpected_answer|http_\d+)$/);
  });

  verifies('API-28', 'what no method takes rejects as an error of this package', async () => {
    const wrong: Record<string, () => Promise<unknown>> = {
      'a Date that is none': () => idp.clock.set(new Date(Number.NaN)),
      'a number of milliseconds': () => idp.clock.set(Date.now() as never),
      'to stand at it': () => idp.clock.freeze({} as never),
      'no subject': () => idp.verdict(undefined as never),
      'no device': () => idp.approveDevice(undefined as never),
      'no login': () => idp.login(undefined as never),
      'no address': () => idp.login({ user: 'admin' } as never),
      'no user': () => idp.addUser(undefined as never),
      'no client': () => idp.addClient(null as never),
      'no options of token': () => idp.token(null as never),
      'no fault': () => idp.faults.add(null as never),
      'no expectation': () => idp.expect(undefined as never),
      'what is no JSON': () => idp.addUser({ username: 'x', attributes: { big: 1n } } as never),
      'no options of the start': () => startIdp(null as never),
    };
    for (const [what, call] of Object.entries(wrong)) {
      let answer: Promise<unknown> | undefined;
      expect(() => {
        answer = call();
      }, what).not.to.throw();
      expect((await rejection(answer ?? Promise.resolve())).kind, what).to.equal('invalid_option');
    }
  });

  verifies('API-28', 'an option that there is not rejects, and nothing is done without it', async () => {
    const path = '/authorize?response_type=code&client_id=demo-client&redirect_uri=http://127.0.0.1/cb';
    const strange: Record<string, () => Promise<unknown>> = {
      'Unknown option "userName" for login(). Known: url, user, browser, password, totp.': () =>
        idp.login({ url: path, user: 'admin', userName: 'bob' } as never),
      'Unknown option "decison" for approveDevice(). Did you mean "decision"?': () =>
        idp.approveDevice({ userCode: 'BBBB-BBBB', user: 'admin', decison: 'deny' } as never),
      'Unknown option "replaces" for addUser().': () => idp.addUser({ username: 'new' }, { replaces: true } as never),
      'Unknown option "replaces" for addClient().': () =>
        idp.addClient({ client_id: 'new' }, { replaces: true } as never),
      // What Array.map hands over beside the entry.
      'The argument of addUser() must be an object.': () => idp.addUser({ username: 'new' }, 0 as never),
      'The argument of listUsers() must be an object.': () => idp.api.listUsers(null as never),
      'Unknown option "clientId" for flows().': () => idp.flows({ clientId: 'web' } as never),
      'Unknown option "clientId" for audit().': () => idp.audit({ clientId: 'web' } as never),
      'Unknown option "failOn" for verdict().': () => idp.verdict({ client_id: 'web', failOn: 'error' } as never),
      'Unknown option "user" for showUser().': () => idp.api.showUser({ username: 'admin', user: 'bob' } as never),
    };
    for (const [sentence, call] of Object.entries(strange)) {
      const { kind, message } = await rejection(call());
      expect([kind, message]).to.deep.equal(['invalid_option', sentence]);
    }
    const { users } = await idp.api.listRuntimeUsers();
    expect([users, await idp.flows({ client_id: undefined } as never)].flat()).to.deep.equal([]);
  });

  describe('fetch', () => {
    verifies('API-27', 'takes headers and bodies as fetch does', async () => {
      const authorization = `Basic ${Buffer.from('demo-client:demo-secret').toString('base64')}`;
      const asked = (headers: object, body: unknown) => idp.fetch('/token', { headers: headers as Headers, body });
      const grant = new URLSearchParams({ grant_type: 'client_credentials' });
      for (const headers of [{ authorization }, new Headers({ authorization }), [['Authorization', authorization]]]) {
        expect((await asked(headers, grant)).status).to.equal(200);
      }
      const typed = { authorization, 'Content-Type': 'application/x-www-form-urlencoded' };
      const text = grant.toString();
      for (const body of [new Blob([text]), new TextEncoder().encode(text).buffer, new Blob([text]).stream()]) {
        expect((await asked(typed, body)).status).to.equal(200);
      }
      const form = new FormData();
      form.set('grant_type', 'client_credentials');
      const refused = await asked({ authorization }, form);
      const [, exchange] = [
        refused.status,
        (await idp.api.listExchanges({ endpoint: 'token', limit: 1 })).exchanges[0],
      ];
      const shown = await idp.api.showExchange({ id: exchange?.id ?? '' });
      expect(JSON.stringify(shown.request_headers)).to.include('multipart/form-data; boundary=');
    });

    verifies(
      'API-27',
      'refuses a redirect where it is asked to, ends with its signal, and refuses what has no effect',
      async () => {
        const redirected = await rejection(idp.fetch('/ui/logout', { redirect: 'error' }));
        expect(redirected).to.be.instanceOf(IdpError).with.property('kind', 'redirected');
        const reason = new Error('enough');
        const failure = (options: object) =>
          idp.fetch('/.well-known/openid-configuration', options).catch((error) => error);
        expect(await failure({ signal: AbortSignal.abort(reason) })).to.equal(reason);
        await idp.faults.add({ fault: 'delay', at: ['discovery'], parameters: { ms: 20_000 } });
        const ending = new AbortController();
        const held = failure({ signal: ending.signal });
        setTimeout(() => ending.abort(reason), 50);
        expect(await held).to.equal(reason);
        expect((await rejection(idp.fetch('/health', { cache: 'no-store' } as object))).message).to.include('cache');
      },
    );
  });
});
