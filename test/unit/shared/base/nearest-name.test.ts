import { expect } from 'chai';
import { likelyName, likelyNames, nearestName } from '#shared/base/nearest-name.ts';

describe('the nearest name', () => {
  const names = ['start', 'oidc', 'saml', 'mcp', 'validate-config', 'config-schema', 'init', 'password'];
  for (const [written, meant] of [
    ['strat', 'start'],
    ['Start', 'start'],
    ['odic', 'oidc'],
    ['pasword', 'password'],
    ['validate_config', 'validate-config'],
    ['serve', undefined],
    ['x', undefined],
    ['', undefined],
  ] as const) {
    it(`of '${written}' is ${meant ?? 'none'}`, () => expect(nearestName(written, names)).to.equal(meant));
  }

  it('is the first of several at the same distance', () => {
    expect(nearestName('hosts', ['host', 'hosta'])).to.equal('host');
  });
});

describe('the likely name', () => {
  const names = [
    'validate-config',
    'config-schema',
    'refresh_token_rotation',
    'nonce_wrong',
    'nonce_absent',
    'id',
    'start',
  ];
  for (const [written, meant] of [
    ['validate', 'validate-config'],
    ['wrong_nonce', 'nonce_wrong'],
    ['rotate_refresh_tokens', 'refresh_token_rotation'],
    ['strat', 'start'],
    ['nonce', 'nonce_wrong'],
    ['rotation', undefined],
    ['nonce_rotation', undefined],
    ['user_id', undefined],
    ['id', 'id'],
    ['--', undefined],
  ] as const) {
    it(`of '${written}' is ${meant ?? 'none'}`, () => expect(likelyName(written, names)).to.equal(meant));
  }

  it('matches by letters before it matches half of the words', () => {
    expect(likelyNames('nonce_wron', names, 3)).to.deep.equal(['nonce_wrong']);
    expect(likelyNames('nonce', names, 3)).to.deep.equal(['nonce_wrong', 'nonce_absent']);
    expect(likelyName('logo', ['logout-all', 'log-logo', 'logi'])).to.equal('logi');
  });

  it('matches nearly all words before it matches by letters', () => {
    const keys = ['refresh_token_rotation', 'refresh_token_expiry_minutes'];
    expect(likelyName('refresh_token_expiry', keys)).to.equal('refresh_token_expiry_minutes');
    expect(likelyName('saml_wrong_audience', ['saml_wrong_binding', 'saml_audience_wrong'])).to.equal(
      'saml_audience_wrong',
    );
  });

  it('is the candidate with fewer other letters if the same number of words match', () => {
    expect(likelyName('scopes', ['userinfo_by_scope', 'scopes_supported'])).to.equal('scopes_supported');
  });
});
