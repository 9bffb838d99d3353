// Section PCL: profile and custom claims.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'PCL-01',
    says: 'A user may have claims, in the file, at run time, by the tools and in the form.',
  },
  {
    id: 'PCL-02',
    says: 'Names that belong to the server or the entry are refused there, by their place.',
  },
  { id: 'PCL-03', says: 'A standard claim has its type.' },
  { id: 'PCL-04', says: 'A free claim has any JSON value, and an empty one counts as absent.' },
  { id: 'PCL-05', says: 'An attribute that is named like a standard claim is pointed out.' },
  { id: 'PCL-06', says: '/userinfo tells standard claims, all of them or by scope.' },
  { id: 'PCL-07', says: 'email_verified and preferred_username may be said otherwise than by default.' },
  {
    id: 'PCL-08',
    says: 'The ID token carries the claims of its scopes where that is wished, on refresh too.',
  },
  { id: 'PCL-09', says: 'The claims parameter reaches standard and free claims by name.' },
  {
    id: 'PCL-10',
    says: 'Free claims stand in every token and UserInfo of the user, with the values of now.',
  },
  { id: 'PCL-11', says: 'No standard claim is in an access token, no claim at all in a refresh token.' },
  { id: 'PCL-12', says: 'extra refuses what it refused, and changes no claim that is there.' },
  { id: 'PCL-13', says: 'A client may have claims for every token made for it.' },
  {
    id: 'PCL-14',
    says: 'The claim of this login wins over the user’s, that over the client’s, a mapping over all.',
  },
  { id: 'PCL-15', says: 'PATCH merges a JSON merge patch into a runtime user, where that is allowed.' },
  { id: 'PCL-16', says: 'What an update may not be is refused, and simultaneous ones all count.' },
  { id: 'PCL-17', says: 'The persona page may take claims of one login.' },
  { id: 'PCL-18', says: 'They hold for all that comes of that login, and change no user.' },
  { id: 'PCL-19', says: 'ID tokens may be made without token_use.' },
  { id: 'PCL-20', says: 'A token that looks like an ID token is none of the others.' },
  { id: 'PCL-21', says: 'A mapping names one literal claim, or a path whose objects are made.' },
  { id: 'PCL-22', says: 'A mapping is made from a field, a claim or an attribute.' },
  {
    id: 'PCL-23',
    says: 'A mapping gives a list, a text, the first value, a map, or leaves the claim out.',
  },
  { id: 'PCL-24', says: 'A mapping may hold for one place, for certain clients, for one scope.' },
  {
    id: 'PCL-25',
    says: 'A mapping may replace what people are said to be, and nothing of the protocol.',
  },
  { id: 'PCL-26', says: 'Nested and namespaced claims come out in one pass whatever their order.' },
  { id: 'PCL-27', says: 'claims_supported names what somebody configured.' },
  { id: 'PCL-28', says: 'Claims and what comes of them are shown by API, tool, page and preview.' },
  { id: 'PCL-29', says: 'alice has every standard claim, and one table says what comes out where.' },
  { id: 'PCL-30', says: 'SAML attributes take the same sources.' },
];
