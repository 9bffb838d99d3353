// The sessions of a browser (section SSO): the logged-in user, new logins, and the end. While `login.session` is off,
// the login is only in the cookie, for the web UI and SAML (LOG-26). Then this module does not query the store.
import { createHmac } from 'node:crypto';
import { type ParsedRequest, type ProtocolContext, requestFacts } from '#shared/engine/exchange/request.ts';
import { endOfGrant, type SessionLogin } from '#shared/engine/exchange/session-cookie.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { acrOf, strongestMethod } from '#shared/model/domain/authentication-context.ts';
import { auditMoment } from '#shared/model/domain/movable-clock.ts';
import type { Account } from '#shared/model/domain/next-authorization-step.ts';
import { type Session, sessionLimits } from '#shared/model/domain/session.ts';
import type { LogIn } from '#shared/state/store/ports/index.ts';
import { type Ending, endSessions } from './end-sessions.ts';
import type { CompletedLogin } from './login-step.ts';

export function areSessionsOn({ snapshot }: Pick<ProtocolContext, 'snapshot'>): boolean {
  return snapshot.settings.login.session === 'on';
}

/**
 * The usable sessions of this browser: first those that the client used, then the others, each group with the most
 * recently used first.
 */
export async function accountsOf(context: ProtocolContext, clientId?: string): Promise<readonly Account[]> {
  const { sessionsName } = await context.session();
  if (sessionsName === undefined) return [];
  const { snapshot, store, clock } = context;
  const found = await store.sessions.accounts(sessionsName, clientId, sessionLimits(snapshot.settings), clock.now());
  const accounts: Account[] = [];
  for (const session of found) {
    const user = await usableUser(session, context);
    if (user !== undefined) accounts.push(accountOf(session, user, snapshot.settings));
  }
  return accounts;
}

/** The logged-in user, for the web UI and SAML: the wanted account, or else the one used last. */
export async function currentLogin(
  context: ProtocolContext,
  wantedUsername?: string,
): Promise<SessionLogin | undefined> {
  if (!areSessionsOn(context)) return loginInCookie(context);
  const accounts = await accountsOf(context);
  const account = accounts.find(({ username }) => username === wantedUsername) ?? accounts[0];
  if (account === undefined) return undefined;
  const { username, method, authenticatedAt: at, sid, claims } = account;
  return { username, method, at, sid, claims };
}

/** A login in the form that the store takes, and the cookie for the browser (SSO-02, SSO-04). */
export async function newLogIn(
  { username, method, amr, authenticatedAt, claims }: CompletedLogin,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<{ readonly logIn: LogIn; readonly cookie: string }> {
  const { snapshot, store, random } = context;
  const session = await context.session();
  const { name, cookie } = session.rename(random.token(32));
  const user = (await findEffectiveUser(snapshot, store, username))?.user;
  const logIn: LogIn = {
    ...{ cookie: name, formerCookie: session.sessionsName, browser: session.browserMark },
    ...{ sid: random.token(16), username, method, amr, authenticatedAt, claims },
    acr: acrOf(method, snapshot.settings),
    credentials: user && (await credentialsMark(user, method, context)),
    limits: sessionLimits(snapshot.settings),
    event: (sid) => {
      context.recording?.belongsTo(`session:${sid}`);
      return {
        event_type: 'session_started',
        status: 'success',
        ...auditMoment(context.clock),
        ...requestFacts(request, context),
        endpoint: request.path,
        username,
        details: { sid, method },
      };
    },
  };
  return { logIn, cookie };
}

/** Also undefined if the user was deleted and another user has been created with that name since (RUN-14). */
async function loginInCookie(context: ProtocolContext): Promise<SessionLogin | undefined> {
  const { login } = await context.session();
  if (login === undefined || context.snapshot.users.has(login.username)) return withTypedClaims(login, context);
  const user = await findEffectiveUser(context.snapshot, context.store, login.username);
  return user !== undefined && user.instanceId !== login.instance ? undefined : withTypedClaims(login, context);
}

/** Adds the typed claims to a login that is in the cookie. If the store no longer has them, there is no login. */
async function withTypedClaims(
  login: SessionLogin | undefined,
  { store }: ProtocolContext,
): Promise<SessionLogin | undefined> {
  if (login?.claimsName === undefined) return login;
  const claims = await store.typedClaims.find(login.claimsName);
  return claims && { ...login, claims };
}

async function keptClaims(claims: OwnClaims, { store, random, clock }: ProtocolContext): Promise<string> {
  const name = random.token(32);
  await store.typedClaims.save({ name, claims }, clock.now());
  return name;
}

/** Stores a login that was completed at /login or /saml/sso: in the store, or in the cookie. */
export async function keepLogin(
  login: CompletedLogin,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<{ readonly cookie: string; readonly sid: string | undefined }> {
  const { username, method, authenticatedAt, claims } = login;
  if (!areSessionsOn(context)) {
    const session = await context.session();
    const claimsName = claims && (await keptClaims(claims, context));
    const instance = (await findEffectiveUser(context.snapshot, context.store, username))?.instanceId;
    const inCookie = { username, method, at: authenticatedAt, claimsName, instance };
    return { cookie: session.cookie({ login: inCookie, typedName: undefined }), sid: undefined };
  }
  const { logIn, cookie } = await newLogIn(login, request, context);
  const { sid } = await context.store.sessions.logIn(logIn, context.clock.now());
  return { cookie, sid };
}

/**
 * Ends the logins of this browser. Returns the remaining cookie and the ended sessions. `sids`: ends only these of its
 * sessions.
 */
export async function endLogins(
  request: ParsedRequest,
  context: ProtocolContext,
  sids?: readonly string[],
): Promise<{ readonly cookie: string } & Ending> {
  const session = await context.session();
  const { sessionsName } = session;
  const { grant } = session.content;
  // A copy of the cookie becomes invalid, too.
  if (grant !== undefined) await context.store.tokenState.endCookie(grant.id, endOfGrant(grant));
  const ender = { ...requestFacts(request, context), endpoint: request.path };
  const filters = sessionsName === undefined ? [] : (sids ?? [undefined]).map((sid) => ({ cookie: sessionsName, sid }));
  const endings = await Promise.all(
    filters.map((filter) => endSessions(filter, 'logout', ender, { ...context, teller: context })),
  );
  for (const { sid } of endings.flatMap(({ ended }) => ended)) context.recording?.belongsTo(`session:${sid}`);
  const isLeft = sids !== undefined && (await accountsOf(context)).length > 0;
  const cookie = session.cookie({
    ...{ login: undefined, unlocked: undefined },
    sessions: isLeft ? session.content.sessions : undefined,
  });
  return {
    cookie,
    ended: endings.flatMap(({ ended }) => ended),
    notified: endings.flatMap(({ notified }) => notified),
  };
}

/** The user of a valid session; an invalid session is ended at once (SSO-08). */
async function usableUser(session: Session, context: ProtocolContext): Promise<User | undefined> {
  const user = (await findEffectiveUser(context.snapshot, context.store, session.username))?.user;
  const reason = await reasonToEnd(session, user, context);
  if (reason === undefined) return user;
  await endSessions({ sid: session.sid }, reason, {}, { ...context, teller: context });
  return undefined;
}

type Keeper = Pick<ProtocolContext, 'store' | 'random'>;

/** Why a session is no longer valid; undefined: it is valid. */
export async function reasonToEnd(
  { credentials, method }: Session,
  user: User | undefined,
  keeper: Keeper,
): Promise<'user_deleted' | 'credentials_changed' | undefined> {
  if (user === undefined) return 'user_deleted';
  if (credentials === undefined) return undefined;
  const mark = await credentialsMark(user, method, keeper);
  return hasChanged(credentials, mark) ? 'credentials_changed' : undefined;
}

/**
 * A mark of the password and one of the TOTP secret, as far as they exist. A user's first TOTP secret ends no session
 * (SSO-08). The marks are keyed, so that a reader of the store cannot check guesses against them.
 */
async function credentialsMark(
  { password, totp_secret }: User,
  method: Session['method'],
  { store, random }: Keeper,
): Promise<string | undefined> {
  if (method === 'persona') return undefined;
  const key = await store.sharedSecrets.get('session-credentials', () => random.token(32));
  const mark = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return `${mark(`password:${password ?? ''}`)} ${totp_secret === undefined ? '' : mark(`totp:${totp_secret}`)}`;
}

function hasChanged(before: string, now: string | undefined): boolean {
  const [password, totp = ''] = before.split(' ');
  const [presentPassword, presentTotp] = (now ?? '').split(' ');
  return password !== presentPassword || (totp !== '' && totp !== presentTotp);
}

function accountOf(session: Session & { usedByClient: boolean }, user: User, settings: Settings): Account {
  const { sid, username, method, amr, acr, authenticatedAt, claims, usedByClient } = session;
  const strongest = strongestMethod(settings, user);
  return { sid, username, email: user.email, method, amr, acr, authenticatedAt, claims, strongest, usedByClient };
}
