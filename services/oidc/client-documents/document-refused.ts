// A document of a client that cannot be used: its metadata document, its keys or its request object.
import { type DocumentFinding, metadataDocumentRefusals } from '#shared/model/refusals/families/metadata-documents.ts';
import { RefusedError, refused } from '#shared/model/refusals/refusal.ts';
import type { ClientIdUrl } from '#shared/protocol/oauth2/client-id-url.ts';

/** Its message ends the sentence "the document cannot be used:". For a response it is never used (CMD-02). */
export class DocumentRefusedError extends RefusedError {
  constructor(code: keyof typeof metadataDocumentRefusals, found: DocumentFinding, options?: { cause?: unknown }) {
    super({ ...refused(metadataDocumentRefusals[code], found), message: found.problem }, options);
  }
}

/** `problem`: from `parseClientIdUrl`. */
export function addressMalformed(problem: string, address: string): DocumentRefusedError {
  const expected = 'an absolute https address with a path';
  return new DocumentRefusedError('document_address_malformed', { problem, expected, received: address });
}

/** Host and port, as `allowed_hosts` names them. */
export function placeOf({ authority, port }: ClientIdUrl): string {
  return /:[0-9]+$/.test(authority) || port === 443 ? authority : `${authority}:${port}`;
}
