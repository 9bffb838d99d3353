// Name identifiers: which formats are honoured and what each of them says of a user (SAM-36 to SAM-39).
import { createHmac } from 'node:crypto';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { addressOf } from '#shared/model/domain/user-address.ts';
import {
  emailAddressFormat,
  type NameIdFormat,
  nameIdFormats,
  persistentFormat,
  transientFormat,
  unspecifiedFormat,
} from '#shared/protocol/saml/name-formats.ts';
import { saml2 } from '#shared/protocol/saml/vocabulary.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';

export interface NameId {
  readonly value: string;
  readonly Format: string;
  readonly NameQualifier?: string | undefined;
  readonly SPNameQualifier?: string | undefined;
  readonly SPProvidedID?: string | undefined;
}

/** The format a NameIDPolicy asks for (none: unspecified), or undefined when it is not honoured. */
export function requestedFormat(policyFormat: string | undefined): NameIdFormat | undefined {
  if (policyFormat === undefined) return unspecifiedFormat;
  return nameIdFormats.find((format) => format === policyFormat);
}

/** The format of an identifier where a registered service provider has one of its own for requests that leave it open (SPM-12). */
export function formatFor(policyFormat: string | undefined, own: string | undefined): NameIdFormat | undefined {
  const isOpen = policyFormat === undefined || policyFormat === unspecifiedFormat;
  return requestedFormat(isOpen ? (own ?? policyFormat) : policyFormat);
}

/** Whether a value of the service provider's own choice may stand in an identifier of this format. */
export function takesOwnValue(format: NameIdFormat): boolean {
  return format === unspecifiedFormat || format === emailAddressFormat;
}

interface NameIdSources {
  /** What an unspecified or emailAddress identifier says in place of the address of the user (SPM-12). */
  readonly ownValue?: string | undefined;
  readonly entityId: string;
  /** The Issuer of the request; undefined when it named none. */
  readonly spIssuer: string | undefined;
  /** Asked only for the persistent format. */
  readonly persistentKey: () => Promise<Buffer>;
  /** Asked only for the transient format. */
  readonly freshIdentifier: () => string;
}

export async function nameIdOf(user: User, format: NameIdFormat, sources: NameIdSources): Promise<NameId> {
  switch (format) {
    case persistentFormat:
      return {
        value: persistentIdentifier(await sources.persistentKey(), user.username, sources.spIssuer),
        Format: format,
        NameQualifier: sources.entityId,
        SPNameQualifier: sources.spIssuer,
      };
    case transientFormat:
      return { value: sources.freshIdentifier(), Format: format };
    default:
      return { value: sources.ownValue ?? addressOf(user), Format: format };
  }
}

/** The form that `persistentIdentifier` gives: what has another one is nobody's pseudonym. */
const persistentForm = /^_[0-9a-f]{40}$/;

export function isPersistentIdentifier(value: string): boolean {
  return persistentForm.test(value);
}

/**
 * The pseudonym of one user towards one service provider: a keyed digest of both names, so that nobody without the key
 * can find the user behind it or join two providers' pseudonyms. The entity id is no part of it, because a derived one
 * changes with the Host of the request.
 */
export function persistentIdentifier(key: Buffer, username: string, spIssuer: string | undefined): string {
  const content = JSON.stringify([username, spIssuer ?? null]);
  return `_${createHmac('sha256', key).update(content).digest('hex').slice(0, 40)}`;
}

export function nameIdElement({ value, ...attributes }: NameId): XmlElement {
  return saml2('NameID', attributes, [value]);
}
