// Section UNK: unknown scopes and registration.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'UNK-K01',
    says: 'oauth.unknown_scopes is reject, ignore or grant, and reject by default. It is read from the file only.',
  },
  { id: 'UNK-01', says: 'A scope outside scopes_supported is handled as the setting says, in every profile.' },
  {
    id: 'UNK-02',
    says: 'With ignore they are dropped, the response shows the granted scope, and the audit has ignored_scopes. With nothing left the default applies.',
  },
  {
    id: 'UNK-03',
    says: 'With grant they are granted, at most 50 of at most 200 characters. Discovery stays, and so does the restriction of a client.',
  },
  {
    id: 'UNK-04',
    says: 'Registrations and metadata documents store them with grant and drop them otherwise. Without grant a scope with no supported name is 400.',
  },
  { id: 'UNK-05', says: 'A registration returns what it dropped as dropped_scope, and its event has dropped_scopes.' },
  {
    id: 'UNK-06',
    says: 'The shipped, init and embedded configurations and the guide for MCP grant unknown scopes. Their introspection_claims: token is due with CLS-K10, which does not exist yet.',
  },
];
