// `test-idp exam` as its user runs it, and its output.
import { type ChildProcess, spawn } from 'node:child_process';
import { expect } from 'chai';
import type { ExamReport } from '#cli/exam/report.ts';
import { type ExaminedApplication, sloppyRelyingParty, type Wrapping } from './examined-applications.ts';
import { cliPath, type RunningIdp } from './start-idp.ts';

/** Faults that any client rejects that verifies ID tokens. */
export const forgeries = [
  ...['alg_none', 'signature_tampered', 'key_unknown', 'token_issuer_wrong', 'token_audience_wrong', 'token_expired'],
  'nonce_wrong',
];

export const oidc = ({ name, loginUrl }: ExaminedApplication) => ['--client', name, '--login-url', loginUrl];
export const saml = ({ name, loginUrl }: ExaminedApplication) => ['--saml', '--sp', name, '--login-url', loginUrl];

interface ExamOutcome {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
  /** The report of a run with --json. @throws its output otherwise */
  readonly report: ExamReport;
}

interface StartedExam {
  readonly child: ChildProcess;
  /** Its output for people so far. */
  progress(): string;
  readonly ended: Promise<ExamOutcome>;
}

function startExam(idp: Pick<RunningIdp, 'baseUrl'>, ...args: string[]): StartedExam {
  return startExamIn({}, idp, ...args);
}

/** Starts it with these environment variables. */
export function startExamIn(
  environment: Readonly<Record<string, string>>,
  { baseUrl }: Pick<RunningIdp, 'baseUrl'>,
  ...args: string[]
): StartedExam {
  const child = spawn(process.execPath, [cliPath, 'exam', '--idp', baseUrl, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let [out, error] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    out += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    error += piece;
  });
  const ended = new Promise<ExamOutcome>((resolve) => {
    child.once('close', (code) => {
      resolve({
        ...{ code, out, error },
        get report() {
          if (!out.startsWith('{')) throw new Error(`no report, exit code ${code}: ${error}`);
          return JSON.parse(out);
        },
      });
    });
  });
  return { child, progress: () => error, ended };
}

export async function exam(idp: Pick<RunningIdp, 'baseUrl'>, ...args: string[]): Promise<ExamOutcome> {
  return await startExam(idp, ...args).ended;
}

/** `name result` of each decided case. */
export function decided({ cases }: ExamReport): string[] {
  return cases
    .filter(({ result }) => result !== 'skipped' && result !== 'undecided')
    .map(({ name, result }) => `${name} ${result}`);
}

/** The names of the cases in which the application behaved incorrectly. */
export function wrong({ cases }: ExamReport): string[] {
  return cases.filter(({ good }) => good === false).map(({ name }) => name);
}

/** Applications and exams of one test. They end with it, and nothing of an exam remains. */
export function examRoom(idp: () => RunningIdp) {
  let applications: ExaminedApplication[] = [];
  let started: StartedExam[] = [];
  afterEach(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGTERM');
      await ended;
    }
    started = [];
    for (const application of applications) await application.close();
    applications = [];
    const { api } = idp();
    const left = [(await api('GET', '/api/faults')).body.faults, (await api('GET', '/api/exams')).body.exams];
    const { users } = (await api('GET', '/api/runtime/users')).body;
    expect([...left, users]).to.deep.equal([[], [], []]);
  });
  const open = async (starting: Promise<ExaminedApplication>) => {
    const application = await starting;
    applications.push(application);
    return application;
  };
  return {
    open,
    wrapped: (wrapping: Wrapping) => open(sloppyRelyingParty(idp(), wrapping)),
    begin(...args: string[]): StartedExam {
      const one = startExam(idp(), ...args);
      started.push(one);
      return one;
    },
  };
}
