// Whether the database can be written to. State and audit are one part of it (PGS-19).
import type { StoreCondition } from '../ports/condition.ts';
import type { PostgresDatabase } from './database.ts';

export function conditionOf(database: PostgresDatabase): StoreCondition {
  return {
    troubles: async () => {
      const trouble = await database.trouble();
      return trouble === undefined ? [] : [{ part: 'runtime store', trouble }];
    },
  };
}
