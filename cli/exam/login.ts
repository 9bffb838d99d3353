// Logins through the application: the one without fault, with which all others are compared, and the exchanges that
// each left with the identity provider.

import type { CorrectClient } from '#shared/engine/faults/fault-row.ts';
import { everyFaultEndpoint, type FaultCondition } from '#shared/model/domain/fault.ts';
import type { ClientBehaviour, ForeignName } from './cases.ts';
import { ExamError } from './exam-error.ts';
import type { ExamOptions } from './exam-options.ts';
import type { Exchange, FaultWish } from './examined-instance.ts';
import { type Finding, findingOf } from './judge-case.ts';
import { isLike, type Likeness, likenessOf, matchesCriterion, shows } from './logged-in-criterion.ts';
import {
  type Attempt,
  attempt,
  attemptInNewBrowser,
  isFirstRequest,
  type LoginParts,
  type Names,
} from './login-attempt.ts';
import { logInWithPastClock, type PastLogin } from './past-login.ts';
import type { Arrival, LastPage } from './visitor.ts';

/** An exchange without an audit event may be written this much later (REC-09). */
const settlingMilliseconds = 1100;

const usualLifetimeSeconds = 3600;

export class Login {
  readonly habits: ClientBehaviour;
  /** The flow of the login without fault. */
  readonly flow: string | null;
  readonly #parts: LoginParts;
  readonly #likeness: Likeness;
  readonly #lifetimeSeconds: number;

  private constructor(
    parts: LoginParts,
    likeness: Likeness,
    exchanges: readonly Exchange[],
    refreshes: ClientBehaviour['refreshes'],
  ) {
    this.#parts = parts;
    this.#likeness = likeness;
    const requestParameters = exchanges
      .filter(({ endpoint }) => endpoint === 'authorize' || endpoint === 'pushed_authorization_request')
      .flatMap(({ parameters }) => parameters);
    const asksWith = (wanted: string) => requestParameters.some(({ name }) => name === wanted);
    this.habits = {
      endpoints: new Set(everyFaultEndpoint.filter((each) => exchanges.some(({ endpoint }) => endpoint === each))),
      ...{ refreshes, maxAge: asksWith('max_age'), resource: asksWith('resource') },
    };
    this.flow = exchanges.find(({ endpoint }) => isFirstRequest(endpoint))?.flow ?? null;
    this.#lifetimeSeconds = lifetimeIn(exchanges);
  }

  /** @throws ExamError when it does not end logged in, with what is known of its flow (EXM-04, EXM-20) */
  static async normal(parts: LoginParts): Promise<Login> {
    const visit = await parts.visitor.begin();
    try {
      const { arrival, exchanges } = await attempt(parts, () => visit.go(parts.options.loginUrl), settlingMilliseconds);
      const failure = failureOf(arrival, exchanges, parts.options);
      if (failure !== undefined || arrival.end !== 'page') {
        throw new ExamError(`${failure}. ${await explained(exchanges, parts)}`);
      }
      await requireOwnLogin(exchanges, parts);
      const likeness = likenessOf(arrival.page);
      const made = (refreshes: ClientBehaviour['refreshes']) => new Login(parts, likeness, exchanges, refreshes);
      const { cases, sandbox } = parts.options;
      const needsRefresh = sandbox !== undefined && cases.some(({ particulars }) => particulars.refreshes === true);
      return needsRefresh
        ? made(await made('').#whetherItRefreshes())
        : made('the exam did not test whether the client refreshes tokens');
    } finally {
      await visit.close();
    }
  }

  get names(): Names {
    return this.#parts.names;
  }

  get parts(): LoginParts {
    return this.#parts;
  }

  /** The requests of this client and user, as far as the endpoint identifies them. */
  get condition(): FaultCondition {
    const { options, person } = this.#parts;
    const { protocol, subject } = options;
    return { ...(protocol === 'oidc' ? { client_id: subject } : { sp: subject }), username: person.username };
  }

  /** One login with an empty cookie jar. */
  async go(): Promise<Attempt> {
    return await attemptInNewBrowser(this.#parts);
  }

  /** Whether a login without fault still works. */
  async works(): Promise<boolean> {
    const { arrival } = await this.go();
    return arrival.end === 'page' && arrival.at === 'client' && this.isLoggedIn(arrival.page, undefined);
  }

  /** Logs in first. Then, with the access token expired, requests the last page again (EXM-18). */
  async goAndRefresh(inBetween: () => Promise<void>): Promise<Attempt> {
    const { login, later } = await this.#goInThePast(inBetween);
    return later ?? { arrival: login, exchanges: [] };
  }

  /** Without a fault a refresh must work. Otherwise a refresh with a fault could not be judged. */
  async #whetherItRefreshes(): Promise<ClientBehaviour['refreshes']> {
    const { frozen } = await this.#parts.instance.clock();
    if (frozen) return 'the clock of the sandbox is frozen, so no token expires';
    const { login, later } = await this.#goInThePast(async () => {});
    const isIn = (arrival: Arrival | undefined) =>
      arrival?.end === 'page' && arrival.at === 'client' && this.isLoggedIn(arrival.page, undefined);
    if (!isIn(login)) return 'the client rejects tokens that were issued long ago';
    if (!later?.exchanges.some(isRefresh)) {
      return 'the client did not refresh when its access token had expired by its exp. The exam cannot test a client that counts expires_in from the response';
    }
    return isIn(later.arrival) ? true : 'no user was logged in after a refresh without a fault';
  }

  #goInThePast(inBetween: () => Promise<void>): Promise<PastLogin> {
    return logInWithPastClock(this.#parts, this.#lifetimeSeconds, inBetween);
  }

  /** `foreign`: the name in a forged response. It may replace the user's name in criterion and path. */
  isLoggedIn(page: LastPage, foreign: string | undefined): boolean {
    const { criterion } = this.#parts.options;
    const isIn = (exchangeNames?: (text: string) => string) =>
      criterion === undefined
        ? isLike(page, this.#likeness, exchangeNames)
        : matchesCriterion(page, criterion, exchangeNames);
    return isIn() || (foreign !== undefined && isIn((text) => inPlaceOf(this.names.own, foreign, text)));
  }

  /** The foreign name is checked first (EXM-15). */
  namedOn(page: LastPage, foreign: string): 'foreign' | 'own' | 'neither' {
    if (shows(page, foreign)) return 'foreign';
    return this.names.own.some((name) => shows(page, name)) ? 'own' : 'neither';
  }

  foreignName(kind: ForeignName | undefined): string | undefined {
    switch (kind) {
      case 'other_user':
        return this.names.other;
      case 'changed_subject':
        return `${this.#parts.person.username}-other`;
      case 'forged_name_id':
        return this.names.forged;
      case undefined:
        return undefined;
    }
  }

  /** @throws ExamError when a denied login looks like one that succeeded (EXM-05) */
  async requireDenialToShow(): Promise<void> {
    const { protocol } = this.#parts.options;
    const denial: Pick<FaultWish, 'fault' | 'at' | 'parameters'> =
      protocol === 'oidc'
        ? { fault: 'oauth_error', at: 'authorize', parameters: { error: 'access_denied' } }
        : { fault: 'saml_status_error', at: 'saml_sso', parameters: {} };
    const wish = { ...denial, times: 1, when: this.condition };
    const { finding } = await this.judged(wish, 'reject', undefined, () => this.go());
    if (finding.result === 'undecided') {
      throw new ExamError(`the exam could not make a login fail: ${finding.reason}`);
    }
    if (finding.result === 'accepted') {
      throw new ExamError(
        'a denied login looks like a successful one. Describe the difference with --logged-in-when, such as text=Log out',
      );
    }
  }

  /** The result of one login with a fault set for this client and user only, where the endpoint knows them (EXM-07). */
  async judged(
    wish: Omit<FaultWish, 'ttl_seconds'>,
    expected: CorrectClient,
    foreign: string | undefined,
    go: (set: () => Promise<void>) => Promise<Attempt>,
    setsItself = false,
  ): Promise<{ readonly finding: Finding; readonly flow: string | null }> {
    const { instance, options } = this.#parts;
    let id: string | undefined;
    let hits = 0;
    let attempted: Attempt;
    const set = async () => {
      id = await instance.setFault({ ...wish, ttl_seconds: options.timeoutSeconds * 2 });
    };
    try {
      if (!setsItself) await set();
      attempted = await go(set);
    } finally {
      hits = id === undefined ? 0 : await instance.takeBackFault(id);
    }
    const { arrival, exchanges } = attempted;
    const faulty = exchanges.findIndex(({ fault }) => fault === wish.fault);
    const page = arrival.end === 'page' ? arrival.page : undefined;
    const finding = findingOf(expected, {
      ...{ arrival, hits },
      instead: exchanges.find(({ endpoint, fault }) => endpoint === wish.at && fault !== null)?.fault ?? undefined,
      isLoggedIn: page === undefined ? undefined : this.isLoggedIn(page, foreign),
      named: page === undefined || foreign === undefined ? undefined : this.namedOn(page, foreign),
      loggedInAgain: beganAnew(exchanges, faulty),
    });
    const flow = exchanges[faulty]?.flow ?? exchanges.findLast(({ endpoint }) => isFirstRequest(endpoint))?.flow;
    return { finding, flow: flow ?? null };
  }
}

/** Only for endpoints whose exchanges identify their login. */
function beganAnew(exchanges: readonly Exchange[], faulty: number): boolean {
  const met = exchanges[faulty];
  if (met === undefined || ['discovery', 'jwks', 'saml_metadata', 'register'].includes(met.endpoint)) return false;
  return exchanges.slice(faulty + 1).some(({ endpoint, flow }) => isFirstRequest(endpoint) && flow !== met.flow);
}

function isRefresh({ endpoint, parameters, decision }: Exchange): boolean {
  return (
    endpoint === 'token' &&
    decision === 'accepted' &&
    parameters.some(({ name, value }) => name === 'grant_type' && value === 'refresh_token')
  );
}

function lifetimeIn(exchanges: readonly Exchange[]): number {
  const { expires_in: seconds } = exchanges.findLast(({ endpoint }) => endpoint === 'token')?.answer ?? {};
  return typeof seconds === 'number' ? seconds : usualLifetimeSeconds;
}

/** Why a login without fault failed. undefined: it ended logged in. */
function failureOf(arrival: Arrival, exchanges: readonly Exchange[], options: ExamOptions): string | undefined {
  const { criterion, browser } = options;
  const where = (url: URL) => `${url.origin}${url.pathname}`;
  if (arrival.end === 'stuck') return `the login without a fault did not end: ${arrival.reason}`;
  if (arrival.end !== 'page') {
    const { cause = '' } = arrival;
    const what = arrival.end === 'late' ? 'did not respond in time' : 'did not respond';
    const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(cause)
      ? ', and --insecure skips the verification of certificates'
      : '';
    return `the login without a fault failed: ${where(arrival.url)} ${what}${cause === '' ? '' : ` (${cause}${untrusted})`}`;
  }
  const { page, at } = arrival;
  const isGranted = exchanges.some(
    ({ endpoint, decision }) => ['token', 'authorize', 'saml_sso'].includes(endpoint) && decision === 'accepted',
  );
  const isRight = criterion === undefined ? page.status < 400 : matchesCriterion(page, criterion);
  if (at === 'client' && isGranted && isRight) return undefined;
  const script =
    !browser && at === 'client' && page.hasScript ? '. Its page has a script: run the exam with --browser' : '';
  const what = isGranted ? 'no user is logged in' : 'the identity provider completed no login';
  return `the login without a fault ended at ${where(page.url)} with status ${page.status}, and ${what}${script}`;
}

/** A fault for the named client would not affect another client's login. @throws ExamError */
async function requireOwnLogin(exchanges: readonly Exchange[], { instance, options }: LoginParts): Promise<void> {
  const begun = exchanges.filter(({ endpoint }) => isFirstRequest(endpoint)).flatMap(({ flow }) => flow ?? []);
  const askers = await Promise.all([...new Set(begun)].map((flow) => instance.askerOf(flow)));
  const [other] = askers.filter((asker) => asker !== null);
  if (other === undefined || askers.includes(options.subject)) return;
  const option = options.protocol === 'oidc' ? '--client' : '--sp';
  throw new ExamError(`the application at --login-url logs in as ${other}, but ${option} names ${options.subject}`);
}

async function explained(exchanges: readonly Exchange[], { instance, options }: LoginParts): Promise<string> {
  const flow = exchanges.findLast(({ endpoint }) => isFirstRequest(endpoint) || endpoint === 'token')?.flow;
  if (flow === undefined) {
    return `No login request of ${options.subject} reached the identity provider. --login-url must redirect to it. A page with a link is not enough.`;
  }
  const explanation = await instance.explanationOf(flow);
  // By the client's own clock its tokens are then expired or not valid yet.
  const { moved, now } = await instance.clock();
  const place = options.sandbox === undefined ? '' : `/s/${options.sandbox}`;
  const clock = moved ? ` Its clock was moved to ${now}. DELETE ${place}/api/clock returns it to real time.` : '';
  return `Its flow ${flow}: ${explanation ?? 'it is no longer recorded.'}${clock}`;
}

function inPlaceOf(names: readonly string[], other: string, text: string): string {
  return names
    .toSorted((one, two) => two.length - one.length)
    .reduce((whole, name) => whole.replaceAll(name, other), text);
}
