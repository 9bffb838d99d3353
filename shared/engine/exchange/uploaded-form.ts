// Forms that carry files: multipart/form-data (RFC 7578), for the few routes that accept one. On other routes such a
// body has no fields.
import { Parameters } from '#shared/base/parameters.ts';
import type { Endpoint, ParsedRequest } from './request.ts';

/** The endpoint gets the fields of such a form, and each file as its text. */
export function acceptingFiles(endpoint: Endpoint): Endpoint {
  return async (request, context) => {
    if (request.mediaType !== 'multipart/form-data') return endpoint(request, context);
    // Lazy getters are not the request's own properties, so a copy would lack them.
    const { query } = request;
    return endpoint({ ...request, query, form: await uploadedForm(request) }, context);
  };
}

/** A malformed body has no fields. */
async function uploadedForm({ body, headers }: ParsedRequest): Promise<Parameters> {
  const contentType = headers['content-type'] ?? '';
  try {
    const form = await new Response(new Uint8Array(body), { headers: { 'Content-Type': contentType } }).formData();
    const pairs = await Promise.all(
      [...form].map(async ([name, value]) => [name, typeof value === 'string' ? value : await value.text()] as const),
    );
    return new Parameters(pairs);
  } catch (error) {
    if (error instanceof TypeError) return Parameters.none;
    throw error;
  }
}
