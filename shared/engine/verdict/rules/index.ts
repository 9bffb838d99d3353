// The rules of the verdict, in the order of their clauses (VER-K01 and following, then SHV-01 and following).
import type { VerdictRule } from '../verdict-rule.ts';
import { authorizationRequestRules } from './authorization-request.ts';
import { clientAssertionRules } from './client-assertions.ts';
import { clientAuthenticationRules } from './client-authentication.ts';
import { deviceRules } from './device.ts';
import { documentRules } from './documents.ts';
import { pkceRules } from './pkce.ts';
import { redirectUriRules } from './redirect-uri.ts';
import { requestRules } from './requests.ts';
import { samlRules } from './saml.ts';
import { tokenRules } from './tokens.ts';

const families: readonly (readonly VerdictRule[])[] = [
  pkceRules,
  authorizationRequestRules,
  redirectUriRules,
  clientAuthenticationRules,
  tokenRules,
  deviceRules,
  documentRules,
  requestRules,
  samlRules,
  clientAssertionRules,
];

export const verdictRules: readonly VerdictRule[] = families
  .flat()
  .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));

/** The rules of VER-K come first. */
function orderOf({ clause }: VerdictRule): string {
  return `${clause.startsWith('VER-K') ? 0 : 1} ${clause}`;
}
