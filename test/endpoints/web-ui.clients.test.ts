// The client pages of the web UI: list, form, removal, secrets, and forgetting metadata documents.

import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { basic } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { clientInFile, fileText, filledIn, follow, postForm, settingsFile } from '#test/support/web-ui.ts';
import { interactive } from '#test/support/worlds.ts';

const cimd = 'https://client.example/metadata.json';

describe('web UI: clients', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      world: interactive,
      settings: {
        oauth: { client_id_metadata_documents: { enabled: true, allowed_hosts: ['client.example'] } },
      },
      clients: [
        {
          client_id: 'listed',
          client_secret: 'listed-secret',
          allowed_scopes: ['openid', 'email'],
          description: 'By list',
        },
        {
          client_id: 'odd',
          client_secret: 'odd-secret',
          description: 'Two\nlines',
          redirect_uris: [' http://localhost:3000/cb?a,b'],
          allowed_scopes: ['openid profile'],
          show_description: true,
        },
        { client_id: 'twice', client_secret: 's', scope: 'openid', allowed_scopes: ['openid'] },
      ],
    });
    await fetch(`${idp.baseUrl}/api/runtime/clients`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"client_id":"temp","client_secret":"temp-secret"}',
    });
    await keepDocument(cimd);
  });
  after(() => idp.stop());

  const keepDocument = (clientId: string) =>
    idp.withStore(async ({ metadataDocuments }) => {
      const redirect_uris = ['https://client.example/cb'];
      const entry = clientEntryModel.parse({ client_id: clientId, token_endpoint_auth_method: 'none', redirect_uris });
      const now = instant(Date.now());
      const freshUntil = instant(now + 3_600_000);
      await metadataDocuments.save({ client_id: clientId, entry, fetchedAt: now, freshUntil }, now);
    });
  const clientCredentials = async (clientId: string, secret: string) =>
    (
      await fetch(`${idp.baseUrl}/token`, {
        method: 'POST',
        headers: { Authorization: basic(clientId, secret) },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      })
    ).status;

  verifies('WEB-06', 'lists clients of every origin, with runtime and cimd ones read-only', async () => {
    const page = await newBrowser(idp).get('/clients');
    expect(page.text)
      .to.match(/temp runtime/)
      .and.to.include(`${cimd} cimd`)
      .and.to.include('listed');
    expect(page.body).to.include('href="/clients/web/edit"').and.to.include('href="/clients/web/delete"');
    expect(page.body)
      .not.to.include('/clients/temp/')
      .and.not.to.include(`/clients/${encodeURIComponent(cimd)}/`);
    const forms = page.forms.filter(({ action }) => action.endsWith('/clients/forget'));
    expect(forms.map(({ fields }) => fields)).to.deep.equal([[['client_id', cimd]]]);
  });

  verifies('WEB-06', 'rejects changes of read-only clients by address too', async () => {
    const browser = newBrowser(idp);
    const before = fileText(idp, 'settings');
    for (const clientId of ['temp', cimd]) {
      for (const action of ['edit', 'delete', 'regenerate-secret']) {
        const path = `/clients/${encodeURIComponent(clientId)}/${action}`;
        for (const answer of [await browser.get(path), await browser.post(path)]) {
          expect(answer.location).to.match(/^\/clients\?/);
          expect((await follow(browser, answer)).text).to.include('read-only here');
        }
      }
    }
    expect(fileText(idp, 'settings')).to.equal(before);
  });

  verifies('WEB-07', 'offers a fresh random secret in the form of a new client', async () => {
    const secrets = await Promise.all(
      [1, 2].map(async () => {
        const page = await newBrowser(idp).get('/clients/create');
        expect(page.headers.get('cache-control')).to.equal('no-store');
        return page.forms.flatMap(({ fields }) => fields).find(([name]) => name === 'client_secret')?.[1] ?? '';
      }),
    );
    expect(secrets[0]).to.match(/^[\w-]{43}$/);
    expect(secrets[0]).not.to.equal(secrets[1]);
  });

  verifies('WEB-07', 'creates a client with every field that works at once', async () => {
    const browser = newBrowser(idp);
    const saved = await postForm(browser, '/clients/create', {
      client_id: 'shop/front',
      client_secret: 'shop-secret',
      token_endpoint_auth_method: 'client_secret_basic',
      description: 'The shop',
      redirect_uris: 'https://shop.example/cb\r\n\r\n https://shop.example/cb2 ',
      scope: 'openid email',
      post_logout_redirect_uris: 'https://shop.example/bye',
      allowed_resources: 'https://api.example',
      additional_audiences: 'other',
      background_color: '#ffffff',
      header_color: '#14375e',
      footer_color: '',
      layout: 'horizontal',
      show_client_id__on_form: '1',
      show_description__on_form: '1',
      show_description: 'true',
    });
    expect((await follow(browser, saved)).text).to.include('The client shop/front was created.');
    expect(clientInFile(idp, 'shop/front')).to.deep.equal({
      client_id: 'shop/front',
      client_secret: 'shop-secret',
      description: 'The shop',
      redirect_uris: ['https://shop.example/cb', 'https://shop.example/cb2'],
      scope: 'openid email',
      allowed_resources: ['https://api.example'],
      additional_audiences: ['other'],
      post_logout_redirect_uris: ['https://shop.example/bye'],
      background_color: '#ffffff',
      header_color: '#14375e',
      show_client_id: false,
      show_description: true,
      layout: 'horizontal',
    });
    expect(await clientCredentials('shop/front', 'shop-secret')).to.equal(200);
  });

  verifies('WEB-07', 'keeps secret and form of the scope when the secret is left blank', async () => {
    const browser = newBrowser(idp);
    const fields = { client_secret: '', description: 'Renamed', scope: 'openid' };
    await follow(browser, await postForm(browser, '/clients/listed/edit', fields));
    expect(clientInFile(idp, 'listed')).to.deep.include({
      client_secret: 'listed-secret',
      description: 'Renamed',
      allowed_scopes: ['openid'],
    });
    expect(clientInFile(idp, 'listed')).not.to.have.property('scope');
    await postForm(browser, '/clients/listed/edit', { client_secret: 'other-secret' });
    expect(await clientCredentials('listed', 'other-secret')).to.equal(200);
    expect(clientInFile(idp, 'listed')?.description).to.equal('Renamed');
  });

  verifies(['WEB-07', 'WRT-10'], 'changes nothing for an unmodified form, however the entry was written', async () => {
    const browser = newBrowser(idp);
    const before = fileText(idp, 'settings');
    for (const clientId of ['listed', 'odd', 'twice']) {
      const edit = `/clients/${clientId}/edit`;
      const saved = await browser.post(edit, filledIn(await browser.get(edit)));
      expect((await follow(browser, saved)).text).to.include('was saved');
      expect(fileText(idp, 'settings')).to.equal(before);
    }
  });

  verifies('WEB-07', 'deletes a client from the file after a question', async () => {
    const browser = newBrowser(idp);
    const question = await browser.get('/clients/shop%2Ffront/delete');
    expect(question.text).to.include('Delete shop/front ?');
    const deleted = await browser.submit(question);
    expect((await follow(browser, deleted)).text).to.include('The client shop/front was deleted.');
    expect(clientInFile(idp, 'shop/front')).to.equal(undefined);
    expect(await clientCredentials('shop/front', 'shop-secret')).to.equal(401);
  });

  verifies('WEB-08', 'shows a new secret once, in an uncached response', async () => {
    const browser = newBrowser(idp);
    const question = await browser.get('/clients/open/regenerate-secret');
    expect(question.status).to.equal(200);
    expect(clientInFile(idp, 'open')?.client_secret).to.equal('open-secret');
    const page = await browser.submit(question);
    expect(page.status).to.equal(200);
    expect(page.headers.get('cache-control')).to.equal('no-store');
    const secret = String(clientInFile(idp, 'open')?.client_secret);
    expect(secret).to.match(/^[\w-]{43}$/);
    expect(page.body.split(secret)).to.have.length(2);
    expect([await clientCredentials('open', secret), await clientCredentials('open', 'open-secret')]).to.deep.equal([
      200, 401,
    ]);
    for (const path of ['/clients', '/clients/open/edit', '/clients/open/regenerate-secret', '/settings', '/audit']) {
      expect((await browser.get(path)).body, path).not.to.include(secret);
    }
  });

  verifies('WEB-08', 'offers no new secret for a public client', async () => {
    const browser = newBrowser(idp);
    const before = fileText(idp, 'settings');
    for (const answer of [
      await browser.get('/clients/spa/regenerate-secret'),
      await browser.post('/clients/spa/regenerate-secret'),
    ]) {
      expect((await follow(browser, answer)).text).to.include('The client spa is public and has no secret.');
    }
    expect(fileText(idp, 'settings')).to.equal(before);
  });

  verifies('WEB-08', 'never shows a stored secret, even in a rejected form', async () => {
    const browser = newBrowser(idp);
    for (const path of ['/clients', '/clients/web/edit', '/clients/web/delete', '/clients/web/regenerate-secret']) {
      expect((await browser.get(path)).body, path).not.to.include('web-secret');
    }
    const refused = await postForm(browser, '/clients/web/edit', { client_secret: 'typed-one', header_color: 'red' });
    expect(refused.status).to.equal(400);
    expect(refused.body).to.include('id="header_color-error"').and.to.include('value="red"');
    expect(refused.body).not.to.include('web-secret').and.not.to.include('typed-one');
  });

  it('rejects a confidential client without secret at its field', async () => {
    const refused = await postForm(newBrowser(idp), '/clients/create', { client_id: 'bare', client_secret: '' });
    expect(refused.status).to.equal(400);
    expect(refused.body).to.include('id="client_secret-error"').and.to.include('value="bare"');
    const saved = await postForm(newBrowser(idp), '/clients/create', {
      client_id: 'bare',
      client_secret: 'left over',
      token_endpoint_auth_method: 'none',
    });
    expect(saved.status).to.equal(302);
    expect(clientInFile(idp, 'bare')).to.deep.equal({ client_id: 'bare', token_endpoint_auth_method: 'none' });
  });

  verifies('WEB-09', 'forgets one cached document with a message', async () => {
    const other = 'https://client.example/other.json';
    await keepDocument(other);
    const browser = newBrowser(idp);
    const forgotten = await browser.post('/clients/forget', { client_id: cimd });
    expect(forgotten.location).to.match(/^\/clients\?/);
    const page = await follow(browser, forgotten);
    expect(page.text).to.include(`The metadata document of ${cimd} was deleted from the cache`);
    expect(page.text).to.include(`${other} cimd`).and.not.to.include(`${cimd} cimd`);
    for (const clientId of [cimd, 'nobody', 'web', 'temp']) {
      const again = await browser.post('/clients/forget', { client_id: clientId });
      expect((await follow(browser, again)).text).to.include(`The cache has no metadata document of ${clientId}`);
    }
    expect(clientInFile(idp, 'web')).to.not.equal(undefined);
    expect((await fetch(`${idp.baseUrl}/api/runtime/clients/temp`)).status).to.equal(200);
  });

  verifies('WEB-12', 'writes nothing for a stale revision', async () => {
    const browser = newBrowser(idp);
    const before = settingsFile(idp);
    const expected_revision = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    for (const [path, fields] of [
      ['/clients/create', { client_id: 'late', client_secret: 's' }],
      ['/clients/web/edit', { description: 'late' }],
      ['/clients/web/delete', {}],
      ['/clients/web/regenerate-secret', {}],
    ] as const) {
      const answer = await browser.post(path, { ...fields, expected_revision });
      expect([path, answer.status]).to.deep.equal([path, 409]);
      expect(answer.text).to.include('Nothing was written');
    }
    expect(settingsFile(idp)).to.deep.equal(before);
  });

  it('creates no client whose name cannot be part of an address', async () => {
    const refused = await postForm(newBrowser(idp), '/clients/create', { client_id: '..' });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include(sentences.nameNotPartOfUrl);
  });
});
