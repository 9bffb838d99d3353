// Whether both databases of a store can be written to.
import type { FailingPart, StoreCondition } from '../ports/condition.ts';
import type { StoreDatabase } from './database.ts';

export function conditionOf(parts: readonly (readonly [FailingPart['part'], StoreDatabase])[]): StoreCondition {
  return {
    troubles: async () => {
      const found: FailingPart[] = [];
      for (const [part, database] of parts) {
        const trouble = await database.trouble();
        if (trouble !== undefined) found.push({ part, trouble });
      }
      return found;
    },
  };
}
