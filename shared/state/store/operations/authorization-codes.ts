// Authorization codes. A used one stays until it expires.
import type { Instant } from '#shared/base/clock.ts';
import {
  type AuthorizationCodeRecord,
  endOfCode,
  isCodeLive,
  redeemCode,
  type StoredCode,
} from '#shared/model/domain/authorization-code.ts';
import { encode } from '../json-columns.ts';
import type { AuthorizationCodes } from '../ports/authorization-codes.ts';
import type { CodeOptions } from '../ports/authorization-transactions.ts';
import { authorizationTexts, storedCodeOf } from './authorization-texts.ts';
import { recentlyRead } from './recently-read.ts';
import { loginLocks, type SessionRows } from './session-rows.ts';
import type { TokenMemory } from './token-memory.ts';
import { type KeepTypedClaims, lockOfTypedClaims } from './typed-claims.ts';
import type { Bindings, OperationContext, Step, Work } from './work.ts';

/** Codes as rows: parts of the write that issues one. */
export interface CodeRows {
  columnsOf(code: AuthorizationCodeRecord, holdDocument: boolean): Bindings;
  locksOf(options: Pick<CodeOptions, 'holdDocument' | 'logIn'>): readonly string[];
  /** Returns whether the metadata document of the client is cached, if the code holds one. */
  isClientHeld(code: AuthorizationCodeRecord, holdDocument: boolean): Step<boolean>;
  isStored(code: AuthorizationCodeRecord): Work<boolean>;
  /** Returns the code with its session. undefined: the session has ended. */
  inSession(
    code: AuthorizationCodeRecord,
    logIn: CodeOptions['logIn'],
    now: Instant,
  ): Work<AuthorizationCodeRecord | undefined>;
  store(code: AuthorizationCodeRecord, holdDocument: boolean, now: Instant): void;
}

export function codeRows({ ns, prepare }: OperationContext, sessions: SessionRows): CodeRows {
  const sql = prepare(authorizationTexts);

  const columnsOf = (code: AuthorizationCodeRecord, holdDocument: boolean) => ({
    ns,
    code: code.code,
    client_id: code.request.client_id,
    username: code.username,
    holds_document: holdDocument ? 1 : 0,
    expires_at: endOfCode(code),
    record: encode(code),
  });

  return {
    columnsOf,
    // A document that is found held is not evicted or deleted before its code is stored.
    locksOf: ({ holdDocument, logIn }) => [
      ...(holdDocument === true ? ['metadata_documents'] : []),
      ...(logIn === undefined ? [] : loginLocks(logIn)),
    ],
    isClientHeld({ request: { client_id } }, holdDocument) {
      const finding = holdDocument ? sql.isDocumentCached.get({ ns, client_id }) : undefined;
      return (function* (): Work<boolean> {
        return finding === undefined || (yield* finding) !== undefined;
      })();
    },
    *isStored({ code }) {
      return (yield* sql.findCode.get({ ns, code })) !== undefined;
    },
    *inSession(code, logIn, now) {
      const sid = logIn === undefined ? code.sid : (yield* sessions.logIn(logIn, now)).sid;
      if (sid === undefined) return code;
      return (yield* sessions.useByClient(sid, code.request.client_id, now)) ? { ...code, sid } : undefined;
    },
    store: (code, holdDocument, now) => {
      sql.purgeCodes.put({ ns, now });
      sql.insertCode.put(columnsOf(code, holdDocument));
    },
  };
}

interface RedemptionRows {
  readonly codes: CodeRows;
  readonly memory: TokenMemory;
  readonly sessions: SessionRows;
  readonly keepTypedClaims: KeepTypedClaims;
}

export function authorizationCodes(
  { ns, isFarAway, prepare, read, write, batch }: OperationContext,
  { codes, memory, sessions, keepTypedClaims }: RedemptionRows,
): AuthorizationCodes {
  const sql = prepare(authorizationTexts);
  const unused = recentlyRead<StoredCode>();

  /** Sends one message. Possible when the code was just read and the redemption stores nothing else. */
  const redeemAtOnce = async (code: string, clientId: string, family: string, now: Instant) => {
    const known = isFarAway ? unused.take(code) : undefined;
    if (known === undefined || redeemCode(known, clientId, family, now).outcome !== 'redeemed') return 'unknown';
    const columns = { ns, code, family, client_id: clientId, expires_at: known.expiresAt };
    const [redeemed] = await batch(lockOfCode(code), () => [sql.useUnused.bound(columns)]);
    return redeemed === 1 ? 'redeemed' : 'tried';
  };

  return {
    issue: async (code, now, { holdDocument = false, logIn } = {}) => {
      if (!holdDocument && logIn === undefined && code.sid === undefined) {
        await batch(lockOfCode(code.code), () => [
          sql.purgeCodes.bound({ ns, now }),
          sql.insertCode.bound(codes.columnsOf(code, false)),
        ]);
        return 'issued';
      }
      return write([lockOfCode(code.code), ...codes.locksOf({ holdDocument, logIn })], function* () {
        if (!(yield* codes.isClientHeld(code, holdDocument))) return 'client_not_held';
        const kept = yield* codes.inSession(code, logIn, now);
        if (kept === undefined) return 'session_over';
        codes.store(kept, holdDocument, now);
        return 'issued';
      });
    },
    find: async (code, now) => {
      const row = await read(() => sql.findRecord.get({ ns, code }));
      if (row === undefined || !isCodeLive({ expiresAt: row.expires_at }, now)) return undefined;
      const { client_id, username, record } = row;
      if (isFarAway && record !== null) unused.note(code, storedCodeOf({ ...row, token_family: null }));
      return { client_id, username, unused: record ?? undefined };
    },
    redeem: async (code, clientId, family, now, tokensExpireAt = now, { session, claims } = {}) => {
      const needsMore = session !== undefined || claims !== undefined;
      const atOnce = needsMore ? 'unknown' : await redeemAtOnce(code, clientId, family, now);
      if (atOnce === 'redeemed') return { outcome: atOnce };
      return write([lockOfCode(code), ...(claims === undefined ? [] : [lockOfTypedClaims])], function* () {
        const row = yield* sql.findCode.get({ ns, code });
        // The response to a first attempt was lost.
        if (atOnce === 'tried' && row?.token_family === family) return { outcome: 'redeemed' };
        const redemption = redeemCode(row && storedCodeOf(row), clientId, family, now);
        const { outcome } = redemption;
        if (redemption.outcome === 'used') memory.remember('family', redemption.revoke, 2, tokensExpireAt);
        if (outcome !== 'redeemed') return { outcome };
        if (session !== undefined) {
          const { sid, issuer, mayBeOver } = session;
          const joined = yield* sessions.join(sid, { kind: 'client', client_id: clientId, issuer });
          if (joined === 'session_over' && !mayBeOver) return { outcome: joined };
        }
        sql.useCode.put({ ns, code, family });
        if (claims !== undefined) yield* keepTypedClaims({ name: family, claims }, tokensExpireAt);
        return { outcome };
      });
    },
  };
}

function lockOfCode(code: string): string {
  return `code ${code}`;
}
