import { expect } from 'chai';
import fc from 'fast-check';
import {
  asClientMetadata,
  droppedScopes,
  readAuthMethod,
  readClientName,
  readGrantTypes,
  readRedirectUris,
  readScope,
} from '#shared/model/oauth-rules/client-metadata.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { verifies } from '#test/support/verifies.ts';

const supported = ['authorization_code', 'refresh_token'];
const gated = { lenientRedirectUris: false };
const vocabulary = ['openid', 'profile', 'email'];
const rejecting = { scopes_supported: vocabulary, unknown_scopes: 'reject' } as const;

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof OAuthError) return error.error;
    throw error;
  }
  return 'accepted';
}

const notText = [null, 1, true, [], {}, ['a']];

describe('the check of client metadata', () => {
  verifies('DCR-05', 'accepts only a list of supported grants', () => {
    expect(readGrantTypes({ grant_types: ['refresh_token', 'authorization_code'] }, supported)).to.deep.equal([
      'refresh_token',
      'authorization_code',
    ]);
    for (const value of [
      null,
      'authorization_code',
      {},
      1,
      [1],
      ['implicit'],
      ['authorization_code', 'password'],
      [['a']],
    ]) {
      expect(codeOf(() => readGrantTypes({ grant_types: value }, supported))).to.equal('invalid_client_metadata');
    }
  });

  verifies('DCR-07', 'accepts three authentication methods, and has a default', () => {
    expect(readAuthMethod({})).to.equal('client_secret_basic');
    for (const method of ['client_secret_basic', 'client_secret_post', 'none']) {
      expect(readAuthMethod({ token_endpoint_auth_method: method })).to.equal(method);
    }
    for (const value of ['private_key_jwt', 'NONE', '', ...notText]) {
      expect(codeOf(() => readAuthMethod({ token_endpoint_auth_method: value }))).to.equal('invalid_client_metadata');
    }
  });

  verifies(
    ['DCR-08', 'DCR-09'],
    'distinguishes unusable redirect URIs from a value that is not a list of strings',
    () => {
      for (const value of [
        undefined,
        [],
        [''],
        ['/callback'],
        ['https://a/#f'],
        ['javascript:alert(1)'],
        ['https://a/', 'x'],
      ]) {
        expect(codeOf(() => readRedirectUris({ redirect_uris: value }, gated))).to.equal('invalid_redirect_uri');
      }
      for (const value of [null, 'https://a/', {}, [1], ['https://a/', null], [['https://a/']]]) {
        expect(codeOf(() => readRedirectUris({ redirect_uris: value }, gated))).to.equal('invalid_client_metadata');
      }
      expect(readRedirectUris({ redirect_uris: ['https://a/cb', 'com.example.app:/cb'] }, gated)).to.deep.equal([
        'https://a/cb',
        'com.example.app:/cb',
      ]);
    },
  );

  verifies(['DCR-10', 'DCR-11', 'DCR-12'], 'narrows the scope, in the requested order', () => {
    expect(readScope({ scope: 'email admin openid email' }, rejecting)).to.deep.equal(['email', 'openid']);
    expect(codeOf(() => readScope({ scope: 'admin root' }, rejecting))).to.equal('invalid_client_metadata');
    expect(readScope({}, rejecting)).to.deep.equal(vocabulary);
    expect(readScope({ scope: '  ' }, rejecting)).to.deep.equal(vocabulary);
    for (const value of notText) {
      expect(codeOf(() => readScope({ scope: value }, rejecting))).to.equal('invalid_client_metadata');
    }
  });

  verifies(['UNK-04', 'UNK-05', 'CMD-12'], 'keeps unknown scopes only if they are granted', () => {
    const sent = { scope: 'email admin root' };
    for (const unknown_scopes of ['reject', 'ignore'] as const) {
      expect(readScope(sent, { ...rejecting, unknown_scopes })).to.deep.equal(['email']);
    }
    const granting = { ...rejecting, unknown_scopes: 'grant' } as const;
    expect(readScope(sent, granting)).to.deep.equal(['email', 'admin', 'root']);
    expect(readScope({ scope: 'admin' }, granting)).to.deep.equal(['admin']);
    expect(readScope({}, granting)).to.deep.equal(vocabulary);
    expect(codeOf(() => readScope({ scope: 'x'.repeat(201) }, granting))).to.equal('invalid_client_metadata');
    expect(droppedScopes(sent, { scope: 'email' })).to.deep.equal(['admin', 'root']);
    expect(droppedScopes({}, { scope: 'openid' })).to.deep.equal([]);
  });

  verifies('DCR-13', 'accepts a name that is a string', () => {
    expect(readClientName({ client_name: '' })).to.equal('');
    expect(readClientName({})).to.equal(undefined);
    for (const value of notText) {
      expect(codeOf(() => readClientName({ client_name: value }))).to.equal('invalid_client_metadata');
    }
  });

  it('reads only own members, and never throws for any JSON', () => {
    expect(codeOf(() => asClientMetadata(JSON.parse('[]')))).to.equal('invalid_client_metadata');
    expect(codeOf(() => asClientMetadata(null))).to.equal('invalid_client_metadata');
    const polluted = asClientMetadata(JSON.parse('{"__proto__": {"scope": "openid"}}'));
    expect(polluted.scope).to.equal(undefined);
    expect(asClientMetadata({}).toString).to.equal(undefined);
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (first, second) => {
        const metadata = { grant_types: first, redirect_uris: first, scope: second, client_name: second };
        for (const read of [
          () => readGrantTypes(metadata, supported),
          () => readRedirectUris(metadata, gated),
          () => readScope(metadata, rejecting),
          () => readClientName(metadata),
          () => asClientMetadata(first),
        ]) {
          codeOf(read);
        }
      }),
    );
  });
});
