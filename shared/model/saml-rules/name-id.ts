// Name identifiers: the supported formats and their values for a user (SAM-36 to SAM-39).
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

/** The format that a NameIDPolicy requests (none: unspecified), or undefined when it is not supported. */
export function requestedFormat(policyFormat: string | undefined): NameIdFormat | undefined {
  if (policyFormat === undefined) return unspecifiedFormat;
  return nameIdFormats.find((format) => format === policyFormat);
}

/**
 * The format of an identifier. If the request leaves it open, a registered service provider's own format applies
 * (SPM-12).
 */
export function formatFor(policyFormat: string | undefined, own: string | undefined): NameIdFormat | undefined {
  const isOpen = policyFormat === undefined || policyFormat === unspecifiedFormat;
  return requestedFormat(isOpen ? (own ?? policyFormat) : policyFormat);
}

/** Whether an identifier of this format may have a value that the service provider's entry chooses. */
export function takesOwnValue(format: NameIdFormat): boolean {
  return format === unspecifiedFormat || format === emailAddressFormat;
}

interface NameIdSources {
  /** The value of an unspecified or emailAddress identifier, instead of the user's address (SPM-12). */
  readonly ownValue?: string | undefined;
  readonly entityId: string;
  /** The Issuer of the request. undefined when it named none. */
  readonly spIssuer: string | undefined;
  /** Only called for the persistent format. */
  readonly persistentKey: () => Promise<Buffer>;
  /** Only called for the transient format. */
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

/** The form that `persistentIdentifier` returns. Any other text is no pseudonym. */
const persistentForm = /^_[0-9a-f]{40}$/;

export function isPersistentIdentifier(value: string): boolean {
  return persistentForm.test(value);
}

/**
 * The pseudonym of one user for one service provider: a keyed digest of both names. Without the key it is impossible to
 * find the user or to link the pseudonyms of two providers. The entity id is not included, because a derived one
 * changes with the Host of the request.
 */
export function persistentIdentifier(key: Buffer, username: string, spIssuer: string | undefined): string {
  const content = JSON.stringify([username, spIssuer ?? null]);
  return `_${createHmac('sha256', key).update(content).digest('hex').slice(0, 40)}`;
}

export function nameIdElement({ value, ...attributes }: NameId): XmlElement {
  return saml2('NameID', attributes, [value]);
}
