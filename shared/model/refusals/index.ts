// Every rejection of the program, by family and by code, for the audit page and docs/errors.md. Checks import the table
// of their own family.
import { accessTokenRefusals } from './families/access-token.ts';
import { authorizeRefusals } from './families/authorize.ts';
import { clientAuthenticationRefusals } from './families/client-authentication.ts';
import { reloadRefusals } from './families/configuration.ts';
import { deviceAuthorizationRefusals, userCodeRefusals } from './families/device.ts';
import { dpopRefusals } from './families/dpop.ts';
import { examRefusals } from './families/exams.ts';
import { faultRefusals } from './families/faults.ts';
import { formRefusals } from './families/forms.ts';
import { httpRefusals } from './families/http.ts';
import { rotationRefusals } from './families/keys.ts';
import { loginRefusals } from './families/login.ts';
import { managementRefusals } from './families/management.ts';
import { mcpHttpRefusals, mcpRefusals } from './families/mcp.ts';
import { toolRefusals } from './families/mcp-tools.ts';
import { metadataDocumentRefusals } from './families/metadata-documents.ts';
import { pageRefusals } from './families/pages.ts';
import { pushedRequestRefusals } from './families/pushed-requests.ts';
import { recorderRefusals } from './families/recorder.ts';
import { registrationRefusals } from './families/registration.ts';
import { runtimeIdentityRefusals } from './families/runtime-identities.ts';
import { samlRefusals } from './families/saml.ts';
import { samlSignatureRefusals } from './families/saml-signatures.ts';
import { sandboxRefusals } from './families/sandboxes.ts';
import { resourceRefusals, scopeRefusals } from './families/scope-and-resource.ts';
import { tokenRefusals } from './families/token.ts';
import type { Refusal } from './refusal.ts';

/** A heading of docs/errors.md. */
export type RefusalSection = 'Every surface' | 'OAuth 2.0 and OpenID Connect' | 'SAML' | 'REST API' | 'MCP' | 'Pages';

export interface RefusalFamily {
  readonly section: RefusalSection;
  readonly title: string;
  readonly refusals: readonly Refusal[];
}

export const refusalFamilies: readonly RefusalFamily[] = [
  { section: 'Every surface', title: 'Before and beside the endpoint', refusals: Object.values(httpRefusals) },
  {
    section: 'OAuth 2.0 and OpenID Connect',
    title: 'Authorization requests',
    refusals: Object.values(authorizeRefusals),
  },
  {
    section: 'OAuth 2.0 and OpenID Connect',
    title: 'Pushed authorization requests',
    refusals: Object.values(pushedRequestRefusals),
  },
  {
    section: 'OAuth 2.0 and OpenID Connect',
    title: 'Scopes and resources',
    refusals: [...Object.values(scopeRefusals), ...Object.values(resourceRefusals)],
  },
  {
    section: 'OAuth 2.0 and OpenID Connect',
    title: 'Client authentication',
    refusals: Object.values(clientAuthenticationRefusals),
  },
  { section: 'OAuth 2.0 and OpenID Connect', title: 'Token requests', refusals: Object.values(tokenRefusals) },
  {
    section: 'OAuth 2.0 and OpenID Connect',
    title: 'Devices',
    refusals: [...Object.values(deviceAuthorizationRefusals), ...Object.values(userCodeRefusals)],
  },
  { section: 'OAuth 2.0 and OpenID Connect', title: 'Presented tokens', refusals: Object.values(accessTokenRefusals) },
  { section: 'OAuth 2.0 and OpenID Connect', title: 'Tokens bound to a key', refusals: Object.values(dpopRefusals) },
  { section: 'OAuth 2.0 and OpenID Connect', title: 'Logins', refusals: Object.values(loginRefusals) },
  {
    section: 'OAuth 2.0 and OpenID Connect',
    title: 'Registration',
    refusals: Object.values(registrationRefusals),
  },
  {
    section: 'OAuth 2.0 and OpenID Connect',
    title: 'Metadata documents of clients',
    refusals: Object.values(metadataDocumentRefusals),
  },
  { section: 'SAML', title: 'Messages', refusals: Object.values(samlRefusals) },
  { section: 'SAML', title: 'Signatures', refusals: Object.values(samlSignatureRefusals) },
  {
    section: 'REST API',
    title: 'Management',
    refusals: [
      managementRefusals,
      runtimeIdentityRefusals,
      sandboxRefusals,
      faultRefusals,
      recorderRefusals,
      examRefusals,
      reloadRefusals,
      rotationRefusals,
    ].flatMap((rows) => Object.values<Refusal>(rows)),
  },
  {
    section: 'MCP',
    title: 'Calls and requests',
    refusals: [mcpRefusals, mcpHttpRefusals].flatMap((rows) => Object.values<Refusal>(rows)),
  },
  { section: 'MCP', title: 'Tools', refusals: Object.values(toolRefusals) },
  { section: 'Pages', title: 'Pages alone', refusals: Object.values(pageRefusals) },
  { section: 'Pages', title: 'Forms that write', refusals: Object.values(formRefusals) },
];

const byCode: ReadonlyMap<string, Refusal> = new Map(
  refusalFamilies.flatMap(({ refusals }) => refusals.map((refusal) => [refusal.code, refusal])),
);

/** The rejection of a code. undefined for an unknown code from an older version. */
export function findRefusal(code: string): Refusal | undefined {
  return byCode.get(code);
}
