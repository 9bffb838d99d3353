// The one cookie of a namespace, signed, HttpOnly, SameSite=Lax, Secure on https (LOG-26, HDR-21). It holds
// the browser's id and, after /login or /saml/sso, who is logged in. Signed, not encrypted: it carries no secret.
import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { type Instant, instant, plusSeconds } from '#shared/base/clock.ts';
import type { OwnClaims } from '#shared/model/configuration/claims.ts';
import { secretsEqual } from '#shared/protocol/secrets-equal.ts';

/** The cookie of the default identity provider, with the path `/`. */
export const sessionCookieName = 'test_idp_session';

/** What distinguishes the cookies of several namespaces in one browser. */
export interface SessionCookie {
  readonly name: string;
  readonly path: string;
}

/**
 * The cookie's name at the Host of a request (D41). Browsers share cookies between the ports of a host, so that two
 * instances would otherwise end each other's logins. `origin`: the request's own, such as `http://127.0.0.1:8000`.
 */
export function cookieAtPort({ name, path }: SessionCookie, origin: string | undefined): SessionCookie {
  const port = /:([0-9]+)$/.exec(origin ?? '')?.[1];
  return port === undefined ? { name, path } : { name: name.replace(sessionCookieName, `$&_${port}`), path };
}

/** A longer name is dropped, because the cookie must stay small. */
export const typedNameMax = 200;

const grantModel = z.object({ id: z.string().min(16).max(64), at: z.number() });

const contentModel = z.object({
  /** The browser's id: transactions and second factors are bound to it. */
  browser: z.string().min(16).max(64),
  login: z
    .object({
      username: z.string(),
      /** Epoch milliseconds. */
      at: z.number(),
      method: z.enum(['password', 'password+totp', 'persona']),
      /** The name of the typed claims of this login in the store (PCL-18). */
      claimsName: z.string().min(16).max(64).optional(),
      /** `instance_id` of a runtime user. */
      instance: z.string().max(64).optional(),
      /** If the content has a login, its `grant` is written here instead of below. */
      grant: grantModel.optional(),
    })
    .optional(),
  /** Identifies this browser's sessions in the store, while `login.session` is on (SSO-03, SSO-04). */
  sessions: z.string().min(16).max(64).optional(),
  /** The mark (`markOf`) of the management secret this session was unlocked with (WEB-21). */
  unlocked: z.string().optional(),
  /** Identifies login and unlocking in the store. It ends at a logout, or after `grantSeconds` of real time. */
  grant: grantModel.optional(),
  /** The user name of the login just rejected, so that the page after its redirect can show it (LOG-04). */
  typedName: z.string().max(typedNameMax).optional(),
});

export type SessionContent = z.output<typeof contentModel>;

/** Identifies a cookie with a login or an unlocking in the store, and the real time at which it was issued. */
type CookieGrant = NonNullable<SessionContent['grant']>;

/** The lifetime of a cookie's login and unlocking, in seconds of real time, so that a copied cookie expires. */
const grantSeconds = 24 * 3600;
/** The clocks of machines that share a store may differ. */
const grantSkewSeconds = 300;

export function endOfGrant({ at }: CookieGrant): Instant {
  return plusSeconds(instant(at), grantSeconds);
}

/** The content without login and unlocking, where they have expired, or where they are too old to have a grant. */
export function withoutOldGrant(content: SessionContent, real: Instant): SessionContent {
  const { grant } = content;
  const isGood = grant !== undefined && real < endOfGrant(grant) && grant.at <= plusSeconds(real, grantSkewSeconds);
  return isGood ? content : withoutGrant(content);
}

export function withoutGrant(content: SessionContent): SessionContent {
  return { ...content, grant: undefined, login: undefined, unlocked: undefined };
}

export interface SessionLogin {
  readonly username: string;
  readonly at: Instant;
  readonly method: 'password' | 'password+totp' | 'persona';
  /** The session in the store, while there are sessions. */
  readonly sid?: string | undefined;
  /** Typed for this login alone (PCL-18); absent: none. */
  readonly claims?: OwnClaims | undefined;
  /** The name of the claims in the store, while there are no sessions. */
  readonly claimsName?: string | undefined;
  /**
   * `instance_id` of a runtime user, while there are no sessions: a later user of that name is another one (RUN-14).
   */
  readonly instance?: string | undefined;
}

/** What is known of the browser. Changes are returned as new Set-Cookie values, never stored in a process. */
export interface BrowserSession {
  readonly content: SessionContent;
  readonly browser: string;
  readonly login: SessionLogin | undefined;
  /** The browser sent a valid cookie of its own; false: the id was generated for this response. */
  readonly presented: boolean;
  /**
   * A mark of a secret for this browser's cookie, to recognise the secret later. It is keyed with the cookie's own
   * secret, so that a reader of the cookie cannot check guesses against it.
   */
  markOf(text: string): string;
  /** The name of this browser's sessions in the store; undefined: it has none. */
  readonly sessionsName: string | undefined;
  /** An identifier of this browser for lists. It cannot be used for anything else. */
  readonly browserMark: string;
  /** Another name for the sessions, derived from a random string, and the cookie that gives it to the browser. */
  rename(random: string): { readonly name: string; readonly cookie: string };
  /** The Set-Cookie value that keeps this session, with changes; `undefined` removes a member. */
  cookie(changes?: {
    login?: SessionLogin | undefined;
    sessions?: string | undefined;
    unlocked?: string | undefined;
    typedName?: string | undefined;
  }): string;
}

function sign(payload: string, secret: string): string {
  return createHmac('sha256', secret).update(payload).digest('base64url');
}

/** The content of a cookie value, or undefined for a changed, foreign or malformed one; never throws (LOG-26). */
export function readSessionCookie(value: string, secret: string): SessionContent | undefined {
  const dot = value.lastIndexOf('.');
  if (dot < 1 || value.length > 4096) return undefined;
  const payload = value.slice(0, dot);
  if (!secretsEqual(value.slice(dot + 1), sign(payload, secret))) return undefined;
  try {
    const parsed = contentModel.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
    return parsed.success ? { ...parsed.data, grant: parsed.data.login?.grant ?? parsed.data.grant } : undefined;
  } catch {
    return undefined;
  }
}

export function browserSession(
  content: SessionContent,
  presented: boolean,
  secret: string,
  secure: boolean,
  { name, path }: SessionCookie,
  newGrant: CookieGrant,
): BrowserSession {
  const nameOf = (sessions: string) => sign(`sessions:${sessions}`, secret);
  const cookie: BrowserSession['cookie'] = (changes = {}) => {
    const isGiven = changes.login !== undefined || changes.unlocked !== undefined;
    const grant = isGiven ? { id: content.grant?.id ?? newGrant.id, at: newGrant.at } : content.grant;
    const changed = { ...content, ...changes };
    const isNeeded = changed.login !== undefined || changed.unlocked !== undefined;
    const given = isNeeded ? grant : undefined;
    const next = contentModel.parse(
      changed.login === undefined
        ? { ...changed, grant: given }
        : { ...changed, grant: undefined, login: { ...changed.login, grant: given } },
    );
    const payload = Buffer.from(JSON.stringify(next)).toString('base64url');
    const attributes = `Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
    return `${name}=${payload}.${sign(payload, secret)}; ${attributes}`;
  };
  return {
    content,
    browser: content.browser,
    login: content.login === undefined ? undefined : { ...content.login, at: content.login.at as Instant },
    presented,
    // No payload contains a colon, so a mark can never be the signature of one.
    markOf: (text) => sign(`${content.browser}:${text}`, secret),
    sessionsName: content.sessions === undefined ? undefined : nameOf(content.sessions),
    browserMark: sign(`browser:${content.browser}`, secret).slice(0, 16),
    rename: (random) => ({
      name: nameOf(random),
      cookie: cookie({ sessions: random, login: undefined, typedName: undefined }),
    }),
    cookie,
  };
}

/** The value of the cookie of that name in a Cookie header. */
export function sessionCookieValue(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}
