// Events that wait for the audit database.
export const outboxTables = `
  CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    delivery TEXT NOT NULL UNIQUE,
    event TEXT NOT NULL
  );
`;
