import { formatFor } from '#shared/model/saml-rules/name-id.ts';
import type { NameIdFormat } from '#shared/protocol/saml/name-formats.ts';
import type { RequestToAnswer } from './ask-for-login.ts';

/** The NameID format of the Response. undefined: the request's NameIDPolicy cannot be satisfied. */
export function requestedFormat({ received, serviceProvider }: RequestToAnswer): NameIdFormat | undefined {
  return formatFor(received.nameIdFormat, serviceProvider?.name_id_format);
}
