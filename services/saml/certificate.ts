// GET /saml/cert.pem: the certificate that metadata and signatures carry, as PEM (SAM-08, SAM-09).
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';

export async function certificate(_request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { certificatePem } = await context.keys.signingKey();
  return { status: 200, headers: { 'Content-Type': 'application/x-pem-file' }, body: certificatePem };
}
