// Section SHV: further rules of the verdict.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'SHV-01', says: 'redirect_uri_not_exact (warning): a redirect URI that only the profile dev accepts' },
];
