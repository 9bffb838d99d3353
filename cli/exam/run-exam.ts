// Runs an exam: one login without fault, one that is denied, then one for each case (EXM-03 to EXM-16). The end always
// removes what the exam created (EXM-08).
import { systemStopwatch } from '#shared/base/clock.ts';
import type { Randomness } from '#shared/base/random.ts';
import type { ExamCase } from './cases.ts';
import { ExamError } from './exam-error.ts';
import type { ExamOptions } from './exam-options.ts';
import { type ExaminedInstance, RefusedError } from './examined-instance.ts';
import { isGood } from './judge-case.ts';
import { Login } from './login.ts';
import type { LoginParts } from './login-attempt.ts';
import { type CaseReport, countsOf, type ExamReport } from './report.ts';
import { runCase } from './run-case.ts';
import { skipReason } from './skip-reason.ts';
import type { ExamUser, Visitor } from './visitor.ts';

interface ExamParts {
  readonly instance: ExaminedInstance;
  visitorFor(person: ExamUser, origins: ReadonlySet<string>, signal: AbortSignal): Promise<Visitor>;
  /** One line for people, without a line end. */
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
  readonly random: Randomness;
}

/** @throws ExamError when it could not look; the reason of the signal when it was aborted */
export async function runExam(options: ExamOptions, parts: ExamParts): Promise<ExamReport> {
  const { protocol, subject, sandbox, cases } = options;
  const { instance } = parts;
  if (!(await instance.isRecording())) {
    throw new ExamError(
      'The recorder is off, but the exam reads the requests of the client from it. Turn it on with PUT /api/recorder and {"enabled": true}.',
    );
  }
  const movesClock = sandbox !== undefined && cases.some(({ particulars }) => particulars.refreshes === true);
  const ttlSeconds = options.timeoutSeconds * 2;
  const held = await instance.begin(
    protocol === 'oidc' ? { client_id: subject } : { sp: subject },
    ttlSeconds,
    movesClock,
  );
  const lost = new AbortController();
  const renewal = setInterval(() => {
    instance.renew(held.id, ttlSeconds).catch((error: unknown) => {
      // A missing response may arrive at the next renewal. Only a response that the exam has ended decides.
      if (error instanceof RefusedError) lost.abort(new ExamError(`another program ended the exam: ${error.message}`));
    });
  }, ttlSeconds * 250);
  try {
    return await examine(options, { ...parts, signal: AbortSignal.any([parts.signal, lost.signal]) }, held.username);
  } finally {
    clearInterval(renewal);
    await instance.end(held.id).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      parts.progress(`the exam could not be ended, so it expires within ${ttlSeconds} s: ${why}`);
    });
  }
}

async function examine(options: ExamOptions, parts: ExamParts, ownName: string): Promise<ExamReport> {
  const { instance, progress, signal, random } = parts;
  const person = options.person ?? { username: ownName, password: random.token(18) };
  if (options.person === undefined) await instance.createUser(person.username, person.password);
  const visitor = await parts.visitorFor(person, await instance.origins(), signal);
  try {
    const names = {
      own: [person.username, (await instance.addressOf(person.username)) ?? person.username],
      other: await instance.anotherUser(person.username),
      forged: `forged-${random
        .token(6)
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, '0')}@example.org`,
    };
    const loginParts: LoginParts = { options, instance, visitor, person, names, signal };
    progress('a login without a fault');
    const login = await Login.normal(loginParts);
    progress('a denied login');
    await login.requireDenialToShow();
    return await new Course(options, login, progress).run();
  } finally {
    await visitor.close();
  }
}

/** The number of cases between two logins without fault (EXM-16). */
const casesBetweenControls = 10;

class Course {
  readonly #options: ExamOptions;
  readonly #login: Login;
  readonly #progress: (line: string) => void;
  readonly #reports = new Map<ExamCase, CaseReport>();
  /** Decided since the last successful login without fault. */
  #since: ExamCase[] = [];
  #logins = 1;
  #failedAfter: string | null = null;

  constructor(options: ExamOptions, login: Login, progress: (line: string) => void) {
    this.#options = options;
    this.#login = login;
    this.#progress = progress;
  }

  async run(): Promise<ExamReport> {
    const { cases, subject, loginUrl } = this.#options;
    const { habits, names } = this.#login;
    const runnable: ExamCase[] = [];
    for (const one of cases) {
      const reason = skipReason(one, this.#options, habits, names);
      if (reason === undefined) runnable.push(one);
      else this.#reports.set(one, this.#reportOf(one, 'skipped', reason));
    }
    const isLast = ({ particulars }: ExamCase) => particulars.last !== undefined;
    const inTurn = [...runnable.filter((one) => !isLast(one)), ...runnable.filter(isLast)];
    for (const [index, one] of inTurn.entries()) {
      this.#progress(`${index + 1}/${inTurn.length} ${one.name}`);
      const isDue = (index + 1) % casesBetweenControls === 0 || index === inTurn.length - 1;
      // A separate control login before a case with lasting effects, so that the cases before it are not in doubt.
      const isBeforeLast = inTurn.slice(index + 1, index + 2).some(isLast);
      if (await this.#take(one, isDue || isBeforeLast)) continue;
      this.#failedAfter = one.name;
      for (const left of inTurn.slice(index + 1)) {
        this.#reports.set(left, this.#reportOf(left, 'undecided', `logins without a fault failed after ${one.name}`));
      }
      break;
    }
    const reports = cases.flatMap((one) => this.#reports.get(one) ?? []);
    return {
      client: subject,
      login_url: `${loginUrl.origin}${loginUrl.pathname}`,
      control: {
        ...{ flow: this.#login.flow, logins: this.#logins },
        ...{ failed: this.#failedAfter !== null, failed_after: this.#failedAfter },
      },
      cases: reports,
      counts: countsOf(reports),
    };
  }

  /** Runs a case and, if due, the login without fault after it. false: that login failed, and the exam ends. */
  async #take(one: ExamCase, isDue: boolean): Promise<boolean> {
    const began = systemStopwatch.read();
    const expected = this.#expectedOf(one);
    const { finding, flow } = await runCase(one, expected, this.#login);
    const duration = Math.round(systemStopwatch.since(began));
    const { result, reason } = finding;
    const report = { ...this.#reportOf(one, result, reason), flow, duration_ms: duration };
    this.#since.push(one);
    const isToRecover = expected === 'recover' && (result === 'accepted' || result === 'rejected');
    const works = isToRecover ? await this.#control() : undefined;
    if (works === false) {
      const sentence = `${reason}, but the next login without a fault failed`;
      this.#reports.set(one, { ...report, good: false, reason: sentence });
      this.#since = this.#since.filter((other) => other !== one);
    } else {
      this.#reports.set(one, { ...report, good: isGood(expected, result) ?? null });
    }
    if (works === true || (works === undefined && !isDue && result !== 'crashed')) return true;
    if (await this.#control()) return true;
    const { last: why } = one.particulars;
    if (why !== undefined && (result === 'accepted' || result === 'rejected')) {
      // No case follows, and all cases were run.
      const failure = `${reason}, and the next login without a fault failed: ${why}`;
      this.#reports.set(one, this.#reportOf(one, 'undecided', failure));
      return true;
    }
    for (const doubtful of this.#since) {
      const doubt = `a later login without a fault failed (${this.#reports.get(doubtful)?.reason})`;
      this.#reports.set(doubtful, this.#reportOf(doubtful, 'undecided', doubt));
    }
    return false;
  }

  async #control(): Promise<boolean> {
    this.#logins += 1;
    const works = await this.#login.works();
    if (works) this.#since = [];
    return works;
  }

  #expectedOf({ expected, particulars }: ExamCase): ExamCase['expected'] {
    return particulars.expectedOf?.(this.#login.habits) ?? expected;
  }

  #reportOf(one: ExamCase, result: CaseReport['result'], reason: string): CaseReport {
    const { name, standard } = one;
    const expected = this.#expectedOf(one);
    const good = isGood(expected, result) ?? null;
    return { name, expected, result, good, reason, standard, flow: null, duration_ms: 0 };
  }
}
