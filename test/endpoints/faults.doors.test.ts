// Other ways to set faults: settings.yaml, the settings of a sandbox, and the page.
import { expect } from 'chai';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { faultOf, noFaults, setFault } from '#test/support/faults.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

const jwks = '/.well-known/jwks.json';

describe('faults set outside /api/faults', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'instance' });
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  const listed = async () => (await idp.api('GET', '/api/faults')).body.faults;

  verifies(['FLT-32', 'FLT-33'], 'come from settings.yaml, and a reload keeps unchanged ones', async () => {
    const fault = (name: string, more: object = {}) => ({ fault: name, at: 'jwks', times: 3, ...more });
    await idp.configure({ settings: { faults: [fault('status', { parameters: { status: 503 } })] } });
    expect((await call(idp, jwks)).status).to.equal(503);
    const [declared] = await listed();
    expect(declared).to.deep.include({ origin: 'declared', hits: 1, remaining: 2, parameters: { status: 503 } });
    const removal = await idp.api('DELETE', `/api/faults/${declared.id}`);
    expect([removal.status, removal.body.kind]).to.deep.equal([409, 'declared']);
    expect(removal.body.error).to.contain('settings.yaml').and.contain('sandbox');
    await idp
      .configure({
        settings: { faults: [fault('jwks_wrong', {}), fault('status', { parameters: { status: 503 } })] },
      })
      .then(
        () => expect.fail('loaded'),
        () => undefined,
      );
    expect((await idp.api('POST', '/api/config/reload')).body.error).to.contain('Unknown fault "jwks_wrong"');
    await idp.configure({ settings: { faults: [fault('status', { parameters: { status: 503 } }), fault('delay')] } });
    const kept = await listed();
    expect(kept.map(({ id, hits }: { id: string; hits: number }) => [id === declared.id, hits])).to.deep.equal([
      [true, 1],
      [false, 0],
    ]);
    await idp.configure({ settings: {} });
    expect(await listed()).to.deep.equal([]);
    expect((await call(idp, jwks)).status).to.equal(200);
  });

  it('fail the load for an unknown member of a configured fault', async () => {
    const load = idp.configure({ settings: { faults: [{ fault: 'status', mood: 1 }] } });
    expect(
      await load.then(
        () => 'loaded',
        () => 'refused',
      ),
    ).to.equal('refused');
    expect((await idp.api('POST', '/api/config/reload')).body.error)
      .to.contain('Unknown')
      .and.contain('"mood"');
    await idp.configure();
  });

  it("come from a sandbox's settings at its start, and again after a reset", async () => {
    const settings = { faults: [{ fault: 'status', at: 'jwks' }] };
    expect((await idp.api('POST', '/api/sandboxes', { name: 'ill', settings })).status).to.equal(201);
    expect((await call(idp, `/s/ill${jwks}`)).status).to.equal(500);
    expect((await call(idp, `/s/ill${jwks}`)).status).to.equal(200);
    expect((await call(idp, jwks)).status).to.equal(200);
    expect((await idp.api('POST', '/api/sandboxes/ill/reset')).status).to.equal(200);
    expect((await call(idp, `/s/ill${jwks}`)).status).to.equal(500);
    expect((await idp.api('DELETE', '/api/sandboxes/ill')).status).to.equal(200);
  });

  verifies('FLT-36', 'are set, listed and removed on the page without a script', async () => {
    const browser = newBrowser(idp);
    const catalogue = await browser.get('/faults');
    expect(catalogue.text).to.contain('No faults').and.to.contain('Token response').and.to.contain('slow_drip');
    const form = await browser.get('/faults?fault=status');
    for (const page of [catalogue, form]) {
      expect(page.body).to.contain('has the status <code>status</code> and the error <code>server_error</code>');
    }
    const refused = await browser.submit(form, { 'parameter.status': '200', client_id: 'web' });
    expect([refused.status, refused.text.includes('parameters.status')]).to.deep.equal([400, true]);
    expect(await listed()).to.deep.equal([]);
    const set = await browser.submit(refused, { 'parameter.status': '503', client_id: '', at: 'jwks', times: '0' });
    const page = await browser.get(set.location ?? '');
    expect(page.text).to.contain('The fault status was set.').and.to.contain('no limit');
    expect((await call(idp, jwks)).status).to.equal(503);
    const [made] = await listed();
    expect(made).to.deep.include({ at: ['jwks'], when: {}, remaining: null, parameters: { status: 503 } });
    await setFault(idp, 'delay', { when: { username: 'alice', header: { name: 'X-Mark' } } });
    expect((await browser.get('/faults')).text)
      .to.contain('username alice')
      .and.to.contain('header X-Mark');
    await browser.submit(await browser.get('/faults'), { id: made.id });
    expect(await listed()).to.have.length(1);
    const all = (await browser.get('/faults')).forms.find(
      ({ action, fields }) => /delete$/.test(action) && fields.length === 0,
    );
    await browser.post(all?.action ?? '');
    expect(await listed()).to.deep.equal([]);
  });

  verifies('FLT-31', 'are readable without credentials in the list, and protected against writes', async () => {
    const foreign = { Origin: 'https://elsewhere.example', 'Sec-Fetch-Site': 'cross-site' };
    expect((await idp.api('POST', '/api/faults', { fault: 'status' }, foreign)).status).to.equal(403);
    expect((await idp.api('DELETE', '/api/faults', undefined, foreign)).status).to.equal(403);
    const header = { name: 'Authorization', value: 'Bearer hush' };
    const made = await setFault(idp, 'status', { when: { header } });
    expect(JSON.stringify(made)).not.to.contain('hush');
    expect(JSON.stringify(await listed())).not.to.contain('hush');
    expect((await browserPage(idp)).includes('hush')).to.equal(false);
    expect(await faultOf(idp, made)).to.deep.include({ when: { header: { name: 'Authorization' } } });
  });
});

async function browserPage(idp: RunningIdp): Promise<string> {
  return (await newBrowser(idp).get('/faults')).body;
}
