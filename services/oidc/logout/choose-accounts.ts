// Selects the sessions that a logout ends (LGO-05, LGO-08).

/** A session of this browser. */
interface LoggedIn {
  readonly sid: string | undefined;
  readonly username: string;
  readonly email: string | undefined;
}

interface Chosen<Account extends LoggedIn> {
  readonly accounts: readonly Account[];
  /** The hint belongs to a session of this browser, so no confirmation is needed. */
  readonly isSure: boolean;
}

interface Hints {
  /** The content of a valid id_token_hint. */
  readonly token: { readonly sid: string | undefined; readonly username: string | undefined } | undefined;
  /** `logout_hint`: a username, e-mail address or sid. */
  readonly text: string | undefined;
}

/**
 * `asksNobody`: no page names the user who is about to be logged out. So a hint that matches no account here ends no
 * session: with a hint no other account ends (LGO-08).
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
