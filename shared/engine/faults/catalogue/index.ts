// All faults, by family: the table of the contract in its order, and later ones (decision 7).
import type { FaultRow } from '../fault-row.ts';
import { authorizationResponseFaults } from './authorization-response.ts';
import { deviceFaults } from './device.ts';
import { discoveryFaults } from './discovery.ts';
import { httpFaults } from './http.ts';
import { introspectionFaults } from './introspection.ts';
import { keySetFaults } from './key-set.ts';
import { logoutFaults } from './logout.ts';
import { logoutTokenFaults } from './logout-token.ts';
import { oauthErrorFaults } from './oauth-errors.ts';
import { pushedRequestFaults } from './pushed-requests.ts';
import { refreshFaults } from './refresh.ts';
import { registrationFaults } from './registration.ts';
import { samlAttributeFaults } from './saml-attributes.ts';
import { samlDocumentFaults } from './saml-document.ts';
import { samlEncryptionFaults } from './saml-encryption.ts';
import { samlLogoutFaults } from './saml-logout.ts';
import { samlMetadataFaults } from './saml-metadata.ts';
import { samlSignatureFaults } from './saml-signature.ts';
import { samlSubjectFaults } from './saml-subject.ts';
import { samlWrappingFaults } from './saml-wrapping.ts';
import { tokenClaimFaults } from './token-claims.ts';
import { tokenResponseFaults } from './token-response.ts';
import { tokenSignatureFaults } from './token-signature.ts';
import { userinfoFaults } from './userinfo.ts';

export interface FaultFamily {
  /** For people. */
  readonly title: string;
  readonly faults: readonly FaultRow[];
}

const faultFamilies: readonly FaultFamily[] = [
  { title: 'Any response', faults: httpFaults },
  { title: 'OAuth errors', faults: oauthErrorFaults },
  { title: 'Authorization response', faults: authorizationResponseFaults },
  { title: 'Token claims', faults: tokenClaimFaults },
  { title: 'Token headers and signatures', faults: tokenSignatureFaults },
  { title: 'Token response', faults: tokenResponseFaults },
  { title: 'Token refresh', faults: refreshFaults },
  { title: 'Discovery', faults: discoveryFaults },
  { title: 'Key set', faults: keySetFaults },
  { title: 'Userinfo', faults: userinfoFaults },
  { title: 'Introspection', faults: introspectionFaults },
  { title: 'Device flow', faults: deviceFaults },
  { title: 'Registration', faults: registrationFaults },
  { title: 'Logout', faults: logoutFaults },
  { title: 'SAML login: signature', faults: samlSignatureFaults },
  { title: 'SAML login: time, recipient and request', faults: samlSubjectFaults },
  { title: 'SAML login: signature wrapping', faults: samlWrappingFaults },
  { title: 'SAML login: document', faults: samlDocumentFaults },
  { title: 'SAML login: attributes', faults: samlAttributeFaults },
  { title: 'SAML metadata and attribute queries', faults: samlMetadataFaults },
];

/** Families with rows of their own beside the table, whose number is fixed (FLT-37). */
const furtherFamilies: readonly FaultFamily[] = [
  { title: 'SAML login: encryption', faults: samlEncryptionFaults },
  { title: 'SAML logout requests', faults: samlLogoutFaults },
  { title: 'Logout tokens', faults: logoutTokenFaults },
  { title: 'Pushed authorization requests', faults: pushedRequestFaults },
];

export const everyFaultFamily: readonly FaultFamily[] = [...faultFamilies, ...furtherFamilies];

const rows = everyFaultFamily.flatMap(({ faults }) => faults);
const isInTable = ({ id }: FaultRow) => id.startsWith('FLT-');

/** Only the table of the contract (FLT-37). */
export const faultCatalogue: readonly FaultRow[] = rows.filter(isInTable);
/** The later faults, in the order of their ids. A row may be in the file of any family. */
export const furtherFaults: readonly FaultRow[] = rows
  .filter((row) => !isInTable(row))
  .toSorted((one, other) => (one.id < other.id ? -1 : 1));
export const everyFault: readonly FaultRow[] = [...faultCatalogue, ...furtherFaults];

export const faultNames: readonly string[] = everyFault.map(({ name }) => name);

const byName: ReadonlyMap<string, FaultRow> = new Map(everyFault.map((row) => [row.name, row]));

export function faultNamed(name: string): FaultRow | undefined {
  return byName.get(name);
}
