// Section SHV: further rules of the verdict.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'SHV-01', says: 'redirect_uri_not_exact (warning): a redirect URI that only the profile dev accepts' },
  {
    id: 'SHV-02',
    says: 'scope_unknown (advice): a requested scope outside scopes_supported that was ignored or granted',
  },
  { id: 'SHV-03', says: 'saml_request_not_deflated (error): HTTP-Redirect without raw DEFLATE', pending: true },
  { id: 'SHV-04', says: 'saml_request_deflated_in_post (error): HTTP-POST with DEFLATE', pending: true },
  {
    id: 'SHV-05',
    says: 'saml_signature_misplaced (error): HTTP-Redirect with a signature inside the XML',
    pending: true,
  },
  { id: 'SHV-06', says: 'saml_version_wrong (error): a Version other than 2.0', pending: true },
  {
    id: 'SHV-07',
    says: 'saml_issue_instant_malformed (error): an IssueInstant that is no UTC xs:dateTime',
    pending: true,
  },
  { id: 'SHV-08', says: 'saml_name_id_policy_malformed (error): text inside NameIDPolicy', pending: true },
  {
    id: 'SHV-09',
    says: 'saml_name_id_format_unknown (error): a Format that SAML does not define and the entry does not name; warning for SNI-02',
    pending: true,
  },
  {
    id: 'SHV-10',
    says: 'saml_request_unreadable (error): a SAMLRequest that cannot be decoded or parsed',
    pending: true,
  },
  {
    id: 'SHV-11',
    says: 'saml_logout_unsigned (error): a LogoutRequest or LogoutResponse without signature',
    pending: true,
  },
  { id: 'SHV-12', says: 'saml_logout_name_differs (error): SRQ-04', pending: true },
];
