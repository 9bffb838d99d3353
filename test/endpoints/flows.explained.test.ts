// What the explanation of a refused flow names as its cause: the refusal, or what went wrong on purpose (REC-18).
import { expect } from 'chai';
import { noFaults, setFault } from '#test/support/faults.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  beginDevice,
  call,
  codeFor,
  deviceGrantType,
  redeemCode,
  refresh,
  token,
  tokensFor,
  userinfo,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the explanation of a refused flow', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ command: 'instance' });
  });
  beforeEach(async () => {
    await noFaults(idp);
    await idp.api('DELETE', '/api/flows');
  });
  after(() => idp.stop());

  const newest = async () => (await idp.api('GET', '/api/flows?limit=1')).body.flows[0];
  const explanation = async (): Promise<string> =>
    (await idp.api('GET', `/api/flows/${(await newest()).id}`)).body.explanation;
  const findings = async (): Promise<string> => {
    const { text } = await call(idp, `/flows/${(await newest()).id}`);
    return (text.split('Findings')[1] ?? '').replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
  };
  const neverIssued = { grant_type: 'authorization_code', code: 'none', redirect_uri: 'http://127.0.0.1:9/callback' };

  for (const [fault, parameters] of [
    ['delay', { ms: 1 }],
    ['slow_drip', { bytes_per_second: 10_000 }],
    ['cacheable_answer', {}],
  ] as const) {
    verifies('REC-18', `names the refusal, where ${fault} changed only how it was told`, async () => {
      await setFault(idp, fault, { at: ['token'], parameters });
      await token(idp, neverIssued);
      expect(await explanation()).to.match(
        new RegExp(
          `^/token refused with 400: [^;]+ \\(RFC 6749 §4\\.1\\.3\\); wrong on purpose: ${fault} at /token \\(docs/faults\\.md\\)\\. Right would have been: .+`,
        ),
      );
    });
  }

  verifies('REC-18', 'names the fault that refused a request in place of the endpoint, or made it refuse', async () => {
    await setFault(idp, 'unavailable', { at: ['token'] });
    await token(idp, neverIssued);
    expect(await explanation()).to.match(
      /^\/token answered 503 because the fault unavailable fired: .+ \(docs\/faults\.md\)\.$/,
    );
    await setFault(idp, 'code_and_error');
    await codeFor(idp);
    expect(await explanation()).to.match(
      /^\/authorize answered 302 because the fault code_and_error fired: access_denied /,
    );
    const { refresh_token } = await tokensFor(idp, { scope: 'openid offline_access' });
    await setFault(idp, 'refresh_revoked');
    await refresh(idp, refresh_token);
    expect(await explanation()).to.match(/^\/token answered 400 because the fault refresh_revoked fired: /);
    await noFaults(idp);
    for (const name of ['device_expired', 'device_denied']) {
      const { device_code } = await beginDevice(idp);
      await setFault(idp, name);
      await token(idp, { grant_type: deviceGrantType, device_code });
      expect(await explanation()).to.match(new RegExp(`^/token answered 400 because the fault ${name} fired: `));
    }
  });

  verifies(
    'REC-18',
    'holds nothing against a client that was refused for what an earlier fault brought about',
    async () => {
      await setFault(idp, 'code_wrong');
      await redeemCode(idp, await codeFor(idp));
      const told = await explanation();
      expect(told).to.match(
        /^\/token refused with 400: .+ \(RFC 6749 §4\.1\.3\); wrong on purpose: code_wrong at \/authorize \(docs\/faults\.md\)\. A fault came first/,
      );
      expect(await findings())
        .to.contain('code_wrong')
        .and.not.contain('Expected:');
    },
  );

  verifies('REC-18', 'names the fault that made a token which is refused later', async () => {
    await setFault(idp, 'token_expired', { parameters: { token: 'access_token' } });
    const issued = await tokensFor(idp, { scope: 'openid' });
    expect((await userinfo(idp, issued.access_token)).status).to.equal(401);
    expect(await explanation()).to.match(
      /^\/userinfo refused with 401: .+ \(.+\); wrong on purpose: token_expired at \/token \(docs\/faults\.md\)\. A fault came first/,
    );
  });
});
