// Whose sessions a logout is about (LGO-05, LGO-08).

/** A session of this browser. */
interface LoggedIn {
  readonly sid: string | undefined;
  readonly username: string;
  readonly email: string | undefined;
}

interface Chosen<Account extends LoggedIn> {
  readonly accounts: readonly Account[];
  /** The hint is of a session of this browser, so that nobody need be asked. */
  readonly isSure: boolean;
}

interface Hints {
  /** What a valid id_token_hint says. */
  readonly token: { readonly sid: string | undefined; readonly username: string | undefined } | undefined;
  /** `logout_hint`: a username, e-mail address or sid. */
  readonly text: string | undefined;
}

/**
 * `asksNobody`: no page names who is about to be logged out, so that a hint of somebody who is not here ends nobody's session: with
 * a hint no other account ends (LGO-08).
 */
export function chooseAccounts<Account extends LoggedIn>(
  accounts: readonly Account[],
  { token, text }: Hints,
  asksNobody: boolean,
): Chosen<Account> {
  const hinted = accounts.filter(({ sid, username }) =>
    token?.sid === undefined ? username === token?.username : sid === token.sid,
  );
  if (hinted.length > 0) return { accounts: hinted, isSure: true };
  const named = accounts.filter(({ sid, username, email }) =>
    token === undefined ? text !== undefined && [username, email, sid].includes(text) : username === token.username,
  );
  if (named.length > 0) return { accounts: named, isSure: false };
  return { accounts: token !== undefined && asksNobody ? [] : accounts, isSure: false };
}
