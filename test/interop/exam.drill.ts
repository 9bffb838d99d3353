// The exam of applications that are made with real libraries, case by case: what it finds is what docs/guides/exam.md says.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import {
  carefulRelyingParty,
  carefulServiceProvider,
  samlifyServiceProvider,
  sloppyRelyingParty,
  sloppyServiceProvider,
} from '#test/support/examined-applications.ts';
import { passportApplication } from '#test/support/passport-application.ts';
import { decided, exam, examRoom, forgeries, oidc, saml, startExamIn, wrong } from '#test/support/run-exam.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const samlForgeries = [
  ...['saml_unsigned', 'saml_key_unknown', 'saml_content_tampered', 'saml_expired', 'saml_audience_wrong'],
  'saml_in_response_to_wrong',
];
const wrappings = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `saml_xsw${number}`);

/** The cases that the guide's table says an application is wrong in. */
function found(application: string): string[] {
  const row = readFileSync('docs/guides/exam.md', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${application}`));
  if (row === undefined) throw new Error(`the guide has no row of ${application}`);
  return [...(row.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

describe('the exam of applications made with libraries', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp();
  });
  after(() => idp.stop());
  const { open, wrapped } = examRoom(() => idp);

  verifies(
    ['EXM-02', 'EXM-03', 'EXM-22', 'EXM-24', 'EXM-26'],
    'has nothing against a relying party on openid-client',
    async () => {
      const application = await open(carefulRelyingParty(idp));
      const { code, report, error } = await exam(
        idp,
        ...oidc(application),
        '--json',
        '--allow-undecided',
        '--timeout',
        '10',
      );
      expect(wrong(report), error).to.deep.equal(found('openid-client'));
      expect(code).to.equal(0);
      expect(decided(report)).to.include.members(forgeries.map((name) => `${name} rejected`));
      expect(Object.keys(report)).to.deep.equal(['client', 'login_url', 'control', 'cases', 'counts']);
      const [one] = report.cases.filter(({ name }) => name === 'alg_none');
      expect(one).to.deep.include({
        expected: 'reject',
        result: 'rejected',
        good: true,
        standard: 'RFC 8725 §2.1, §3.1',
      });
      expect(one?.flow).to.match(/^f\d+$/);
      expect(report.counts.rejected).to.be.at.least(40);
    },
  );

  verifies('EXM-27', 'tells two service providers apart', async () => {
    const only = ['--only', [...samlForgeries, ...wrappings].join(',')];
    const provider = await open(carefulServiceProvider(idp));
    const careful = await exam(idp, ...saml(provider), ...only, '--json');
    expect(decided(careful.report), careful.error).to.deep.equal(
      careful.report.cases.map(({ name }) => `${name} rejected`),
    );
    expect(careful.report.cases).to.have.length(14);
    expect(careful.code).to.equal(0);
    const whole = await exam(idp, ...saml(provider), '--only', 'saml_*', '--json');
    expect(wrong(whole.report), whole.error).to.deep.equal(found('node-saml'));
    const sloppy = await exam(idp, ...saml(await open(sloppyServiceProvider(idp))), ...only, '--json');
    const accepted = [...samlForgeries, 'saml_xsw3', 'saml_xsw5', 'saml_xsw7'];
    expect(decided(sloppy.report), sloppy.error).to.include.members(accepted.map((name) => `${name} accepted`));
    expect(sloppy.code).to.equal(1);
  });

  it('finds what samlify takes', async () => {
    const { report, error } = await exam(
      idp,
      ...saml(await open(samlifyServiceProvider(idp))),
      '--json',
      '--only',
      'saml_*',
    );
    expect(wrong(report), error).to.deep.equal(found('samlify'));
  });

  verifies(
    'EXM-19',
    'logs in by Chromium where a page waits for its script, or says what is missing',
    async function () {
      toolOrSkip(this, 'chromium');
      const application = await wrapped((usual) => async (request, response) => {
        if (request.url !== '/') return await usual(request, response);
        const page = '<p>One moment</p><script>location.href = "/login"</script>';
        response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
      });
      const begins = new URL('/', application.loginUrl).href;
      const args = ['--client', application.name, '--login-url', begins, '--browser', '--json'];
      const { code, report, error } = await exam(
        idp,
        ...args,
        '--only',
        'alg_none,id_token_missing,expires_in_missing',
      );
      expect(decided(report), error).to.deep.equal([
        'alg_none accepted',
        'id_token_missing rejected',
        'expires_in_missing accepted',
      ]);
      expect(code).to.equal(1);
      const nowhere = startExamIn({ PATH: '', CHROME_PATH: '' }, idp, ...args);
      const missing = await nowhere.ended;
      expect([missing.code, missing.error]).to.satisfy(
        ([exit, said]: [number, string]) => exit === 2 && said.includes('requires Chromium'),
      );
    },
  );

  verifies('EXM-19', 'examines an Express application with passport in Chromium', async function () {
    toolOrSkip(this, 'chromium');
    const application = await open(passportApplication(idp));
    // A browser that others leave little of the machine is slow, and undecided is no finding.
    const browser = ['--browser', '--logged-in-when', 'text=Hello', '--timeout', '30', '--json', '--only'];
    const only = 'code_injected,token_audience_wrong,alg_none,signature_tampered';
    const { report, error } = await exam(idp, ...oidc(application), ...browser, only);
    expect(decided(report), error).to.deep.equal([
      'code_injected rejected',
      'token_audience_wrong rejected',
      'alg_none rejected',
      'signature_tampered accepted',
    ]);
    expect(wrong(report)).to.deep.equal(found('passport'));
    expect(application.logins()).to.be.at.least(7);
  });

  verifies(['EXM-09', 'EXM-18'], 'takes place in a sandbox, refreshes included', async () => {
    const sandbox = await makeSandbox(idp);
    const careful = await open(carefulRelyingParty(idp, sandbox.prefix));
    const inSandbox = ['--sandbox', sandbox.name, '--json', '--only'];
    const examined = await exam(
      idp,
      ...oidc(careful),
      ...inSandbox,
      'jwks_empty,alg_none,refresh_*',
      '--allow-undecided',
    );
    expect(decided(examined.report), examined.error).to.deep.equal([
      'alg_none rejected',
      'refresh_token_missing accepted',
      'refresh_reply_lost rejected',
      'refresh_not_rotated accepted',
      'refresh_token_omitted accepted',
      'refresh_revoked rejected',
      'refresh_subject_changed rejected',
      'refresh_issuer_changed rejected',
    ]);
    expect(examined.code).to.equal(0);
    const sloppy = await open(sloppyRelyingParty(idp, undefined, sandbox.prefix));
    const unexamined = await exam(idp, ...oidc(sloppy), ...inSandbox, 'refresh_revoked');
    expect(unexamined.report.cases[0]).to.deep.include({
      result: 'skipped',
      reason:
        'the client did not refresh when its access token had expired by its exp. The exam cannot test a client that counts expires_in from the response',
    });
    expect((await sandbox.api('GET', '/api/clock')).body.moved).to.equal(false);
  });
});
