// The faults that settings.yaml or the settings of a sandbox declare. They are written to the store whenever a
// configuration is activated (FLT-32, FLT-33).

import type { Randomness } from '#shared/base/random.ts';
import type { FaultEntry } from '#shared/model/configuration/fault-entry.ts';
import { haveSameOrders } from '#shared/model/domain/fault.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { newFault } from './create-fault.ts';
import { orderOfEntry } from './read-fault-order.ts';

/** Cheap while nothing has changed, in any key order. `generation`: see Faults.declare. */
export async function declareFaults(
  entries: readonly FaultEntry[],
  { store, random }: { readonly store: Pick<RuntimeStore, 'faults'>; readonly random: Randomness },
  generation?: number,
): Promise<void> {
  const orders = entries.map(orderOfEntry);
  const kept = await store.faults.list();
  const present = kept.filter(({ origin }) => origin === 'declared');
  if (haveSameOrders(present, orders)) return;
  await store.faults.declare(await Promise.all(orders.map((order) => newFault(order, random))), generation);
}
