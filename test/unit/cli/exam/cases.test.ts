import { expect } from 'chai';
import { examCases, matchesPattern, namesNoClient } from '#cli/exam/cases.ts';
import { skipReason } from '#cli/exam/skip-reason.ts';
import { faultCatalogue } from '#shared/engine/faults/catalogue/index.ts';
import { verifies } from '#test/support/verifies.ts';

const named = (name: string) => {
  const found = [...examCases('oidc'), ...examCases('saml')].find((one) => one.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
};

describe('the cases of an exam', () => {
  verifies('EXM-02', 'are the rows of the catalogue at each of their endpoints', () => {
    const all = [...examCases('oidc'), ...examCases('saml')];
    expect(examCases('oidc').length).to.be.at.least(40);
    expect(examCases('saml').length).to.be.at.least(30);
    expect(all.map(({ name }) => name)).to.include.members(['alg_none', 'status@token', 'saml_xsw1', 'delay@saml_sso']);
    expect(new Set(all.map(({ name }) => name)).size).to.equal(all.length);
    for (const { name, at } of faultCatalogue) {
      const cases = all.filter(({ fault }) => fault === name);
      expect(cases.map((one) => one.at).toSorted(), name).to.deep.equal(at.toSorted());
      for (const one of cases) expect(one.name).to.equal(at.length > 1 ? `${name}@${one.at}` : name);
    }
  });

  verifies('EXM-01', 'are chosen by name or pattern, with and without the endpoint', () => {
    expect(matchesPattern('status@token', 'status')).to.equal(true);
    expect(matchesPattern('status@token', 'status@userinfo')).to.equal(false);
    expect(matchesPattern('status@token', '*@token')).to.equal(true);
    expect(matchesPattern('alg_none', 'alg_*')).to.equal(true);
    expect(matchesPattern('alg_none', 'none')).to.equal(false);
  });

  const habits = {
    endpoints: new Set(['authorize', 'token'] as const),
    refreshes: 'it did not refresh',
    maxAge: false,
    resource: false,
  };
  const nobodyElse = { sandbox: undefined, alone: false };
  const skipped = (name: string, options: object = {}, does: object = {}, other: string | undefined = 'bob') =>
    skipReason(named(name), { ...nobodyElse, ...options }, { ...habits, ...does }, { other });

  verifies('EXM-09', 'wait for --sandbox or --alone where their requests name no client', () => {
    const ones = ['jwks_empty', 'discovery_issuer_slash', 'key_rotated_before_signing', 'saml_metadata_expired'];
    const endpoints = new Set(['jwks', 'discovery', 'token', 'saml_metadata']);
    for (const name of ones) {
      expect(namesNoClient(named(name)), name).to.equal(true);
      expect(skipped(name, {}, { endpoints }), name).to.match(/--sandbox or --alone/);
      expect(skipped(name, { alone: true }, { endpoints }), name).to.equal(undefined);
      expect(skipped(name, { sandbox: 's' }, { endpoints }), name).to.equal(undefined);
    }
    expect(namesNoClient(named('alg_none'))).to.equal(false);
  });

  verifies('EXM-11', 'are skipped where the login without fault did not ask', () => {
    expect(skipped('userinfo_subject_missing')).to.equal('the login without a fault sent no request to userinfo');
    expect(skipped('alg_none')).to.equal(undefined);
  });

  verifies('EXM-18', 'of max_age and of refreshing have conditions of their own', () => {
    expect(skipped('auth_time_old')).to.equal('the client does not send max_age');
    expect(skipped('auth_time_old', {}, { maxAge: true })).to.equal(undefined);
    expect(skipped('refresh_revoked', {}, { refreshes: true })).to.equal(
      'it moves the clock, which requires --sandbox',
    );
    expect(skipped('refresh_revoked', { sandbox: 's' })).to.match(/did not refresh/);
    expect(skipped('refresh_revoked', { sandbox: 's' }, { refreshes: true })).to.equal(undefined);
  });

  it('expect of a client what its habits make of a row', () => {
    const { particulars } = named('subject_changed');
    expect(particulars.expectedOf?.(habits)).to.equal('either');
    expect(particulars.expectedOf?.({ ...habits, endpoints: new Set(['userinfo']) })).to.equal(undefined);
    expect(named('discovery_no_pkce').particulars.expectedOf?.({ ...habits, resource: true })).to.equal('reject');
  });
});
