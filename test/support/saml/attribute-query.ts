// Attribute queries as a backend sends them, written as text independent of the product.
import { namespaces } from './service-provider.ts';

const { assertion, protocol, soap } = namespaces;

export interface QueryParts {
  readonly id?: string | undefined;
  readonly issuer?: string | undefined;
  /** The NameID element as text. undefined removes it. */
  readonly nameId?: string | undefined;
  readonly subject?: string | undefined;
  readonly attributes?: readonly string[];
}

export function attributeQuery(parts: QueryParts = {}): string {
  const { id, issuer, nameId } = {
    id: '_q',
    issuer: 'https://sp.example',
    nameId: '<a:NameID>alice</a:NameID>',
    ...parts,
  };
  const subject = 'subject' in parts ? (parts.subject ?? '') : `<a:Subject>${nameId ?? ''}</a:Subject>`;
  return (
    `<p:AttributeQuery xmlns:p="${protocol}" xmlns:a="${assertion}"${id === undefined ? '' : ` ID="${id}"`} Version="2.0" IssueInstant="2026-01-01T00:00:00Z">` +
    `${issuer === undefined ? '' : `<a:Issuer>${issuer}</a:Issuer>`}${subject}` +
    `${(parts.attributes ?? []).map((name) => `<a:Attribute Name="${name}"/>`).join('')}</p:AttributeQuery>`
  );
}

export const enveloped = (query: string) =>
  `<?xml version="1.0"?><e:Envelope xmlns:e="${soap}"><e:Body>${query}</e:Body></e:Envelope>`;
