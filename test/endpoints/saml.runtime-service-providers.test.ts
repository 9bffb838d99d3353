// Service providers that are created at run time by REST.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { authnRequest, delivered, redirectQuery, signedQuery } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { spMetadata } from '#test/support/saml/sp-metadata.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

const list = '/api/runtime/service-providers';
const declared = 'https://declared.example';
const made = 'https://made.example';
const one = (name: string) => `${list}/${encodeURIComponent(name)}`;

describe(list, () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  let key: SigningKey;
  before(async () => {
    key = await signingKey('sp');
    idp = await startIdp({
      world: saml,
      settings: { saml: { service_providers: [{ entity_id: declared, acs: `${declared}/acs` }] } },
    });
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());
  afterEach(() => idp.api('DELETE', '/api/runtime'));

  const create = (body: unknown, query = '') => idp.api('POST', `${list}${query}`, JSON.stringify(body));
  const answerTo = async (xml: string) => delivered(await alice.get(`/saml/sso?${redirectQuery(xml)}`));

  verifies(
    'SPM-23',
    'creates service providers from members or metadata that work at once, until they are deleted',
    async () => {
      const { status, body } = await create({ entity_id: made, acs: `${made}/acs`, sign: 'both', title: '${HOME}' });
      expect(status).to.equal(201);
      expect([body.entity_id, body.origin, body.sign, body.title]).to.deep.equal([made, 'runtime', 'both', '${HOME}']);
      expect(body.instance_id).to.match(/^[\w-]{22}$/);
      expect((await idp.api('GET', one(made))).body).to.deep.equal(body);
      const metadata = spMetadata({ signing: key.certificatePem, roleAttributes: ' AuthnRequestsSigned="true"' });
      const described = await create({ metadata, title: 'Described' });
      expect([described.status, described.body.entity_id, described.body.want_signed_requests]).to.deep.equal([
        201,
        'https://sp.example',
        true,
      ]);
      const all = (await idp.api('GET', list)).body;
      expect([all.count, all.service_providers.map((each: { entity_id: string }) => each.entity_id)]).to.deep.equal([
        2,
        [made, 'https://sp.example'],
      ]);
      const origins = (await idp.api('GET', '/api/service-providers')).body.service_providers;
      expect(origins.map((each: { origin: string }) => each.origin)).to.deep.equal(['declared', 'runtime', 'runtime']);

      const request = authnRequest({ issuer: made, acs: undefined });
      expect((await answerTo(request)).acs).to.equal(`${made}/acs`);
      const own = authnRequest({ acs: undefined, attributes: `Destination="${idp.baseUrl}/saml/sso"` });
      expect((await alice.get(`/saml/sso?${redirectQuery(own)}`)).status).to.equal(400);
      expect(delivered(await alice.get(`/saml/sso?${signedQuery(own, key)}`)).status).to.deep.equal(['Success']);

      const events = await idp.audited(async () => {
        expect((await idp.api('DELETE', one(made))).body).to.deep.equal({ deleted: made, kind: 'service_provider' });
      });
      expect(events.map(({ event_type, details }) => [event_type, details])).to.deep.equal([
        ['runtime_identity_deleted', { kind: 'service_provider', name: made }],
      ]);
      expect((await answerTo(request)).acs).to.not.equal(`${made}/acs`);
      expect((await create({ entity_id: made, acs: `${made}/acs` })).body.instance_id).to.not.equal(body.instance_id);
    },
  );

  verifies('SPM-23', 'rejects like runtime clients: invalid, declared, exists, unloadable', async () => {
    const invalid: unknown[] = [[], null, {}, { entity_id: '' }, { entity_id: made, colour: 'red' }];
    invalid.push({ entity_id: made, metadata_file: 'sp.xml' }, { metadata: '<html/>' }, { metadata: 7 });
    invalid.push({ entity_id: made, certificates: ['sp.pem'] }, { entity_id: declared, encrypt: ['assertion'] });
    for (const body of invalid) {
      const { status, body: answer } = await create(body);
      expect([status, answer.kind], JSON.stringify(body)).to.deep.equal([400, 'invalid']);
    }
    expect((await create({ metadata: '<a>\n</b>' })).body.error).to.contain('metadata:2:');
    const conflict = async (entity_id: string) => {
      const { status, body } = await create({ entity_id });
      return [status, body.kind];
    };
    expect(await conflict(declared)).to.deep.equal([409, 'declared']);
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => create({ entity_id: made })));
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409]);
    expect(await conflict(made)).to.deep.equal([409, 'exists']);
    expect((await create({ entity_id: made }, '?replace=true')).status).to.equal(201);
    for (const name of [declared, 'https://nobody.example']) {
      expect((await idp.api('GET', one(name))).status).to.equal(404);
      expect((await idp.api('DELETE', one(name))).body.kind).to.equal('not_found');
    }
    for (const method of ['PUT', 'PATCH']) expect((await idp.api(method, one(made), '{}')).status).to.equal(405);
  });

  verifies('SPM-23', 'deletes them on reset with their number, and replaces them by a declaration', async () => {
    await create({ entity_id: made, acs: `${made}/acs` });
    expect((await idp.api('DELETE', '/api/runtime')).body).to.deep.equal({
      users_deleted: 0,
      clients_deleted: 0,
      service_providers_deleted: 1,
    });
    expect((await idp.api('DELETE', '/api/runtime')).body.service_providers_deleted).to.equal(0);
    await create({ entity_id: made, acs: `${made}/acs` });
    const events = await idp.audited(() =>
      idp.configure({ settings: { saml: { service_providers: [{ entity_id: made, acs: `${made}/declared` }] } } }),
    );
    expect(events.map(({ event_type }) => event_type)).to.include('runtime_identity_removed_on_reload');
    expect((await answerTo(authnRequest({ issuer: made, acs: undefined }))).acs).to.equal(`${made}/declared`);
    await idp.configure({ settings: {} });
    expect((await idp.api('DELETE', '/api/runtime')).body).to.deep.equal({ users_deleted: 0, clients_deleted: 0 });
    writeFileSync(join(idp.configDirectory, 'settings.yaml'), 'oauth: [');
    const refused = await create({ entity_id: made });
    expect([refused.status, refused.body.error]).to.deep.equal([503, 'configuration_unloadable']);
    await idp.configure({ settings: {} });
  });
});
