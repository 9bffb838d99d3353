import { rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { rawRequest } from '#test/support/http.ts';
import { sendOneByteChunks } from '#test/support/one-byte-chunks.ts';
import { attributeQuery, enveloped } from '#test/support/saml/attribute-query.ts';
import { namespaces, only, rootOf } from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

const { protocol, soap } = namespaces;

describe('/saml/attribute-query: refusals and what is recorded', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: saml });
  });
  after(() => idp.stop());

  const send = (body: string, headers: Record<string, string> = {}) =>
    rawRequest(`${idp.baseUrl}/saml/attribute-query`, { method: 'POST', body, headers });
  const fault = async (body: string, text: RegExp, headers: Record<string, string> = {}) => {
    const { status, body: answer, headers: answered } = await send(body, headers);
    expect(status, answer).to.equal(500);
    expect(String(answered['content-type']).split(';')[0]).to.equal('text/xml');
    const root = only(rootOf(answer), soap, 'Fault');
    expect(root.getElementsByTagName('faultcode')[0]?.textContent).to.equal('soap:Client');
    expect(root.lookupNamespaceURI('soap')).to.equal(soap);
    expect(root.getElementsByTagName('faultstring')[0]?.textContent).to.match(text);
  };

  it('answers a fault and an audit event to a body in too many one-byte chunks', async () => {
    // In a whole stack the relay counts the pieces too, and rejects the body before the SAML worker has it.
    const isRelayed = process.env.TEST_IDP_IN_PROCESS === '0';
    const events = await idp.audited(async () => {
      const sent = { path: '/saml/attribute-query', count: 200_000 };
      const { status, text } = await sendOneByteChunks(idp.baseUrl, sent);
      expect(status).to.equal(400);
      expect(text).to.contain('pieces of less than 512 bytes');
      if (!isRelayed) expect(text).to.contain('soap:Client');
    });
    const recorded = events.map(({ event_type, status }) => `${event_type} ${status}`);
    if (!isRelayed) expect(recorded).to.deep.equal(['saml_attribute_query failed']);
  });

  verifies(['SAM-60', 'SAM-66'], 'what is missing is refused in order, with a fault that names it', async () => {
    const events = await idp.audited(async () => {
      await fault('not xml', /well-formed/);
      await fault('', /well-formed/);
      await fault(`${enveloped(attributeQuery())}<x>`, /well-formed/);
      await fault(`<!DOCTYPE x>${attributeQuery()}`, /well-formed/);
      await fault(enveloped(''), /AttributeQuery/);
      await fault(enveloped(attributeQuery({ id: '_foreign' }).replace(protocol, 'urn:other')), /AttributeQuery/);
      await fault(enveloped(attributeQuery({ id: '_1', subject: '' })), /Subject/);
      await fault(enveloped(attributeQuery({ id: '_2', nameId: undefined })), /NameID/);
      await fault(enveloped(attributeQuery({ id: '_3', nameId: '<a:EncryptedID/>' })), /NameID/);
      await fault(enveloped(attributeQuery({ id: '_4', nameId: '<NameID>alice</NameID>' })), /NameID/);
    });
    expect(events.map(({ event_type, status }) => `${event_type} ${status}`)).to.deep.equal(
      Array.from({ length: 10 }, () => 'saml_attribute_query failed'),
    );
    expect(events.map(({ details }) => details.request_id)).to.deep.equal([
      null,
      null,
      null,
      null,
      null,
      null,
      '_1',
      '_2',
      '_3',
      '_4',
    ]);
    for (const { details, username, endpoint, method } of events) {
      expect(Object.keys(details)).to.deep.equal(['request_id', 'content_length', 'reason', 'refusal']);
      expect([username, endpoint, method]).to.deep.equal([null, '/saml/attribute-query', 'POST']);
    }
  });

  verifies('SAM-60', 'a body in a content coding, which is none for that, is refused for it', async () => {
    await fault('\x1f\x8b', /Content-Encoding/, { 'Content-Encoding': 'gzip' });
    await fault('not xml', /well-formed/, { 'Content-Encoding': 'identity' });
  });

  verifies(['SAM-60', 'AUD-26'], 'an unexpected failure is a fault of the server without detail', async () => {
    const key = join(idp.root, 'keys', 'persistent-name-id.key');
    writeFileSync(key, 'garbage');
    // The form of a pseudonym: for everything else the key is not asked.
    const pseudonym = `_${'0a'.repeat(20)}`;
    try {
      const events = await idp.audited(async () => {
        const { status, body } = await send(enveloped(attributeQuery({ nameId: `<a:NameID>${pseudonym}</a:NameID>` })));
        expect(status).to.equal(500);
        const root = only(rootOf(body), soap, 'Fault');
        expect(root.getElementsByTagName('faultcode')[0]?.textContent).to.equal('soap:Server');
        expect(body).to.not.contain('persistent').and.to.not.contain(pseudonym);
      });
      expect(events.map(({ username, status, details }) => [username, status, Object.keys(details)])).to.deep.equal([
        [pseudonym, 'failed', ['request_id', 'content_length', 'error']],
      ]);
    } finally {
      rmSync(key);
    }
  });

  verifies('SAM-61', 'a query without envelope is refused, and its ID reaches the audit', async () => {
    const events = await idp.audited(() => fault(attributeQuery({ id: '_bare' }), /AttributeQuery/));
    expect(events.map(({ status, details }) => [status, details.request_id])).to.deep.equal([['failed', '_bare']]);
  });

  verifies(
    ['SAM-66', 'HDR-17'],
    'a body larger than 1 MiB is answered 413 and recorded, and chunked bodies are counted',
    async () => {
      const tooLong = ' '.repeat(1024 * 1024 + 1);
      const chunked = (body: string) =>
        new Promise<number>((resolve, reject) => {
          const outgoing = httpRequest(
            `${idp.baseUrl}/saml/attribute-query`,
            { method: 'POST', agent: false },
            (incoming) => {
              incoming.resume().on('end', () => resolve(incoming.statusCode ?? 0));
            },
          );
          outgoing.on('error', reject);
          for (let at = 0; at < body.length; at += 100_000) outgoing.write(body.slice(at, at + 100_000));
          outgoing.end();
        });
      const query = enveloped(attributeQuery({ id: '_c' }));
      const events = await idp.audited(async () => {
        expect((await send(tooLong)).status).to.equal(413);
        expect(await chunked(tooLong)).to.equal(413);
        expect(await chunked(query)).to.equal(200);
      });
      expect(
        events.map(({ status, details }) => [status, details.request_id, details.content_length, details.reason]),
      ).to.deep.equal([
        ['failed', null, 1024 * 1024 + 1, 'body larger than 1 MiB'],
        ['failed', null, 1024 * 1024 + 1, 'body larger than 1 MiB'],
        ['success', '_c', query.length, undefined],
      ]);
    },
  );

  verifies('SAM-67', 'a long ID is recorded shortened and answered whole', async () => {
    for (const [id, recorded] of [
      ['_'.repeat(128), '_'.repeat(128)],
      ['_'.repeat(129), `${'_'.repeat(128)}...`],
      [`_${'\u{1F600}'.repeat(200)}`, `_${'\u{1F600}'.repeat(127)}...`],
      ['x'.repeat(100_000), `${'x'.repeat(128)}...`],
    ] as const) {
      const events = await idp.audited(async () => {
        const { body } = await send(enveloped(attributeQuery({ id })));
        expect(only(rootOf(body), protocol, 'Response').getAttribute('InResponseTo')).to.equal(id);
      });
      expect(events.map(({ details }) => details.request_id)).to.deep.equal([recorded]);
    }
  });
});
