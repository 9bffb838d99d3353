// Section LIN of shapes.md: logins.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'LIN-K01', says: 'login.auto_login_user names the user of every login.' },
  { id: 'LIN-01', says: 'With it, /authorize and the SAML endpoints answer for that user without a page.' },
  { id: 'LIN-02', says: 'A login_hint or a SAML Subject that names another user logs in that one.' },
  {
    id: 'LIN-03',
    says: 'Such a login has the method persona, and prompts, max_age, ForceAuthn and IsPassive are satisfied.',
  },
  { id: 'LIN-04', says: 'A missing user is a finding, and the login page says so. The start warns.' },
  { id: 'LIN-05', says: 'login_claims takes members of the user entry and acr.' },
  {
    id: 'LIN-06',
    says: 'They replace the values of the user for that login, and acr that of the ID token.',
  },
  { id: 'LIN-07', says: 'Without attributes, typed claims are further SAML attributes.' },
  { id: 'LIN-08', says: 'login_hint fills the username field of every login page, or marks the user.' },
  { id: 'LIN-09', says: 'At /saml/sso the user of the Subject fills it when there is no login_hint.' },
  { id: 'LIN-10', says: 'A stored bcrypt hash is checked as a hash in every profile.' },
];
