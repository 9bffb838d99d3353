// The rules of the verdict, in the order of the contract (VER-K01 to VER-K45).
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

export const verdictRules: readonly VerdictRule[] = [
  ...pkceRules,
  ...authorizationRequestRules,
  ...redirectUriRules,
  ...clientAuthenticationRules,
  ...tokenRules,
  ...deviceRules,
  ...documentRules,
  ...requestRules,
  ...samlRules,
  ...clientAssertionRules,
];
