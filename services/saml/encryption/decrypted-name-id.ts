// The NameID in an EncryptedID that was encrypted for us (ENC-10, SLO-22).
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { assertionNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { isNamed, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { decrypted } from './decrypt-element.ts';
import { encryptionKey } from './encryption-key.ts';

/** undefined: none exists, or it cannot be decrypted. The reason is not disclosed (ENC-11). */
export async function decryptedNameId(
  encrypted: XmlElement | undefined,
  context: ProtocolContext,
): Promise<XmlElement | undefined> {
  if (encrypted === undefined || !context.snapshot.settings.saml.encryption_key) return undefined;
  const { privateKey } = await encryptionKey(context);
  const nameId = decrypted(encrypted, privateKey, context.random);
  return nameId !== undefined && isNamed(nameId, assertionNamespace, 'NameID') ? nameId : undefined;
}
