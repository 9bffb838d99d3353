// Section CRS: browsers that send credentials.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'CRS-01',
    says: 'Under dev, without a list or with a declared star, a response or preflight of CRS-02 allows its origin with credentials and varies by Origin.',
  },
  {
    id: 'CRS-02',
    says: 'Discovery, key set, token, userinfo, introspect, revoke, device authorization, register, PAR, SAML metadata and certificate allow credentials, also in sandboxes.',
  },
  {
    id: 'CRS-03',
    says: 'Every other path allows credentials only to a listed origin. A request without Origin gets * as before.',
  },
];
