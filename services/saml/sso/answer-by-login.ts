// The response to an accepted AuthnRequest, by the browser's session or posted login. The first step that returns a
// reply decides.

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { SessionLogin } from '#shared/engine/exchange/session-cookie.ts';
import { completedAutomatically } from '#shared/engine/login/automatic-login.ts';
import { areSessionsOn, currentLogin } from '#shared/engine/login/browser-sessions.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { strongestMethod } from '#shared/model/domain/authentication-context.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { refused } from '#shared/model/refusals/refusal.ts';
import type { NameIdFormat } from '#shared/protocol/saml/name-formats.ts';
import { noAuthnContext, noPassive } from '#shared/protocol/saml/status.ts';
import { satisfiedClass } from '../protocol/requested-authn-context.ts';
import type { Headers } from './answer-service-provider.ts';
import { askForCode, askForLogin } from './ask-for-login.ts';
import { isReachable, unmetContext } from './authn-context.ts';
import { requestedFormat } from './name-id-format.ts';
import { answerCompletedLogin, answerPostedLogin } from './posted-login.ts';
import { isRequiredUser, reject, type SignOn, userNamed } from './sign-on.ts';
import { rejectDeletedUser, succeed } from './succeed.ts';

interface BrowserLogin {
  readonly signOn: SignOn;
  readonly format: NameIdFormat;
  /** The user that the request names. */
  readonly required: User | undefined;
  /** The login of the browser's session. */
  readonly login: SessionLogin | undefined;
  /** The user of that login. undefined: there is no login, or its user was deleted. */
  readonly user: User | undefined;
  /** Ends a login whose user was deleted. */
  readonly headers: Headers;
}

type Step = (login: BrowserLogin) => Reply | undefined | Promise<Reply | undefined>;

/** `required`: the user that the Subject of the request names. */
export async function answerByLogin(signOn: SignOn, required: User | undefined): Promise<Reply> {
  const present = await browserLogin(signOn, required);
  for (const step of steps) {
    const reply = await step(present);
    if (reply !== undefined) return reply;
  }
  return askForLogin(signOn.answerable, nameToFillIn(signOn, required), signOn.context);
}

/** A login without a page, even if the browser has a session. ForceAuthn and IsPassive count as satisfied (LIN-03). */
export function answerAutomaticLogin(signOn: SignOn, username: string, required: User | undefined): Promise<Reply> {
  const completed = completedAutomatically(username, signOn.context);
  return answerCompletedLogin(signOn, completed, { format: checkedFormat(signOn), required, isAutomatic: true });
}

function checkedFormat({ answerable }: SignOn): NameIdFormat {
  const format = requestedFormat(answerable);
  if (format === undefined) throw new Error('the NameIDPolicy was not checked');
  return format;
}

async function browserLogin(signOn: SignOn, required: User | undefined): Promise<BrowserLogin> {
  const { context } = signOn;
  const format = checkedFormat(signOn);
  const login = await currentLogin(context, required?.username);
  const user = login && (await userNamed(login.username, context));
  const isDeleted = login !== undefined && user === undefined;
  const headers: Headers = isDeleted ? { 'Set-Cookie': (await context.session()).cookie({ login: undefined }) } : {};
  return { signOn, format, required, login, user, headers };
}

function usableUser({ user, required }: BrowserLogin): User | undefined {
  return isRequiredUser(user, required) ? user : undefined;
}

const rejectPassive: Step = (present) => {
  const { signOn, headers } = present;
  const { isPassive, forceAuthn } = signOn.answerable.received;
  if (!isPassive || (!forceAuthn && usableUser(present) !== undefined)) return undefined;
  return reject(signOn, { status: noPassive, refused: refused(samlRefusals.no_passive) }, headers);
};

/** A passive request never gets a page for the user, even when credentials are posted with it. */
const usePostedLogin: Step = ({ signOn, format, required }) => {
  if (!signOn.isLogin || signOn.answerable.received.isPassive) return undefined;
  return answerPostedLogin(signOn, format, required);
};

const askWithoutLogin: Step = ({ signOn, required, login }) => {
  const { answerable, context } = signOn;
  if (login !== undefined && !answerable.received.forceAuthn) return undefined;
  return askForLogin(answerable, nameToFillIn(signOn, required), context);
};

/** The hint of the address, else the user of the request's Subject (LIN-08, LIN-09). */
function nameToFillIn({ request }: SignOn, required: User | undefined): string | undefined {
  return request.query.value('login_hint') ?? required?.username;
}

const rejectDeleted: Step = ({ signOn: { context, note }, login, user, headers }) =>
  login !== undefined && user === undefined ? rejectDeletedUser(login.username, headers, context, note) : undefined;

const useBrowserLogin: Step = (present) => {
  const { signOn, format, login } = present;
  const { requiredContext, context } = signOn;
  const user = usableUser(present);
  if (login === undefined || user === undefined) return undefined;
  if (requiredContext === undefined) return succeed(signOn, { user, login, format });
  const contextClass = satisfiedClass(requiredContext, login.method, context.snapshot.settings);
  return contextClass === undefined ? undefined : succeed(signOn, { user, login, format, contextClass });
};

/** The user is logged in, but not in the class that the request requires. */
const raiseLogin: Step = (present) => {
  const { signOn, login } = present;
  const { answerable, requiredContext, context } = signOn;
  const user = usableUser(present);
  if (login === undefined || user === undefined || requiredContext === undefined) return undefined;
  const strongest = strongestMethod(context.snapshot.settings, user);
  if (!isReachable(requiredContext, [strongest], context)) {
    return reject(signOn, { status: noAuthnContext, refused: unmetContext(requiredContext) });
  }
  if (answerable.received.isPassive) {
    return reject(signOn, { status: noPassive, refused: refused(samlRefusals.no_passive) });
  }
  const needsCode = areSessionsOn(context) && login.method === 'password' && strongest === 'password+totp';
  return needsCode ? askForCode(answerable, user, context) : undefined;
};

const steps: readonly Step[] = [
  rejectPassive,
  usePostedLogin,
  askWithoutLogin,
  rejectDeleted,
  useBrowserLogin,
  raiseLogin,
];
