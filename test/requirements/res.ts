// Section RES: resource indicators.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'RES-01', says: 'Every grant and both interactive endpoints read resource, which may repeat.' },
  { id: 'RES-02', says: 'Resources become the audience of the access token.' },
  { id: 'RES-03', says: 'A resource is an absolute URI of RFC 3986 without fragment.' },
  { id: 'RES-04', says: 'A client with allowed_resources can only use these.' },
  { id: 'RES-05', says: 'A rejected resource is invalid_target, by redirect or with status 400.' },
  { id: 'RES-06', says: 'A redemption may only select from the bound resources.' },
  { id: 'RES-07', says: 'A grant without resources cannot add any.' },
  { id: 'RES-08', says: 'Bound resources are checked against the current list.' },
  { id: 'RES-09', says: 'Selecting fewer resources applies to one response.' },
];
