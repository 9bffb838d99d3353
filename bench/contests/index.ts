// The contests by the names for `--only`, in the order of a whole run.
import type { Contest } from '../contest.ts';
import { clientCredentials, twoWorkers } from './client-credentials.ts';
import { code } from './code.ts';
import { discovery, jwks } from './documents.ts';
import { introspection } from './introspection.ts';
import { password } from './password.ts';
import { refresh } from './refresh.ts';
import { samlMetadata, singleSignOn } from './saml.ts';
import { userinfo } from './userinfo.ts';

export const contests: Readonly<Record<string, Contest>> = {
  tokens: clientCredentials,
  workers: twoWorkers,
  password,
  refresh,
  code,
  userinfo,
  introspection,
  discovery,
  jwks,
  sso: singleSignOn,
  'saml-metadata': samlMetadata,
};
