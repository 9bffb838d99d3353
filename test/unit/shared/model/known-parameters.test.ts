// The single table of parameters, and the lists derived from it.
import { expect } from 'chai';
import { knownGrants } from '#shared/model/oauth-rules/grants.ts';
import {
  auditedParameters,
  parametersReadBy,
  secretParameters,
  singleParametersOf,
  storedParameters,
} from '#shared/model/secrets/known-parameters.ts';
import { oauthParameters, type ParameterTable } from '#shared/protocol/oauth2/parameters.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the table of parameters', () => {
  it('declares each parameter once, and grants reuse the rows of other tables', () => {
    const declared = new Map(Object.entries<ParameterTable[string]>(oauthParameters));
    for (const { parameters } of knownGrants) {
      for (const [name, row] of Object.entries(parameters)) {
        expect(declared.get(name) ?? row, name).to.equal(row);
        declared.set(name, row);
      }
    }
  });

  verifies('REC-04', 'marks what is secret in a request, a response and a file', () => {
    expect([...secretParameters].sort()).to.deep.equal([
      ...['SAMLResponse', 'access_token', 'actor_token', 'admin_secret', 'assertion', 'client_assertion'],
      ...['client_secret', 'code', 'code_verifier', 'device_code', 'id_token', 'id_token_hint', 'logout_token'],
      ...['management_secret', 'otp', 'password', 'pending_second_factor', 'refresh_token'],
      ...['registration_access_token', 'secret', 'secret_key', 'subject_token', 'token', 'totp', 'totp_code'],
      ...['totp_secret'],
    ]);
  });

  verifies('AUD-13', 'keeps secrets out of the audit', () => {
    expect(secretParameters.filter((name) => auditedParameters.has(name))).to.deep.equal([]);
  });

  verifies('TOK-05', 'lists the parameters of every grant that /token accepts once', () => {
    expect([...singleParametersOf('client', 'token')].sort()).to.deep.equal([
      ...['client_assertion', 'client_assertion_type', 'client_id', 'client_secret', 'code', 'code_verifier'],
      ...['device_code', 'exp', 'extra', 'grant_type', 'nonce', 'password', 'redirect_uri', 'refresh_token', 'scope'],
      ...['username'],
    ]);
  });

  verifies('AUT-03', 'lists the parameters that identify an authorization request', () => {
    expect(parametersReadBy('authorize')).to.deep.equal([
      ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'code_challenge', 'code_challenge_method'],
      ...['nonce', 'claims', 'resource'],
    ]);
  });

  it('lists the parameters that must not contain U+0000 because the store uses them', () => {
    expect([...storedParameters].sort()).to.deep.equal(['client_id', 'nonce', 'scope', 'username']);
  });
});
