import { expect } from 'chai';
import { type ExamOptions, readExamOptions } from '#cli/exam/exam-options.ts';
import { UsageError } from '#cli/usage-error.ts';
import { verifies } from '#test/support/verifies.ts';

const whom = ['--client', 'web', '--login-url', 'http://localhost:3000/login'];

function read(...args: string[]): ExamOptions {
  const options = readExamOptions(args, { IDP_MANAGEMENT_SECRET: 'of the environment', IDP_URL: 'http://elsewhere:1' });
  if ('list' in options) throw new Error('the cases alone were asked for');
  return options;
}

describe('the options of an exam', () => {
  verifies('EXM-01', 'have defaults', () => {
    const { cases, ...options } = read(...whom);
    expect(options).to.deep.equal({
      ...{ protocol: 'oidc', subject: 'web', loginUrl: new URL('http://localhost:3000/login') },
      ...{ idp: 'http://127.0.0.1:8000', sandbox: undefined, person: undefined, criterion: undefined },
      ...{ timeoutSeconds: 15, junitFile: undefined, json: false, browser: false, insecure: false },
      ...{ managementSecret: 'of the environment', alone: false, allowUndecided: false },
    });
    expect(cases.length).to.be.greaterThan(100);
  });

  verifies('EXM-01', 'are read', () => {
    const saml = read('--saml', '--sp', 'urn:sp', '--login-url', 'https://app.example', '--only', 'saml_xsw*');
    expect([saml.protocol, saml.subject, saml.cases.length]).to.deep.equal(['saml', 'urn:sp', 8]);
    const chosen = read(...whom, '--only', 'alg_*', '--except', 'alg_none,alg_none_*').cases;
    expect(chosen.map(({ name }) => name)).to.deep.equal([
      'alg_hs256_public_key',
      'alg_hs256_client_secret',
      'alg_other_rsa',
    ]);
    // Several times, each counts.
    const again = read(...whom, '--only', 'alg_none', '--only', 'alg_other_*,nonce_wrong', '--except', 'nonce_wrong');
    expect(again.cases.map(({ name }) => name)).to.have.members(['alg_none', 'alg_other_rsa']);
    const criteria = read(...whom, '--logged-in-when', 'status=200', '--logged-in-when', 'text=Hello, you,cookie=user');
    expect(criteria.criterion?.map(({ kind }) => kind)).to.deep.equal(['status', 'text', 'cookie']);
    const options = read(...whom, '--user', 'alice', '--password', 'p', '--timeout', '120', '--sandbox', 'one');
    expect(options.person).to.deep.equal({ username: 'alice', password: 'p' });
    expect([options.timeoutSeconds, options.sandbox]).to.deep.equal([120, 'one']);
    expect(read(...whom, '--management-secret', 'typed').managementSecret).to.equal('typed');
  });

  verifies('EXM-01', 'are refused with the usage where they are wrong', async () => {
    for (const [args, says] of [
      [[], /--client/],
      [['--client', 'web'], /--login-url is missing/],
      [['--client', 'web', '--login-url', 'localhost'], /--login-url must be a URL/],
      [[...whom, '--timeout', '0'], /1 to 120/],
      [[...whom, '--timeout', '121'], /1 to 120/],
      [[...whom, '--user', 'alice'], /--user and --password/],
      [[...whom, '--only', 'alg_nothing'], /unknown case 'alg_nothing'/],
      [[...whom, '--only', 'alg_none', '--except', 'alg_*'], /select no case/],
      [[...whom, '--saml'], /exclude each other/],
      [['--saml', '--login-url', 'http://app.example'], /--sp is missing. --saml requires it./],
      [['--sp', 'urn:sp', '--login-url', 'http://app.example'], /--sp requires --saml/],
      [[...whom, '--logged-in-when', 'title=x'], /url=, text=/],
      [[...whom, '--sandbox', 'No Name'], /--sandbox must be/],
      [[...whom, '--brower'], /Did you mean "--browser"/],
    ] as const) {
      expect(await refusalOf(args).explained(), args.join(' ')).to.match(says);
    }
  });
});

function refusalOf(args: readonly string[]): UsageError {
  try {
    read(...args);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  return expect.fail(`${args.join(' ')} was taken`);
}
