// Which of what is said must not be shown as it is (REC-04). Names decide, and a JWT is a token whatever it is called.

/** The name under which the credentials before a host are judged. */
export const userinfoName = 'userinfo';

const secretNames: ReadonlySet<string> = new Set([
  ...['password', 'client_secret', 'totp', 'totp_code', 'otp', 'code', 'device_code', 'code_verifier'],
  ...['access_token', 'refresh_token', 'id_token', 'token', 'id_token_hint', 'subject_token', 'actor_token'],
  ...['assertion', 'client_assertion', 'logout_token', 'registration_access_token', 'samlresponse'],
  ...['pending_second_factor', 'management_secret', 'secret', userinfoName],
]);

/** What is a secret of the protocols under no name that is known here: somebody's misspelling, or a header of a gateway. */
const protocolSecret = /token(?!_type|_endpoint|s_)|verifier$/i;

/** Names that look like it and say nothing secret. */
const openNames: ReadonlySet<string> = new Set([
  ...['token_type', 'token_type_hint', 'requested_token_type', 'subject_token_type', 'actor_token_type'],
  ...['issued_token_type', 'client_secret_expires_at'],
]);

const part = /passw|passphrase|passcode|pwd|(?:^|[_-])pass$|secret|credential|private[-_]?key|api[-_]?key/i;

/** Whether a name looks like that of a password, a private key or the like. Names of tokens are judged by who knows the protocol. */
export function soundsSecret(name: string): boolean {
  return part.test(name);
}

/** The same names come again and again; a stranger's are many. */
const judged = new Map<string, boolean>();
const judgedMax = 1000;
const judgedCharactersMax = 100;

export function isSecretName(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isSecret = judge(name);
  if (name.length <= judgedCharactersMax) {
    if (judged.size >= judgedMax) judged.clear();
    judged.set(name, isSecret);
  }
  return isSecret;
}

function judge(name: string): boolean {
  const lower = name.toLowerCase();
  if (secretNames.has(lower)) return true;
  return (
    !openNames.has(lower) &&
    !/_(endpoint|supported|method|methods|uri|lifetime)(_|$)/.test(lower) &&
    (protocolSecret.test(lower) || soundsSecret(lower))
  );
}

/** Whether what has that name in an address is secret. */
export function isSecretInAddress(name: string, value: string): boolean {
  return isSecretName(name) || looksLikeJwt(value);
}

const jwtForm = /^ey[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;

export function looksLikeJwt(value: string): boolean {
  return value.startsWith('ey') && jwtForm.test(value);
}

/** Nobody needs to know what a longer one says. */
const tokenCharactersMax = 64 * 1024;

/** What a JWT says, which is worth nothing to whoever has it; undefined: it says too much to be looked into. */
export function withoutSignature(token: string): string | undefined {
  const end = token.lastIndexOf('.');
  return end > 0 && end <= tokenCharactersMax ? token.slice(0, end) : undefined;
}
