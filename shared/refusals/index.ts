// Every refusal of the program, by family and by code: for the audit page and for docs/errors.md. Checks import the table
// of their own family.
import { accessTokenRefusals } from './families/access-token.ts';
import { authorizeRefusals } from './families/authorize.ts';
import { clientAuthenticationRefusals } from './families/client-authentication.ts';
import { deviceAuthorizationRefusals, userCodeRefusals } from './families/device.ts';
import { faultRefusals } from './families/faults.ts';
import { httpRefusals } from './families/http.ts';
import { loginRefusals } from './families/login.ts';
import { managementRefusals } from './families/management.ts';
import { mcpRefusals } from './families/mcp.ts';
import { recorderRefusals } from './families/recorder.ts';
import { metadataDocumentRefusals, registrationRefusals } from './families/registration.ts';
import { samlRefusals, samlSignatureRefusals } from './families/saml.ts';
import { resourceRefusals, scopeRefusals } from './families/scope-and-resource.ts';
import { tokenRefusals } from './families/token.ts';
import type { Refusal } from './refusal.ts';

export interface RefusalFamily {
  readonly title: string;
  readonly refusals: readonly Refusal[];
}

export const refusalFamilies: readonly RefusalFamily[] = [
  { title: 'Every surface', refusals: Object.values(httpRefusals) },
  { title: 'Authorization requests', refusals: Object.values(authorizeRefusals) },
  { title: 'Scopes and resources', refusals: [...Object.values(scopeRefusals), ...Object.values(resourceRefusals)] },
  { title: 'Client authentication', refusals: Object.values(clientAuthenticationRefusals) },
  { title: 'Token requests', refusals: Object.values(tokenRefusals) },
  {
    title: 'Devices',
    refusals: [...Object.values(deviceAuthorizationRefusals), ...Object.values(userCodeRefusals)],
  },
  { title: 'Presented tokens', refusals: Object.values(accessTokenRefusals) },
  { title: 'Logins', refusals: Object.values(loginRefusals) },
  {
    title: 'Registration',
    refusals: [...Object.values(registrationRefusals), ...Object.values(metadataDocumentRefusals)],
  },
  { title: 'SAML', refusals: Object.values(samlRefusals) },
  { title: 'SAML signatures', refusals: Object.values(samlSignatureRefusals) },
  {
    title: 'REST API',
    refusals: [managementRefusals, faultRefusals, recorderRefusals].flatMap((rows) => Object.values<Refusal>(rows)),
  },
  { title: 'MCP', refusals: Object.values(mcpRefusals) },
];

const byCode: ReadonlyMap<string, Refusal> = new Map(
  refusalFamilies.flatMap(({ refusals }) => refusals.map((refusal) => [refusal.code, refusal])),
);

/** The refusal of a code; undefined for one that an older version wrote. */
export function findRefusal(code: string): Refusal | undefined {
  return byCode.get(code);
}
