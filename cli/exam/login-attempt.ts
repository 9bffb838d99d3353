// One login with an empty cookie jar, and the exchanges that it left with the identity provider.
import type { ExamOptions } from './exam-options.ts';
import type { ExaminedInstance, Exchange } from './examined-instance.ts';
import { pause } from './pause.ts';
import type { Arrival, ExamUser, Visitor } from './visitor.ts';

export interface Names {
  /** Username and e-mail address of the user who logs in. */
  readonly own: readonly string[];
  /** Another user who can log in. */
  readonly other: string | undefined;
  /** The name of no user, for forged assertions. */
  readonly forged: string;
}

export interface LoginParts {
  readonly options: ExamOptions;
  readonly instance: ExaminedInstance;
  readonly visitor: Visitor;
  readonly person: ExamUser;
  readonly names: Names;
  readonly signal: AbortSignal;
}

export interface Attempt {
  readonly arrival: Arrival;
  /** Exchanges of this client and user, and those that name no client. */
  readonly exchanges: readonly Exchange[];
}

export async function attemptInNewBrowser(parts: LoginParts): Promise<Attempt> {
  const visit = await parts.visitor.begin();
  try {
    return await attempt(parts, () => visit.go(parts.options.loginUrl));
  } finally {
    await visit.close();
  }
}

/** `settling`: milliseconds until its last exchange is read. */
export async function attempt(
  { options, instance, person, signal }: LoginParts,
  go: () => Promise<Arrival>,
  settling = 0,
): Promise<Attempt> {
  const before = await instance.cursor();
  const arrival = await go();
  if (settling > 0) await pause(settling, signal);
  const exchanges = await instance.exchangesAfter(before);
  const isOurs = ({ client_id, username }: Exchange) =>
    (client_id === options.subject && options.protocol === 'oidc') || username === person.username;
  const flows = new Set(exchanges.filter(isOurs).map(({ flow }) => flow));
  const namesNobody = ({ client_id, username }: Exchange) => client_id === null && username === null;
  return { arrival, exchanges: exchanges.filter((one) => flows.has(one.flow) || isOurs(one) || namesNobody(one)) };
}

export function isFirstRequest(endpoint: Exchange['endpoint']): boolean {
  return endpoint === 'authorize' || endpoint === 'saml_sso';
}
