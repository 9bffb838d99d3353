// Two machines with their own directories: one uses a metadata document that the other one fetched (CLU-02).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { authorizePath, challenge, codeOf, newBrowser, verifier } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { postForm } from '#test/support/http.ts';
import { type Machine, machinesOn } from '#test/support/machines.ts';
import { type MetadataHost, serveJson, startMetadataHost } from '#test/support/metadata-host.ts';
import { postgresOrSkip } from '#test/support/postgres-server.ts';
import { createTestAuthority } from '#test/support/test-authority.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

describe('metadata documents of two machines', () => {
  const closing: (() => unknown)[] = [];
  let host: MetadataHost;
  let one: Machine;
  let two: Machine;
  before(async function () {
    const server = await postgresOrSkip(this);
    closing.unshift(() => server.stop());
    const machines = machinesOn(server);
    closing.unshift(() => machines.stopAll());
    const authority = await createTestAuthority();
    host = await startMetadataHost(authority);
    closing.unshift(() => host.close());
    const directory = mkdtempSync(join(tmpdir(), 'test-idp-ca-'));
    closing.unshift(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, 'ca.pem'), authority.certificatePem);
    const client_id_metadata_documents = {
      ...{ enabled: true, allow_loopback: true, allowed_hosts: [`localhost:${host.port}`] },
    };
    const settings = { ...demoSettings, oauth: { ...demoSettings.oauth, client_id_metadata_documents } };
    const env = { NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem') };
    one = await machines.started({ settings }, { env });
    two = await machines.started({ settings }, { env });
  });
  after(async () => {
    for (const close of closing) await close();
  });

  const address = (name: string) => `https://localhost:${host.port}/${name}`;
  const redirect_uri = 'https://app.example/cb';
  /** A complete login of that client at one machine. */
  const loginAt = async ({ idp }: Machine, client_id: string) => {
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ client_id, redirect_uri, scope: 'openid', ...pkce }));
    const code = codeOf(await browser.submit(page, alice));
    const form = { grant_type: 'authorization_code', code, redirect_uri, client_id, code_verifier: verifier };
    expect((await postForm(`${idp.baseUrl}/token`, form)).status).to.equal(200);
  };
  const fetched = () => host.requests.map(({ url }) => url);

  verifies('CLU-02', 'are fetched by one and accepted by the other without another fetch', async () => {
    for (const [name, fetching, other] of [
      ['first', one, two],
      ['second', two, one],
    ] as const) {
      host.requests.length = 0;
      host.answer = serveJson(
        { client_id: address(name), redirect_uris: [redirect_uri] },
        { 'Cache-Control': 'max-age=600' },
      );
      await loginAt(fetching, address(name));
      expect(fetched()).to.deep.equal([`/${name}`]);
      // Another fetch would fail now.
      host.answer = (_request, response) => response.writeHead(404).end();
      await loginAt(other, address(name));
      expect(fetched(), 'by the other').to.deep.equal([`/${name}`]);
    }
  });
});
