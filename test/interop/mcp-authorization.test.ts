// The MCP SDK's own client meets the authorization server for the first time and calls a protected tool: RFC 9728 and RFC
// 8414 metadata, registration or a metadata document, PKCE, RFC 8707 resource and RFC 9207 iss. It runs without a user
// (persona auto-login) and with Chromium.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { launchChromium } from '#test/support/chromium.ts';
import { claimsOf } from '#test/support/http.ts';
import { type MetadataHost, serveJson, startMetadataHost } from '#test/support/metadata-host.ts';
import { type ProtectedMcpServer, startProtectedMcpServer } from '#test/support/protected-mcp-server.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { createTestAuthority } from '#test/support/test-authority.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoUsers } from '#test/support/worlds.ts';

const redirectUrl = 'http://127.0.0.1:9/callback';

/** What an application stores for the SDK. It also records the address to which the browser should go. */
class Application implements OAuthClientProvider {
  readonly redirectUrl = redirectUrl;
  readonly clientMetadata = {
    client_name: 'An MCP client',
    redirect_uris: [redirectUrl],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
  readonly clientMetadataUrl?: string;
  asked: URL | undefined;
  information: OAuthClientInformationMixed | undefined;
  kept: OAuthTokens | undefined;
  #verifier = '';

  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.information;
  }
  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.information = information;
  }
  tokens(): OAuthTokens | undefined {
    return this.kept;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.kept = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
}

/** Connects, gets the code by `logIn`, calls the tool and returns its result. */
async function whoami(
  resource: ProtectedMcpServer,
  application: Application,
  logIn: (url: URL) => Promise<URL>,
): Promise<unknown> {
  const transport = () => new StreamableHTTPClientTransport(new URL(resource.url), { authProvider: application });
  const connect = async (through: StreamableHTTPClientTransport) => {
    const client = new Client({ name: 'interop', version: '1.0.0' });
    await client.connect(through as Parameters<typeof client.connect>[0]);
    return client;
  };
  const first = transport();
  let refusal: unknown;
  await connect(first).catch((error: unknown) => {
    refusal = error;
  });
  expect(refusal).to.be.instanceOf(UnauthorizedError);
  const answered = await logIn(application.asked ?? new URL('missing:'));
  expect(answered.href.startsWith(redirectUrl), answered.href).to.equal(true);
  await first.finishAuth(answered.searchParams.get('code') ?? '');
  const client = await connect(transport());
  const result = await client.callTool({ name: 'whoami' });
  await client.close();
  return result.content;
}

/** Persona auto-login returns the code without a page. */
async function withoutHuman(url: URL): Promise<URL> {
  url.searchParams.set('login_hint', 'persona-auto-login:alice');
  const response = await fetch(url, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? 'missing:');
}

describe("the MCP SDK's client at the authorization server", () => {
  let directory: string;
  let host: MetadataHost;
  let idp: RunningIdp;
  let resource: ProtectedMcpServer;

  before(async () => {
    const authority = await createTestAuthority();
    host = await startMetadataHost(authority);
    directory = mkdtempSync(join(tmpdir(), 'test-idp-ca-'));
    writeFileSync(join(directory, 'ca.pem'), authority.certificatePem);
    idp = await startIdp({
      env: { NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem') },
      users: demoUsers,
      settings: {
        login: { mode: 'persona', auto_login: true },
        oauth: {
          issuer_from_request: true,
          dynamic_registration: { enabled: true },
          client_id_metadata_documents: {
            enabled: true,
            allowed_hosts: [`localhost:${host.port}`],
            allow_loopback: true,
          },
        },
      },
    });
    resource = await startProtectedMcpServer(idp.baseUrl);
  });
  after(async () => {
    await resource.close();
    await idp.stop();
    await host.close();
    rmSync(directory, { recursive: true, force: true });
  });

  verifies(['DCR-17', 'RES-02'], 'registers and calls a tool without a user', async () => {
    const application = new Application();
    expect(await whoami(resource, application, withoutHuman)).to.deep.equal([{ type: 'text', text: 'alice' }]);
    expect(application.information?.client_id).to.match(/^dcr-/);
    expect(claimsOf(application.kept?.access_token ?? '').aud).to.equal(resource.url);
    expect(application.kept?.refresh_token).to.be.a('string');
  });

  verifies(['CMD-01', 'CMD-17'], 'uses a metadata document and calls a tool without a user', async () => {
    const address = `https://localhost:${host.port}/client.json`;
    const application = new Application(address);
    host.answer = serveJson({ ...application.clientMetadata, client_id: address });
    expect(await whoami(resource, application, withoutHuman)).to.deep.equal([{ type: 'text', text: 'alice' }]);
    expect(application.information?.client_id).to.equal(address);
    expect(host.requests.map(({ url }) => url)).to.deep.equal(['/client.json']);
    expect(application.kept?.refresh_token).to.equal(undefined);
  });

  it('registers and calls a tool after a user chose a persona in Chromium', async function () {
    this.timeout(60_000);
    const browser: Browser = await launchChromium(this);
    try {
      const inChromium = async (url: URL): Promise<URL> => {
        const page = await browser.newPage();
        const arrived = page.waitForRequest((request) => request.url().startsWith(redirectUrl));
        await page.goto(url.href);
        await page.getByRole('button', { name: /bob/ }).first().click();
        return new URL((await arrived).url());
      };
      expect(await whoami(resource, new Application(), inChromium)).to.deep.equal([{ type: 'text', text: 'bob' }]);
    } finally {
      await browser.close();
    }
  });
});
