// Scopes outside `oauth.scopes_supported` and the setting `oauth.unknown_scopes` (section UNK), for logins, grants and
// registrations.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { starterFiles } from '#cli/starter-files.ts';
import { embeddedSettingsText } from '#shared/state/configuration/load/built-in-defaults.ts';
import { authorizePath, challenge, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import { redirectParameters } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  approveDevice,
  beginDevice,
  call,
  lastEvent,
  pollDevice,
  redeemCode,
  refresh,
  refusalOf,
  token,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const registered = { redirect_uris: ['http://127.0.0.1:3118/callback'], token_endpoint_auth_method: 'none' };

const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };

const settings = (unknown_scopes: string | undefined, security_profile = 'dev') => ({
  security_profile,
  oauth: {
    dynamic_registration: { enabled: true },
    ...(unknown_scopes === undefined ? {} : { unknown_scopes }),
  },
});

describe('unknown scopes', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, settings: settings(undefined) });
  });
  after(() => idp.stop());

  const set = (mode: string | undefined, profile?: string) => idp.configure({ settings: settings(mode, profile) });
  const own = (scope: string) => token(idp, { grant_type: 'client_credentials', scope });
  const password = (scope: string) => token(idp, { grant_type: 'password', ...alice, scope });
  const register = (body: object) =>
    call(idp, '/register', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const logIn = async (scope: string) => {
    const answer = await newBrowser(idp).post(authorizePath({ scope }), alice);
    return redeemCode(idp, codeOf(answer));
  };
  const ignoredIn = async (event: string) => (await lastEvent(idp, event))?.details.ignored_scopes;

  verifies(['UNK-K01', 'UNK-01'], 'are rejected by default, and the setting counts in every profile', async () => {
    await set(undefined);
    expect(refusalOf(await own('mcp:read'))).to.deep.equal([400, 'invalid_scope']);
    expect((await call(idp, '/api/config')).body.oauth).to.deep.include({ unknown_scopes: 'reject' });
    for (const profile of ['dev', 'stricter-dev', 'oauth21']) {
      await set('reject', profile);
      expect(refusalOf(await own('mcp:read')), profile).to.deep.equal([400, 'invalid_scope']);
      await set('ignore', profile);
      expect((await own('email mcp:read')).body.scope, profile).to.equal('email');
      await set('grant', profile);
      expect((await own('email mcp:read')).body.scope, profile).to.equal('email mcp:read');
    }
  });

  verifies('UNK-02', 'are dropped with ignore at every grant, and the audit names them', async () => {
    await set('ignore');
    expect((await logIn('openid mcp:read root')).body.scope).to.equal('openid');
    expect(await ignoredIn('authorization_request')).to.deep.equal(['mcp:read', 'root']);
    expect((await own('email mcp:read')).body.scope).to.equal('email');
    expect(await ignoredIn('token_request')).to.deep.equal(['mcp:read']);
    expect((await own('email')).body.scope).to.equal('email');
    expect(await ignoredIn('token_request')).to.equal(undefined);
    expect((await password('openid mcp:read')).body.scope).to.equal('openid');
    const device = await beginDevice(idp, { scope: 'openid mcp:read' });
    expect(await ignoredIn('device_authorization_request')).to.deep.equal(['mcp:read']);
    await approveDevice(idp, device.user_code);
    const tokens = (await pollDevice(idp, device.device_code)).body;
    expect(tokens.scope).to.equal('openid');
    const refreshed = await refresh(idp, String(tokens.refresh_token), { scope: 'openid mcp:read' });
    expect([refreshed.status, refreshed.body.scope]).to.deep.equal([200, 'openid']);
  });

  verifies('UNK-02', 'leave the default of the endpoint if no other scope is requested', async () => {
    await set('ignore');
    expect((await logIn('mcp:read')).body.scope).to.equal('openid');
    const answer = await own('mcp:read');
    expect([answer.status, answer.body.scope]).to.deep.equal([200, undefined]);
    expect(await ignoredIn('token_request')).to.deep.equal(['mcp:read']);
  });

  verifies('UNK-03', 'are granted with grant, and discovery does not list them', async () => {
    await set('grant');
    const { body } = await logIn('openid mcp:read');
    expect(body.scope).to.equal('openid mcp:read');
    const refreshed = await refresh(idp, String(body.refresh_token), { scope: 'mcp:read' });
    expect(refreshed.body.scope).to.equal('mcp:read');
    const discovery = (await call(idp, '/.well-known/oauth-authorization-server')).body;
    expect(discovery.scopes_supported).to.deep.equal(['openid', 'profile', 'email', 'offline_access']);
    const many = Array.from({ length: 51 }, (_, index) => `s${index}`);
    expect((await own(many.slice(1).join(' '))).status).to.equal(200);
    for (const scope of [many.join(' '), 'x'.repeat(201), '"x"']) {
      expect(refusalOf(await own(scope))).to.deep.equal([400, 'invalid_scope']);
    }
    const asked = await newBrowser(idp).get(authorizePath({ scope: 'x'.repeat(201) }));
    expect(redirectParameters(asked).get('error')).to.equal('invalid_scope');
  });

  verifies(['UNK-01', 'UNK-03'], 'follow the setting at the redemption and in a sandbox', async () => {
    await set('grant');
    const { body } = await password('openid mcp:read');
    await set('ignore');
    expect((await refresh(idp, String(body.refresh_token))).body.scope).to.equal('openid');
    const box = await makeSandbox(idp, { settings: { oauth: { unknown_scopes: 'grant' } } });
    const answer = await box.post('/token', { grant_type: 'client_credentials', scope: 'mcp:read' });
    expect([answer.status, answer.body.scope]).to.deep.equal([200, 'mcp:read']);
  });

  verifies(['UNK-04', 'UNK-05'], 'are dropped from a registration, whose response and event name them', async () => {
    for (const mode of ['reject', 'ignore']) {
      await set(mode);
      const { status, body } = await register({ ...registered, scope: 'mcp:read offline_access mcp:write' });
      expect([status, body.scope, body.dropped_scope]).to.deep.equal([201, 'offline_access', 'mcp:read mcp:write']);
      const event = await lastEvent(idp, 'client_registered');
      expect(event?.details.dropped_scopes).to.deep.equal(['mcp:read', 'mcp:write']);
      const nothing = await register({ ...registered, scope: 'mcp:read' });
      expect(refusalOf(nothing)).to.deep.equal([400, 'invalid_client_metadata']);
      const all = await register({ ...registered, scope: 'openid' });
      expect(all.body).not.to.have.property('dropped_scope');
      expect((await lastEvent(idp, 'client_registered'))?.details).not.to.have.property('dropped_scopes');
    }
  });

  verifies(['UNK-04', 'UNK-03'], 'are stored with grant, and a client is held to its own scopes', async () => {
    await set('grant');
    const { status, body } = await register({ ...registered, scope: 'mcp:read offline_access' });
    expect([status, body.scope, body.dropped_scope]).to.deep.equal([201, 'mcp:read offline_access', undefined]);
    expect((await register({ ...registered, scope: 'mcp:read' })).body.scope).to.equal('mcp:read');
    const [redirect_uri = ''] = registered.redirect_uris;
    const ask = async (scope: string) => {
      const parameters = { client_id: String(body.client_id), redirect_uri, scope, ...pkce };
      return newBrowser(idp).post(authorizePath(parameters), alice);
    };
    expect(redirectParameters(await ask('mcp:read')).get('code')).to.be.a('string');
    expect(redirectParameters(await ask('mcp:write')).get('error')).to.equal('invalid_scope');
    for (const scope of ['x'.repeat(201), '"x"', Array.from({ length: 51 }, (_, index) => `s${index}`).join(' ')]) {
      const answer = await register({ ...registered, scope });
      expect(refusalOf(answer)).to.deep.equal([400, 'invalid_client_metadata']);
    }
  });

  verifies('SHV-02', 'are an advice of the verdict once they were granted or ignored', async () => {
    const found = async () => {
      const { findings } = (await call(idp, '/api/verdict?client_id=web')).body as {
        findings: readonly { id: string }[];
      };
      return findings.some(({ id }) => id === 'scope_unknown');
    };
    for (const mode of ['ignore', 'grant']) {
      await set(mode);
      await call(idp, '/api/flows', { method: 'DELETE' });
      await own('email');
      expect(await found(), mode).to.equal(false);
      await own('email mcp:read');
      expect(await found(), mode).to.equal(true);
    }
    await set('reject');
    await call(idp, '/api/flows', { method: 'DELETE' });
    await own('email mcp:read');
    expect(await found()).to.equal(false);
  });
});

describe('unknown scopes of the shipped configurations', () => {
  const read = (path: string) => readFileSync(join(repositoryRoot, path), 'utf8');

  verifies(
    'UNK-06',
    'are granted by config/, the files of init, the embedded configuration and the guide for MCP',
    () => {
      const [, ofGuide = ''] = /settings\.yaml <<'YAML'\n(.*?)\nYAML\n/s.exec(read('docs/guides/mcp.md')) ?? [];
      const texts = [read('config/settings.yaml'), starterFiles['settings.yaml'], embeddedSettingsText, ofGuide];
      for (const text of texts) expect(parse(text).oauth.unknown_scopes).to.equal('grant');
    },
  );
});
