/** Sentences that several tests expect. Each stands here once, so a new wording changes one line of the tests. */
export const sentences = {
  attributeQueryMissing: 'The body has no AttributeQuery inside a SOAP envelope.',
  attributeQueryWithoutSubject: 'The AttributeQuery has no Subject.',
  auditCleared: 'The audit log was cleared.',
  authorityPrefixesSaved: 'The authority prefixes were saved',
  backToApplication: 'Go back to the application',
  claimsFieldLabel: 'Claims as a JSON object',
  codeUsed: 'This code was already used.',
  errorByFault: 'This error was requested for a test.',
  hostInvalid: 'test-idp: --host must be an address such as 127.0.0.1 or ::1',
  keysComeFromFiles:
    'The signing key comes from jwt.external_keys, so the server cannot rotate it. Replace its files and restart.',
  keysDirectoryLocked: 'Another process has locked the keys directory. Try again in a few seconds.',
  keysDirectoryNotWritable:
    'The server cannot create the lock file of the keys directory, so the keys cannot be rotated.',
  loginClaimsNotAnObject: 'login_claims must be a JSON object',
  loginWrong: 'The username or password is wrong.',
  managementSecretWrong: 'The management secret is wrong.',
  nameNotPartOfUrl: 'This name cannot be part of a URL',
  notABcryptHash: 'is not a bcrypt hash',
  portInvalid: 'test-idp: --port must be a port from 0 (any free port) to 65535',
  redirectUriNotRegistered: 'The redirect_uri is not registered for this client',
  responseTypeNotCode: 'The response_type must be code.',
  signingKeyRotated: 'The signing key was rotated',
  storeBusy: 'The runtime store is busy or not writable. Try again.',
  tokenNotSignedJwt: 'The token is not a signed JWT.',
  userUnknown: 'This user does not exist',
  /** For a user named `temp`. */
  tempIsRuntimeUser: 'temp is a runtime user',
  /** For the requested scope `admin`. */
  scopeAdminUnsupported: 'Unsupported scopes (see oauth.scopes_supported): admin',
  nulIn: (member: string) => `${member} must not contain the character U+0000`,
} as const;
