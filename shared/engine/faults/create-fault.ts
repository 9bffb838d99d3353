// Creates a fault, for REST, tools and the page.

import type { Randomness } from '#shared/base/random.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { FaultProblem } from '#shared/model/configuration/fault-entry.ts';
import type { Fault, FaultOrder } from '#shared/model/domain/fault.ts';
import type { KeyRing, KeyRotationRefusedError } from '#shared/state/keys/key-ring.ts';
import type { NewFault, RuntimeStore } from '#shared/state/store/ports/index.ts';
import { faultNamed } from './catalogue/index.ts';
import { readFaultOrder } from './read-fault-order.ts';
import { drawUnknownKey } from './unknown-key.ts';

export type FaultCreation =
  | { readonly outcome: 'created'; readonly fault: Fault }
  | { readonly outcome: 'refused'; readonly problems: readonly FaultProblem[] }
  /** It would rotate the key, which cannot be rotated here (FLT-K103). */
  | { readonly outcome: 'key_not_rotatable'; readonly refusal: KeyRotationRefusedError }
  | { readonly outcome: 'full' };

/** The events in the life of a fault (FLT-30). */
export type FaultEvent = (event_type: 'fault_created' | 'fault_deleted', details: FaultName) => AuditEvent;

interface FaultName {
  readonly name: string;
  readonly id: string;
}

export interface FaultDependencies {
  readonly store: Pick<RuntimeStore, 'faults'>;
  readonly random: Randomness;
  readonly keys: Pick<KeyRing, 'rotationRefusal'>;
}

export async function createFault(
  given: unknown,
  eventOf: FaultEvent,
  { store, random, keys }: FaultDependencies,
): Promise<FaultCreation> {
  const read = readFaultOrder(given);
  if ('problems' in read) return { outcome: 'refused', problems: read.problems };
  const refusal = faultNamed(read.order.fault)?.rotatesKey === true ? await keys.rotationRefusal() : undefined;
  if (refusal !== undefined) return { outcome: 'key_not_rotatable', refusal };
  const made = await newFault(read.order, random);
  const fault = await store.faults.create(made, eventOf('fault_created', { name: made.fault, id: made.id }));
  return fault === 'full' ? { outcome: 'full' } : { outcome: 'created', fault };
}

export async function newFault(order: FaultOrder, random: Randomness): Promise<NewFault> {
  const usesKey = faultNamed(order.fault)?.usesUnknownKey === true;
  return { ...order, id: `fault-${random.token(9)}`, unknownKey: usesKey ? await drawUnknownKey() : undefined };
}
