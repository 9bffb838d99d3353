// The exam as a program: what it requests, prints and leaves behind (section EXM). exam.drill.ts examines whole
// applications.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { carefulRelyingParty, sloppyRelyingParty } from '#test/support/examined-applications.ts';
import { decided, exam, examRoom, forgeries, oidc } from '#test/support/run-exam.ts';
import { makeSandbox } from '#test/support/sandboxes.ts';
import { until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the exam', function () {
  this.timeout(240_000);
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp();
  });
  after(() => idp.stop());
  const { open, begin, wrapped } = examRoom(() => idp);

  verifies(
    ['EXM-21', 'EXM-23', 'EXM-25', 'EXM-26'],
    'finds what a relying party without verification accepts',
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

  verifies(
    ['EXM-09', 'EXM-11'],
    'skips cases that would affect other clients, and requests that the client never sends',
    async () => {
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
      expect(alone.report.cases.find(({ name }) => name === 'jwks_empty')?.reason).to.match(/sent no request to jwks/);
      const fired = (await idp.audit('&event_type=fault_created')).map(({ details }) => details.name);
      expect(fired.at(-1)).to.equal('key_rotated_before_signing');
    },
  );

  verifies('EXM-04', 'stops with the explanation of its flow if the login fails', async () => {
    const application = await open(sloppyRelyingParty(idp));
    await idp.api('DELETE', `/api/runtime/clients/${application.name}`);
    const { code, error } = await exam(idp, ...oidc(application));
    expect(code).to.equal(2);
    expect(error).to.match(/the login without a fault ended at .*Its flow f\d+: /s);
    expect(error).to.include('client');
  });

  verifies('EXM-04', 'says that the clock was moved so that the client rejects all tokens', async () => {
    const application = await open(carefulRelyingParty(idp));
    await idp.api('PUT', '/api/clock', { advance_seconds: 2 * 24 * 3600 });
    const { code, error } = await exam(idp, ...oidc(application)).finally(() => idp.api('DELETE', '/api/clock'));
    expect(code).to.equal(2);
    expect(error).to.match(
      /Its flow f\d+: .* Its clock was moved to \d{4}-.* DELETE \/api\/clock returns it to real time\.$/m,
    );
  });

  verifies('EXM-04', 'names the client that logs in if it is not the requested one', async () => {
    const { name, loginUrl } = await open(sloppyRelyingParty(idp));
    const { code, error } = await exam(idp, '--client', 'demo-client', '--login-url', loginUrl);
    expect(code).to.equal(2);
    expect(error).to.include(`logs in as ${name}, but --client names demo-client`);
  });

  verifies('EXM-05', 'stops if a denied login looks like a successful one', async () => {
    const application = await wrapped((usual) => async (request, response) => {
      // It shows the same page with the same cookies, logged in or not.
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

  verifies(['EXM-05', 'EXM-12'], "names another caller's fault that fires instead of its own", async () => {
    const application = await open(sloppyRelyingParty(idp));
    const set = async (at: string) =>
      (
        await idp.api('POST', '/api/faults', {
          ...{ fault: 'delay', at, times: 'always', parameters: { ms: 1 }, when: { client_id: application.name } },
        })
      ).body.id;
    const before = await set('authorize');
    const { code, error } = await exam(idp, ...oidc(application), '--only', 'id_token_missing');
    await idp.api('DELETE', `/api/faults/${before}`);
    expect(code, error).to.equal(2);
    expect(error).to.include('could not make a login fail: the fault never fired: delay');
    const beside = await set('token');
    const { report } = await exam(idp, ...oidc(application), '--only', 'id_token_missing', '--json');
    await idp.api('DELETE', `/api/faults/${beside}`);
    expect(report.cases.map(({ result, reason }) => `${result}: ${reason}`)).to.deep.equal([
      'undecided: the fault never fired: delay, which was set outside the exam, fired instead',
    ]);
  });

  verifies('EXM-20', 'suggests --browser if a page needs its script', async () => {
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

  verifies(['EXM-12', 'EXM-14', 'EXM-16'], 'reports crashed for a client that answers 500, and continues', async () => {
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
          // The first 400 belongs to the denied login.
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
    ['EXM-14', 'EXM-16', 'EXM-26'],
    'accuses no client that caches its key set of a rotated key, or of earlier cases',
    async () => {
      const sandbox = await makeSandbox(idp, { keys: 'own' });
      // openid-client fetches a key set at most once a minute.
      const application = await open(carefulRelyingParty(idp, sandbox.prefix));
      const only = ['--only', 'key_rotated_before_signing,alg_none,expires_in_missing'];
      const inSandbox = [...oidc(application), '--sandbox', sandbox.name, ...only, '--json'];
      const { code, report, error } = await exam(idp, ...inSandbox, '--allow-undecided');
      expect(decided(report), error).to.deep.equal(['alg_none rejected', 'expires_in_missing accepted']);
      expect([code, report.control.failed]).to.deep.equal([0, false]);
      const [rotated] = report.cases.filter(({ name }) => name === 'key_rotated_before_signing');
      expect(rotated?.reason).to.match(/next login without a fault failed: .*key set/);
    },
  );

  verifies(
    ['EXM-08', 'EXM-10'],
    'runs once for a client, affects no other client, and cleans up when it is stopped',
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

  verifies('EXM-08', 'leaves nothing beyond its lifetime when it is killed', async () => {
    const application = await open(sloppyRelyingParty(idp));
    const killed = begin(...oidc(application), '--timeout', '5');
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
    await until('nothing of it remains', isGone);
    await idp.api('DELETE', '/api/faults');
  });

  verifies('EXM-07', 'sets one quiet fault at a time, only for this client and user', async () => {
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
});
