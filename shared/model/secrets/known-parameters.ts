// Every parameter and response member that the program knows by name: those of OAuth, of the grants, of SAML, and its
// own. Only this file decides which are secret, which the audit shows, and which must not be repeated.
import { knownGrants } from '#shared/model/oauth-rules/grants.ts';
import {
  namesIn,
  oauthParameters,
  type ParameterReader,
  type ParameterRow,
  type ParameterTable,
} from '#shared/protocol/oauth2/parameters.ts';

/** Of /token (TOK-07, TOK-12), of login pages, of the REST API and of files. */
const ownParameters = {
  exp: { value: 'shown', readBy: ['token'] },
  extra: { value: 'named', readBy: ['token'] },
  action: { value: 'shown' },
  totp: { value: 'secret' },
  totp_code: { value: 'secret' },
  totp_secret: { value: 'secret' },
  otp: { value: 'secret' },
  pending_second_factor: { value: 'secret' },
  secret: { value: 'secret' },
  secret_key: { value: 'secret' },
  admin_secret: { value: 'secret' },
  management_secret: { value: 'secret' },
} as const satisfies ParameterTable;

/** SAML 2.0 Bindings §3.4.4 and §3.5.4. */
const samlParameters = {
  SAMLResponse: { value: 'secret' },
  RelayState: { value: 'shown' },
  SigAlg: { value: 'shown' },
  SAMLEncoding: { value: 'shown' },
} as const satisfies ParameterTable;

const parametersOfGrants: ParameterTable = Object.assign({}, ...knownGrants.map(({ parameters }) => parameters));

const knownParameters: ParameterTable = {
  ...oauthParameters,
  ...parametersOfGrants,
  ...ownParameters,
  ...samlParameters,
};

export const secretParameters = namesIn(knownParameters, ({ value }) => value === 'secret');

export const openParameters = namesIn(knownParameters, ({ value }) => value !== 'secret');

/** Parameters whose values an audit entry shows (AUD-13). */
export const auditedParameters: ReadonlySet<string> = new Set(
  namesIn(knownParameters, ({ value }) => value === 'shown'),
);

/** Parameters that name a user or a client, or that the store keeps. */
export const storedParameters: ReadonlySet<string> = new Set(
  namesIn(knownParameters, ({ isStored }) => isStored === true),
);

/** Parameters that one of `readers` reads, repeatable or not, in the order of the table. */
export function parametersReadBy(...readers: readonly ParameterReader[]): readonly string[] {
  return namesIn(knownParameters, (row) => isReadBy(row, readers));
}

/** Parameters that a request may contain only once. With `token` this includes those of every grant (TOK-05). */
export function singleParametersOf(...readers: readonly ParameterReader[]): ReadonlySet<string> {
  const grants = readers.includes('token') ? namesIn(parametersOfGrants, isSingle) : [];
  return new Set([...namesIn(knownParameters, (row) => isSingle(row) && isReadBy(row, readers)), ...grants]);
}

function isSingle({ isRepeatable }: ParameterRow): boolean {
  return isRepeatable !== true;
}

function isReadBy({ readBy = [] }: ParameterRow, readers: readonly ParameterReader[]): boolean {
  return readBy.some((reader) => readers.includes(reader));
}
