// Names under which a secret hides, whoever chose them: misspelt parameters, headers of a gateway, keys of a file, queries of
// an address.

const part = /passw|passphrase|passcode|pwd|(?:^|[_-])pass$|secret|credential|private[-_]?key|api[-_]?key/i;

/** Whether a name looks like that of a password, a private key or the like. Names of tokens are judged by who knows the protocol. */
export function soundsSecret(name: string): boolean {
  return part.test(name);
}

/** The name that `mask` is asked about credentials before a host by. */
export const userinfoName = 'userinfo';
