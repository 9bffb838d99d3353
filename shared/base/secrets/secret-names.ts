// Names that indicate a secret, wherever they come from: misspelt parameters, a gateway's headers, keys of a file,
// queries of an address.

const part = /passw|passphrase|passcode|pwd|(?:^|[_-])pass$|secret|credential|private[-_]?key|api[-_]?key/i;

/** Whether a name looks like that of a password, a private key or similar. Protocol code judges the names of tokens. */
export function soundsSecret(name: string): boolean {
  return part.test(name);
}

/** The name under which `mask` gets the credentials before a host. */
export const userinfoName = 'userinfo';
