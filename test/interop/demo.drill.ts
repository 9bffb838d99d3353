// Runs the exam against the demo's applications, which must never have findings.
import { expect } from 'chai';
import { decided, exam, forgeries, wrong } from '#test/support/run-exam.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';

describe('the exam of the demo', () => {
  let idp: RunningIdp;
  let demoUrl: string;
  before(async () => {
    idp = await startIdp({ command: 'start', args: ['--demo'] });
    demoUrl = idp.demoUrl ?? expect.fail('the ready line names no demo_url');
  });
  after(() => idp.stop());

  it('finds nothing in its relying party', async () => {
    const asked = ['--client', 'demo-relying-party', '--login-url', `${demoUrl}/openid-connect/login`];
    const { code, report, error } = await exam(idp, ...asked, '--alone', '--allow-undecided', '--json');
    expect(wrong(report), error).to.deep.equal([]);
    expect(code).to.equal(0);
    expect(decided(report)).to.include.members(forgeries.map((name) => `${name} rejected`));
  });

  it('finds nothing in its service provider', async () => {
    const asked = ['--saml', '--sp', `${demoUrl}/saml/metadata`, '--login-url', `${demoUrl}/saml/login`];
    const { code, report, error } = await exam(idp, ...asked, '--alone', '--json');
    expect(wrong(report), error).to.deep.equal([]);
    expect(code).to.equal(0);
    expect(decided(report)).to.include.members(['saml_unsigned rejected', 'saml_xsw1 rejected', 'saml_sha1 rejected']);
  });
});
