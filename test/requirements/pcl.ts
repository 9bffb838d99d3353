// Section PCL: profile and custom claims.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'PCL-01',
    says: 'A user may have claims, in the file, at run time, through the tools and in the form.',
  },
  {
    id: 'PCL-02',
    says: 'Names that belong to the server or the entry are rejected there, with their place.',
  },
  { id: 'PCL-03', says: 'A standard claim has its type.' },
  { id: 'PCL-04', says: 'A custom claim has any JSON value, and an empty one counts as absent.' },
  { id: 'PCL-05', says: 'An attribute with the name of a standard claim is reported.' },
  { id: 'PCL-06', says: '/userinfo returns standard claims, all of them or by scope.' },
  { id: 'PCL-07', says: 'email_verified and preferred_username can override their defaults.' },
  {
    id: 'PCL-08',
    says: 'The ID token contains the claims of its scopes if configured, also after a refresh.',
  },
  { id: 'PCL-09', says: 'The claims parameter can request standard and custom claims by name.' },
  {
    id: 'PCL-10',
    says: 'Custom claims are in every token and UserInfo response of the user, with their current values.',
  },
  { id: 'PCL-11', says: 'An access token contains no standard claim, and a refresh token no claim at all.' },
  { id: 'PCL-12', says: 'extra rejects the same names as before, and changes no existing claim.' },
  { id: 'PCL-13', says: 'A client may have claims for every token issued to it.' },
  {
    id: 'PCL-14',
    says: 'Claims of this login take precedence over the user’s, those over the client’s, and mappings over all.',
  },
  { id: 'PCL-15', says: 'PATCH applies a JSON merge patch to a runtime user, where allowed.' },
  { id: 'PCL-16', says: 'An invalid update is rejected, and simultaneous updates all apply.' },
  { id: 'PCL-17', says: 'The persona page can accept claims for one login.' },
  { id: 'PCL-18', says: 'They apply to everything that results from that login, and do not change the user.' },
  { id: 'PCL-19', says: 'ID tokens can be issued without token_use.' },
  { id: 'PCL-20', says: 'A token that looks like an ID token is not accepted as another kind.' },
  { id: 'PCL-21', says: 'A mapping names one literal claim, or a path whose objects are created.' },
  { id: 'PCL-22', says: 'A mapping takes its value from a field, a claim or an attribute.' },
  {
    id: 'PCL-23',
    says: 'A mapping creates a list, a string, the first value or a map, or omits the claim.',
  },
  { id: 'PCL-24', says: 'A mapping can apply to one place, to certain clients, to one scope.' },
  {
    id: 'PCL-25',
    says: 'A mapping may replace claims about a user, but not those of the protocol.',
  },
  { id: 'PCL-26', says: 'Nested and namespaced claims are created in one pass in any order.' },
  { id: 'PCL-27', says: 'claims_supported lists the configured claims.' },
  { id: 'PCL-28', says: 'API, tool, page and preview show claims and their result.' },
  { id: 'PCL-29', says: 'alice has every standard claim, and one table shows where each appears.' },
  { id: 'PCL-30', says: 'SAML attributes take the same sources.' },
];
