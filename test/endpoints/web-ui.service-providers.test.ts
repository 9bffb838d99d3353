// The pages of service providers: list, form, removal and the import of metadata.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { newBrowser } from '#test/support/authorization-flow.ts';
import type { Page } from '#test/support/browser-client.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { postBinding, spMetadata } from '#test/support/saml/sp-metadata.ts';
import { startXmlHost } from '#test/support/saml/xml-host.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { fileText, filledIn, follow, postForm, settingsFile } from '#test/support/web-ui.ts';
import { saml } from '#test/support/worlds.ts';

const one = 'https://one.example/?a=1&b=ü';
const described = 'https://sp.example';
const serviceProviders = `saml:
  service_providers:
    # the first one
    - entity_id: ${one}
      title: \${TITLE:One} # from outside
      acs: https://one.example/acs
      sign: both
    - metadata_file: sp.xml
      idp_initiated: false
`;

describe('web UI: service providers', () => {
  let idp: RunningIdp;
  let certificatePem: string;
  before(async () => {
    certificatePem = (await signingKey('sp')).certificatePem;
    idp = await startIdp({ world: saml });
    await fetch(`${idp.baseUrl}/api/runtime/service-providers`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ entity_id: 'urn:passing', acs: 'https://passing.example/acs' }),
    });
  });
  after(() => idp.stop());
  let usual = '';
  beforeEach(async () => {
    if (usual === '') usual = fileText(idp, 'settings');
    writeFileSync(join(idp.configDirectory, 'sp.xml'), spMetadata({ roleAttributes: ' AuthnRequestsSigned="true"' }));
    await write(`${usual}\n${serviceProviders}`);
  });

  const write = async (text: string) => {
    writeFileSync(join(idp.configDirectory, 'settings.yaml'), text);
    const answer = await fetch(`${idp.baseUrl}/api/config/reload`, { method: 'POST' });
    expect(answer.status, await answer.text()).to.equal(200);
  };
  const edit = (entityId: string) => `/service-providers/edit?${new URLSearchParams({ entity_id: entityId })}`;
  const remove = (entityId: string) => `/service-providers/delete?${new URLSearchParams({ entity_id: entityId })}`;
  const entries = () => (settingsFile(idp).saml as { service_providers: Record<string, unknown>[] }).service_providers;
  const formAt = (page: Page, path: string) => {
    const form = page.forms.find(({ action }) => new URL(action).pathname === path);
    expect(form, page.text).not.to.equal(undefined);
    return { address: form?.action ?? '', fields: filledIn(page) };
  };
  const upload = (fields: Readonly<Record<string, string>>, file?: string) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set('metadata_file', new Blob(file === undefined ? [] : [file]), file === undefined ? '' : 'sp.xml');
    return newBrowser(idp).request('/service-providers/import', { method: 'POST', body });
  };

  verifies('SPM-28', 'lists those of every origin, with runtime ones read-only', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get('/service-providers');
    expect(page.text)
      .to.include('2 declared in settings.yaml, 1 runtime')
      .and.include(`One ${one} https://one.example/acs signs both`)
      .and.include(`${described} ${described}/acs signs both signed requests only`)
      .and.match(/urn:passing runtime https:\/\/passing\.example\/acs/);
    expect(page.body)
      .to.include(escaped(edit(one)))
      .and.include(escaped(remove(described)));
    expect(page.body).not.to.include('edit?entity_id=urn%3Apassing');
    expect((await browser.get('/service-providers?q=passing')).text).not.to.include('one.example');
    expect((await browser.get('/service-providers?q=xyzzy')).text).to.include('No matching service providers');
    for (const path of [edit('urn:passing'), remove('urn:passing')]) {
      for (const answer of [await browser.get(path), await browser.post(path)]) {
        expect((await follow(browser, answer)).text).to.include('urn:passing is read-only here');
      }
    }
    expect((await follow(browser, await browser.get(edit('nobody')))).text).to.include(
      'The declared service provider nobody does not exist.',
    );
  });

  verifies('SPM-28', 'creates one with every field that works at once', async () => {
    const browser = newBrowser(idp);
    const saved = await postForm(browser, '/service-providers/create', {
      entity_id: 'urn:two',
      title: 'Two',
      acs: 'https://two.example/acs\r\nhttps://two.example/other\r\n',
      certificates: `${certificatePem.replaceAll('\n', '\r\n')}sp.pem\r\n`,
      want_signed_requests: 'true',
      sign: 'response',
      name_id_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      name_id_from: 'email',
      attributes: '[{"name": "mail", "from": "email"}]',
      attribute_services: '[{"index": 1, "attributes": ["mail"]}]',
      slo: '[{"url": "https://two.example/slo", "binding": "HTTP-Redirect"}]',
      encrypt: 'assertion, name_id',
      encryption: '{"content": "aes128-gcm"}',
      encryption_certificate: certificatePem.replaceAll('\n', '\r\n'),
      idp_initiated: 'false',
      relay_state: ' as is ',
    });
    expect(saved.status).to.equal(400);
    expect(saved.text).to.include('“certificates[1]” names a file that cannot be read (ENOENT).');
    const again = formAt(saved, '/service-providers/create');
    writeFileSync(join(idp.configDirectory, 'sp.pem'), certificatePem);
    const created = await browser.post(again.address, again.fields);
    expect((await follow(browser, created)).text).to.include('The service provider urn:two was created.');
    expect(entries()[2]).to.deep.equal({
      entity_id: 'urn:two',
      title: 'Two',
      acs: [{ url: 'https://two.example/acs' }, { url: 'https://two.example/other' }],
      certificates: [certificatePem.trim(), 'sp.pem'],
      want_signed_requests: true,
      sign: 'response',
      name_id_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      name_id_from: 'email',
      attributes: [{ name: 'mail', from: 'email' }],
      attribute_services: [{ index: 1, attributes: ['mail'] }],
      slo: [{ url: 'https://two.example/slo', binding: 'HTTP-Redirect' }],
      encrypt: ['assertion', 'name_id'],
      encryption: { content: 'aes128-gcm' },
      encryption_certificate: certificatePem.trim(),
      idp_initiated: false,
      relay_state: ' as is ',
    });
    const listed = await (await fetch(`${idp.baseUrl}/api/service-providers`)).json();
    expect(JSON.stringify(listed)).to.include('"urn:two"');
    expect(fileText(idp, 'settings')).to.include('${TITLE:One} # from outside').and.include('# the first one');
  });

  verifies('SPM-28', 'changes nothing for an unmodified form, however the entry was written', async () => {
    const browser = newBrowser(idp);
    writeFileSync(join(idp.configDirectory, 'sp.pem'), certificatePem);
    await write(`${fileText(idp, 'settings')}    - entity_id: urn:three
      acs: [{ url: https://three.example/acs, index: 7, default: true }]
      certificates: sp.pem
      name_id_format: persistent
      encrypt: []
      encryption_certificate: |
${certificatePem.replaceAll(/^/gm, '        ')}
`);
    const before = fileText(idp, 'settings');
    for (const entityId of [one, described, 'urn:three']) {
      const opened = await browser.get(edit(entityId));
      const { address, fields } = formAt(opened, '/service-providers/edit');
      const saved = await browser.post(address, fields);
      expect((await follow(browser, saved)).text).to.include('was saved');
      expect(fileText(idp, 'settings')).to.equal(before);
    }
  });

  verifies('SPM-28', 'keeps comments and placeholders on a change, and blank fields follow the metadata', async () => {
    const browser = newBrowser(idp);
    const edited = await postForm(browser, edit(one), { sign: '', relay_state: 'home' });
    expect((await follow(browser, edited)).text).to.include('was saved');
    expect(entries()[0]).to.deep.equal({
      entity_id: one,
      title: '${TITLE:One}',
      acs: 'https://one.example/acs',
      relay_state: 'home',
    });
    expect(fileText(idp, 'settings')).to.include('${TITLE:One} # from outside').and.include('# the first one');
    const page = await browser.get(edit(described));
    expect(page.text).to.include('From its metadata.').and.include('Signed requests only yes');
    await follow(browser, await postForm(browser, edit(described), { want_signed_requests: 'false' }));
    expect(entries()[1]).to.deep.equal({
      metadata_file: 'sp.xml',
      idp_initiated: false,
      want_signed_requests: false,
    });
  });

  verifies('SPM-28', 'reports mistakes at their field and keeps the typed text', async () => {
    const browser = newBrowser(idp);
    const before = fileText(idp, 'settings');
    const refusedAs = async (fields: Record<string, string>, status: number, ...said: readonly string[]) => {
      const page = await postForm(browser, '/service-providers/create', fields);
      expect(page.status, page.text).to.equal(status);
      for (const words of said) expect(page.text).to.include(words);
      return page;
    };
    await refusedAs({}, 400, 'Is missing. Write it, or name a metadata_file.');
    const page = await refusedAs({ entity_id: 'x', acs: 'nowhere', slo: '{', encrypt: 'all' }, 400, '3 fields need');
    expect(page.body).to.include('>nowhere</textarea>');
    await refusedAs({ entity_id: one }, 409, 'settings.yaml already contains this name.');
    await refusedAs({ entity_id: 'x', encrypt: 'assertion' }, 400, 'requires an encryption_certificate');
    writeFileSync(join(idp.configDirectory, 'bad.xml'), spMetadata({ consumers: '' }));
    await refusedAs(
      { metadata_file: 'bad.xml' },
      400,
      'Line 3, column 3: an AssertionConsumerService with HTTP-POST is missing',
    );
    expect(fileText(idp, 'settings')).to.equal(before);
  });

  verifies('SPM-28', 'deletes one after a question, but not from an outdated page', async () => {
    const browser = newBrowser(idp);
    const question = await browser.get(remove(one));
    expect(question.text).to.include(`Delete ${one} ?`).and.include('any unregistered service provider');
    await write(fileText(idp, 'settings').replace('the first one', 'number one'));
    const refused = await browser.submit(question);
    expect(refused.status).to.equal(409);
    const deleted = await postForm(browser, remove(one), {});
    expect((await follow(browser, deleted)).text).to.include('was deleted');
    expect(entries()).to.deep.equal([{ metadata_file: 'sp.xml', idp_initiated: false }]);
  });

  verifies('SPM-28', 'fills the form of a new one from metadata, pasted or as a file', async () => {
    const browser = newBrowser(idp);
    const metadata = spMetadata({
      entityId: 'urn:imported',
      signing: certificatePem,
      roleAttributes: ' AuthnRequestsSigned="true" WantAssertionsSigned="true"',
      consumers: `<md:AssertionConsumerService Binding="${postBinding}" Location="https://i.example/acs" index="4" isDefault="true"/>\n`,
    });
    const before = fileText(idp, 'settings');
    const pasted = await browser.submit(await browser.get('/service-providers/import'), { metadata });
    const uploaded = await upload({ metadata: '' }, `\uFEFF${metadata}`);
    for (const page of [pasted, uploaded]) {
      expect(page.status, page.text).to.equal(200);
      expect(page.text).to.include('Nothing is saved until you create it.').and.not.include('Findings');
    }
    expect(fileText(idp, 'settings')).to.equal(before);
    const { address, fields } = formAt(uploaded, '/service-providers/create');
    const created = await browser.post(address, fields);
    expect((await follow(browser, created)).text).to.include('The service provider urn:imported was created.');
    expect(entries()[2]).to.deep.equal({
      entity_id: 'urn:imported',
      acs: [{ url: 'https://i.example/acs', index: 4, default: true, binding: 'HTTP-POST' }],
      certificates: [certificatePem.trim()],
      want_signed_requests: true,
      sign: 'both',
    });
  });

  verifies('SPM-28', 'fills the form of a registered one from its metadata, beside its own values', async () => {
    const metadata = spMetadata({ entityId: one.replace('&', '&amp;') });
    const page = await upload({ metadata });
    expect(page.text).to.include('This service provider is already registered.');
    const { address, fields } = formAt(page, '/service-providers/edit');
    const browser = newBrowser(idp);
    await follow(browser, await browser.post(address, fields));
    expect(entries()[0]).to.deep.equal({
      entity_id: one,
      title: '${TITLE:One}',
      acs: [{ url: 'https://sp.example/acs', index: 0, binding: 'HTTP-POST' }],
      sign: 'both',
    });
  });

  verifies(
    'SPM-26',
    'fills the form from metadata at an address, and reports a failed fetch at its field',
    async () => {
      const metadata = spMetadata({ entityId: 'urn:published', signing: certificatePem });
      const host = await startXmlHost((request, response) => {
        if (request.url === '/metadata') response.end(metadata);
        else response.writeHead(404).end();
      });
      try {
        const filled = await upload({ metadata_url: `${host.address}/metadata` });
        expect(filled.status, filled.text).to.equal(200);
        expect(filled.body).to.include('value="urn:published"');
        const missing = await upload({ metadata_url: `${host.address}/elsewhere` });
        expect(missing.status).to.equal(400);
        expect(missing.text).to.include('It cannot be fetched: the host returned 404.');
        expect(missing.body).to.include(`value="${host.address}/elsewhere"`);
        const requests = host.requests.length;
        const pasted = await upload({ metadata, metadata_url: `${host.address}/metadata` });
        expect([pasted.status, host.requests.length]).to.deep.equal([200, requests]);
      } finally {
        await host.close();
      }
    },
  );

  verifies('SPM-28', 'shows findings at their lines, and keeps the text for correction', async () => {
    const bad = spMetadata({
      consumers: `<md:AssertionConsumerService Binding="${postBinding}" Location="nowhere" index="x"/>\n`,
    });
    const page = await upload({ metadata: bad });
    expect(page.status).to.equal(400);
    expect(page.text)
      .to.include('This metadata does not describe a usable service provider')
      .and.include('2 errors')
      .and.match(/error line \d+, column \d+ Location must be an absolute http or https URL/);
    expect(page.body).to.include('<mark>Location=&quot;nowhere&quot;</mark>');
    expect(page.body).to.include('entityID=&quot;https://sp.example&quot;');
    expect((await upload({})).text).to.include('Choose a file, paste its text, or enter its address.');
    expect((await upload({}, 'no xml')).text).to.include('error line 1, column 1');
    const both = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${spMetadata({
      entityId: 'urn:a',
    }).replace(
      '<?xml version="1.0"?>',
      '',
    )}${spMetadata({ entityId: 'urn:b' }).replace('<?xml version="1.0"?>', '')}</md:EntitiesDescriptor>`;
    expect((await upload({}, both)).text).to.include('Select one with entity_id');
    expect((await upload({ entity_id: 'urn:b' }, both)).body).to.include('value="urn:b"');
    const warned = await upload({}, spMetadata({ entityAttributes: ' validUntil="2020-01-01T00:00:00Z"' }));
    expect(warned.text).to.include('1 warning').and.include('validUntil is in the past');
    const broken = await newBrowser(idp).request('/service-providers/import', {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
      body: 'no form',
    });
    expect(broken.status).to.equal(400);
  });

  verifies('SPM-28', 'deletes runtime ones on the same page as runtime users and clients', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get('/runtime');
    expect(page.text).to.include('0 users, 0 clients and 1 service provider').and.include('urn:passing');
    expect(page.text).not.to.include('Save to file');
    const deleted = await browser.post('/runtime/delete', { kind: 'service_provider', name: 'urn:passing' });
    expect((await follow(browser, deleted)).text).to.include('The runtime object urn:passing was deleted.');
    expect((await browser.get('/service-providers')).text).not.to.include('urn:passing');
  });

  verifies(['SPM-26', 'SPM-28'], 'includes the management secret in a form with a file', async () => {
    const host = await startXmlHost((_request, response) => response.end());
    await write(`${fileText(idp, 'settings')}\nmanagement_secret: open sesame\n`);
    try {
      const refused = await upload({}, spMetadata({ entityId: 'urn:new' }));
      expect(refused.location).to.equal('/login?error=management_locked');
      const unfetched = await upload({ metadata_url: host.address });
      expect([unfetched.location, host.requests]).to.deep.equal([refused.location, []]);
      const read = await upload({ management_secret: 'open sesame' }, spMetadata({ entityId: 'urn:new' }));
      expect([read.status, read.headers.getSetCookie().length]).to.deep.equal([200, 1]);
    } finally {
      await host.close();
      writeFileSync(join(idp.configDirectory, 'settings.yaml'), usual);
      await fetch(`${idp.baseUrl}/api/config/reload`, {
        method: 'POST',
        headers: { 'X-Management-Secret': 'open sesame' },
      });
    }
  });
});

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;');
}
