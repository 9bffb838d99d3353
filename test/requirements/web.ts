// Section WEB of the contract: web pages.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'WEB-01',
    says: 'The dashboard counts users and clients by origin, and shows counters, entity id and five events.',
  },
  { id: 'WEB-02', says: 'Users are listed with their origin, and a declared one is shown with its authorities.' },
  { id: 'WEB-03', says: 'User forms change users.yaml and redirect with a message, never for a runtime user.' },
  { id: 'WEB-04', says: 'The user form has its fields, lists by comma or line, and typed attribute rows.' },
  { id: 'WEB-05', says: 'Edits keep password and TOTP secret. A password can only be missing in persona mode.' },
  {
    id: 'WEB-06',
    says: 'Clients of all origins are listed. Only declared ones can be changed, and cached ones can be deleted.',
  },
  { id: 'WEB-07', says: 'Client forms generate a secret, keep a stored one, and remove entries.' },
  { id: 'WEB-08', says: 'A new secret is shown once, a stored one never, and public clients have none.' },
  { id: 'WEB-09', says: 'Deleting a cached document reports it, or that there was none.' },
  {
    id: 'WEB-10',
    says: 'The settings form edits its keys in one write and offers no file-only keys.',
  },
  { id: 'WEB-11', says: 'A missing field changes nothing, a blank one clears, and a checkbox needs its marker.' },
  { id: 'WEB-12', says: 'A stale revision or a result that would not load writes nothing and shows the reason.' },
  { id: 'WEB-13', says: 'When the redirect arrives, all frontends use the change.' },
  {
    id: 'WEB-14',
    says: 'If it was written but not activated, file and running configuration stay, and the page reports both.',
  },
  { id: 'WEB-15', says: 'The keys page shows public keys, rotates, and offers public key and certificate.' },
  { id: 'WEB-16', says: 'The claims page edits prefixes, and the preview is JSON or 404.' },
  { id: 'WEB-17', says: 'The audit page filters, exports without formulas, and clears.' },
  { id: 'WEB-18', says: 'The tester issues a token for a declared user and decodes it.' },
  { id: 'WEB-19', says: 'With require_ui_login only the web UI requires a login.' },
  { id: 'WEB-20', says: 'With a management secret, actions of the web UI need an unlocked session.' },
  { id: 'WEB-21', says: 'Unlocking takes the right secret and lasts as long as that secret does.' },
  { id: 'WEB-22', says: 'Writes that a browser marks as cross-site are rejected.' },
  { id: 'WEB-23', says: 'Without the mark the origin decides. Programs and listed origins are accepted.' },
  { id: 'WEB-24', says: 'At /saml/sso, only posts with login fields are rejected across sites.' },
  { id: 'WEB-25', says: 'A GET changes nothing.' },
  { id: 'WEB-26', says: 'Pages have a strict policy and nosniff, and nothing inline.' },
  { id: 'WEB-27', says: 'The policy lets logins redirect and SAML responses post to other origins.' },
  { id: 'WEB-28', says: 'External text is always shown as text.' },
  { id: 'WEB-29', says: 'Everything works without JavaScript.' },
  { id: 'WEB-30', says: 'Pages support keyboard, labels, 360 px, light and dark.' },
];
