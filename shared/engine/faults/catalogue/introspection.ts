// Faults in the response of /introspect (FLT-K125 to FLT-K127). None reports an invalid token as active (FLT-21).
import type { Document } from '#shared/engine/exchange/output-hooks.ts';
import { type FaultRow, faultRow } from '../fault-row.ts';

const common = { at: ['introspect'], phase: 'after' } as const;

export const introspectionFaults: readonly FaultRow[] = [
  faultRow({
    ...common,
    id: 'FLT-K125',
    name: 'introspection_inactive',
    effect: 'A valid token is reported as inactive.',
    client: 'reject',
    source: 'RFC 7662 §2.2',
    make: () => ({ hookPoint: 'document', change: ofLiveToken(() => ({ active: false })) }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K126',
    name: 'introspection_text',
    effect: 'active is a string: "true" for a valid token, "false" for an invalid one.',
    client: 'reject',
    source: 'RFC 7662 §2.2',
    make: () => ({ hookPoint: 'document', change: (document) => ({ ...document, active: String(document.active) }) }),
  }),
  faultRow({
    ...common,
    id: 'FLT-K127',
    name: 'introspection_bare',
    effect: 'The response for a valid token contains only active.',
    client: 'either',
    source: 'RFC 7662 §2.2',
    make: () => ({ hookPoint: 'document', change: ofLiveToken(() => ({ active: true })) }),
  }),
];

function ofLiveToken(change: (document: Document) => Document) {
  return (document: Document): Document | undefined => (document.active === true ? change(document) : undefined);
}
