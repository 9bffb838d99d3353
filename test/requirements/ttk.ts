// Section TTK of shapes.md: test tokens and strict management requests.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'TTK-01',
    says: 'Test tokens take claims to set and to remove, applied last to the access token.',
  },
  { id: 'TTK-02', says: 'The same for the ID token. No refresh token changes.' },
  { id: 'TTK-03', says: 'audience is the aud of a test token.' },
  { id: 'TTK-04', says: 'Such a token is signed as usual and judged by the claims that it has.' },
  { id: 'TTK-05', says: 'REST, MCP, idp.token(), test-idp token and /test take them.' },
  { id: 'TTK-06', says: 'The audit event names the changed claims without their values.' },
  { id: 'TTK-07', says: 'An unknown member of a JSON body below /api returns 400 and names the nearest member.' },
  {
    id: 'TTK-08',
    says: 'An unknown or repeated query parameter below /api returns 400. Protocol endpoints ignore it.',
  },
  { id: 'TTK-09', says: 'This holds for every operation below /api, in sandboxes too, and nothing changes.' },
];
