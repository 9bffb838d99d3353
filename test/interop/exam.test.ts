// The exam of whole applications: it tells careful ones and sloppy ones apart, and leaves nothing behind (section EXM).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  carefulRelyingParty,
  carefulServiceProvider,
  type ExaminedApplication,
  samlifyServiceProvider,
  sloppyRelyingParty,
  sloppyServiceProvider,
  type Wrapping,
} from '#test/support/examined-applications.ts';
import { passportApplication } from '#test/support/passport-application.ts';
import { decided, exam, type StartedExam, startExam, startExamIn, wrong } from '#test/support/run-exam.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { toolOrSkip } from '#test/support/tools.ts';
import { verifies } from '#test/support/verifies.ts';

const forgeries = [
  ...['alg_none', 'signature_tampered', 'key_unknown', 'token_issuer_wrong', 'token_audience_wrong', 'token_expired'],
  'nonce_wrong',
];
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

describe('the exam', function () {
  this.timeout(240_000);
  let idp: RunningIdp;
  let applications: ExaminedApplication[] = [];
  let started: StartedExam[] = [];
  before(async () => {
    idp = await startIdp();
  });
  afterEach(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGTERM');
      await ended;
    }
    started = [];
    for (const application of applications) await application.close();
    applications = [];
    const left = [(await idp.api('GET', '/api/faults')).body.faults, (await idp.api('GET', '/api/exams')).body.exams];
    const { users } = (await idp.api('GET', '/api/runtime/users')).body;
    expect([...left, users]).to.deep.equal([[], [], []]);
  });
  after(() => idp.stop());

  const open = async (starting: Promise<ExaminedApplication>) => {
    const application = await starting;
    applications.push(application);
    return application;
  };
  const begin = (...args: string[]) => {
    const one = startExam(idp, ...args);
    started.push(one);
    return one;
  };
  const oidc = ({ name, loginUrl }: ExaminedApplication) => ['--client', name, '--login-url', loginUrl];
  const saml = ({ name, loginUrl }: ExaminedApplication) => ['--saml', '--sp', name, '--login-url', loginUrl];
  const wrapped = async (wrapping: Wrapping) => open(sloppyRelyingParty(idp, wrapping));

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

  verifies(
    ['EXM-21', 'EXM-23', 'EXM-25', 'EXM-26'],
    'finds what a relying party takes that verifies nothing',
    async () => {
      const application = await open(sloppyRelyingParty(idp));
      const directory = mkdtempSync(join(tmpdir(), 'test-idp-exam-'));
      try {
        const file = join(directory, 'exam.xml');
        const only = [...forgeries, 'expires_in_missing', 'payload_tampered'].join(',');
        const { code, out, error } = await exam(idp, ...oidc(application), '--only', only, '--junit', file);
        expect(code, error).to.equal(1);
        for (const name of [...forgeries, 'payload_tampered']) {
          expect(out).to.match(new RegExp(`^✗ ${name} +accepted: .*\\(.*§`, 'm'));
        }
        expect(out).to.match(/^✓ expires_in_missing +accepted/m);
        expect(out).to.match(/\n9 cases: 1 good, 8 bad, 0 undecided, 0 skipped\n$/);
        const junit = readFileSync(file, 'utf8');
        expect(junit).to.include('tests="9" failures="8"');
        for (const text of [out, error, junit]) {
          expect(text).not.to.match(/eyJ|code=|a-secret|user=|test_idp_session/);
        }
      } finally {
        rmSync(directory, { recursive: true });
      }
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

  verifies(['EXM-09', 'EXM-11'], 'skips what would meet others, and what the client never asks', async () => {
    const application = await open(sloppyRelyingParty(idp));
    const only = 'jwks_empty,userinfo_subject_missing,key_rotated_before_signing,discovery_issuer_slash';
    const { code, report } = await exam(idp, ...oidc(application), '--only', only, '--json');
    expect(report.cases.map(({ name, result }) => `${name} ${result}`)).to.deep.equal([
      'key_rotated_before_signing skipped',
      'discovery_issuer_slash skipped',
      'jwks_empty skipped',
      'userinfo_subject_missing skipped',
    ]);
    expect(code).to.equal(0);
    const alone = await exam(idp, ...oidc(application), '--only', `${only},alg_none`, '--json', '--alone');
    expect(alone.report.cases.find(({ name }) => name === 'jwks_empty')?.reason).to.match(/asked nothing of jwks/);
    const fired = (await idp.audit('&event_type=fault_created')).map(({ details }) => details.name);
    expect(fired.at(-1)).to.equal('key_rotated_before_signing');
  });

  verifies('EXM-04', 'stops with the explanation of its flow when nobody gets in', async () => {
    const application = await open(sloppyRelyingParty(idp));
    await idp.api('DELETE', `/api/runtime/clients/${application.name}`);
    const { code, error } = await exam(idp, ...oidc(application));
    expect(code).to.equal(2);
    expect(error).to.match(/the login without fault ended at .*Its flow f\d+: /s);
    expect(error).to.include('client');
  });

  verifies('EXM-05', 'stops when a denied login looks like another', async () => {
    const application = await wrapped((usual) => async (request, response) => {
      // Logged in or not, it shows the same page under the same cookies.
      const same = (status: number) => [302, 400].includes(status) && request.url?.startsWith('/callback') === true;
      const send = response.writeHead.bind(response);
      const whatever = Object.assign(response, {
        writeHead: (status: number, headers: Record<string, string>) =>
          same(status) ? send(200, { 'Content-Type': 'text/html' }) : send(status, headers),
      });
      await usual(request, whatever);
    });
    const { code, error } = await exam(idp, ...oidc(application), '--only', 'alg_none');
    expect(code).to.equal(2);
    expect(error).to.include('--logged-in-when');
  });

  verifies('EXM-20', 'names --browser when a page waits for its script', async () => {
    const application = await wrapped((usual) => async (request, response) => {
      if (request.url !== '/login') return await usual(request, response);
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end('<div id="app"></div><script src="/app.js"></script>');
    });
    const { code, error } = await exam(idp, ...oidc(application));
    expect(code).to.equal(2);
    expect(error).to.include('--browser');
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
        ([exit, said]: [number, string]) => exit === 2 && said.includes('needs an installed Chromium'),
      );
    },
  );

  verifies('EXM-19', 'examines an Express application with passport in Chromium', async function () {
    toolOrSkip(this, 'chromium');
    const application = await open(passportApplication(idp));
    const browser = ['--browser', '--logged-in-when', 'text=Hello', '--json', '--only'];
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

  verifies(['EXM-12', 'EXM-14', 'EXM-16'], 'says crashed of a client that answers 500, and goes on', async () => {
    const application = await wrapped((usual) => async (request, response) => {
      const send = response.writeHead.bind(response);
      const crashing = Object.assign(response, {
        writeHead: (status: number, headers: Record<string, string>) => send(status === 400 ? 500 : status, headers),
      });
      await usual(request, crashing);
    });
    const only = 'id_token_missing,expires_in_missing';
    const { code, report } = await exam(idp, ...oidc(application), '--only', only, '--json');
    expect(decided(report)).to.deep.equal(['id_token_missing crashed', 'expires_in_missing accepted']);
    expect([code, report.control.failed]).to.deep.equal([1, false]);
  });

  verifies('EXM-16', 'decides nothing about a client that stays broken', async () => {
    let isBroken = false;
    const application = await wrapped((usual) => async (request, response) => {
      if (isBroken) return void request.socket.destroy();
      const send = response.writeHead.bind(response);
      const breaking = Object.assign(response, {
        writeHead: (status: number, headers: Record<string, string>) => {
          // The first refusal is that of the login that is denied.
          isBroken = status === 400 && request.url?.includes('error=') === false;
          return send(status, headers);
        },
      });
      await usual(request, breaking);
    });
    const only = 'expires_in_missing,token_not_jwt,scope_missing';
    const { code, report } = await exam(idp, ...oidc(application), '--only', only, '--json');
    expect(report.cases.map(({ result }) => result)).to.deep.equal(['undecided', 'undecided', 'undecided']);
    expect([code, report.control.failed]).to.deep.equal([2, true]);
  });

  verifies(
    ['EXM-08', 'EXM-10'],
    'runs once for a client, meets nobody else, and is gone when it is stopped',
    async () => {
      const application = await open(sloppyRelyingParty(idp));
      const other = await open(sloppyRelyingParty(idp));
      const first = begin(...oidc(application), '--except', 'delay,hang,slow_drip');
      await until('the exam is under way', () => first.progress().includes('\n3/'));
      const second = await exam(idp, ...oidc(application));
      expect(second.code).to.equal(2);
      expect(second.error).to.match(/exam.* running/);
      const beside = await exam(idp, ...oidc(other), '--only', 'expires_in_missing', '--json');
      expect(decided(beside.report)).to.deep.equal(['expires_in_missing accepted']);
      first.child.kill('SIGTERM');
      const { code, error } = await first.ended;
      expect(code).to.equal(2);
      expect(error).to.include('SIGTERM');
    },
  );

  verifies('EXM-08', 'leaves nothing for longer than it lives when it is killed', async () => {
    const application = await open(sloppyRelyingParty(idp));
    const killed = begin(...oidc(application), '--timeout', '2');
    await until('the exam is under way', () => killed.progress().includes('\n3/'));
    killed.child.kill('SIGKILL');
    await killed.ended;
    const isGone = async () => {
      const { users } = (await idp.api('GET', '/api/runtime/users')).body;
      const { faults } = (await idp.api('GET', '/api/faults')).body;
      return (
        users.length === 0 &&
        faults.every(({ expires_at }: { expires_at: string }) => Date.parse(expires_at) < Date.now())
      );
    };
    await until('nothing of it is left', isGone);
    await idp.api('DELETE', '/api/faults');
  });

  verifies('EXM-07', 'sets one quiet fault at a time, for this client and user alone', async () => {
    const application = await open(sloppyRelyingParty(idp));
    const running = begin(...oidc(application), '--only', 'delay@token', '--timeout', '9');
    let seen: Record<string, unknown>[] = [];
    await until('its fault is set', async () => {
      seen = (await idp.api('GET', '/api/faults')).body.faults;
      return seen.some(({ fault }) => fault === 'delay');
    });
    const [fault] = seen;
    expect(seen).to.have.length(1);
    expect(fault).to.deep.include({ fault: 'delay', at: ['token'], times: 1, quiet: true, parameters: { ms: 3000 } });
    expect(fault?.when).to.have.keys('client_id', 'username');
    const { expires_at: end, created_at: start } = fault as Record<string, string>;
    expect(Date.parse(end ?? '') - Date.parse(start ?? '')).to.equal(18_000);
    expect((await running.ended).code).to.equal(0);
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
      reason: 'the client did not refresh once its access token was over',
    });
    expect((await sandbox.api('GET', '/api/clock')).body.moved).to.equal(false);
  });
});
