// Section RES: resource indicators.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'RES-01', says: 'Every grant and both interactive endpoints read resource, which may repeat.' },
  { id: 'RES-02', says: 'Resources become the audience of the access token.' },
  { id: 'RES-03', says: 'A resource is an absolute URI of RFC 3986 without fragment.' },
  { id: 'RES-04', says: 'A client with allowed_resources is kept to them.' },
  { id: 'RES-05', says: 'A refused resource is invalid_target, by redirect or status 400.' },
  { id: 'RES-06', says: 'A redemption may choose among the bound resources only.' },
  { id: 'RES-07', says: 'A grant without resources stays without.' },
  { id: 'RES-08', says: 'Bound resources that apply are checked against the list of the moment.' },
  { id: 'RES-09', says: 'Choosing fewer resources concerns one answer.' },
];
