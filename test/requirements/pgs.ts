// The clauses of section PGS of the contract, in our own words.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'PGS-01', says: 'postgres requires a URL and rejects a path. The other stores reject a URL.' },
  { id: 'PGS-02', says: 'The URL accepts placeholders, several hosts and the directory of a Unix socket.' },
  { id: 'PGS-03', says: 'Two schemas of one database share nothing.' },
  {
    id: 'PGS-04',
    says: 'sslmode has libpq’s meanings. Connections to other machines are verified by default.',
  },
  { id: 'PGS-05', says: 'The database password is never shown.' },
  {
    id: 'PGS-06',
    says: 'A start waits 15 s for a server, then names host, port and reason. Problems that waiting cannot solve end it at once.',
  },
  {
    id: 'PGS-07',
    says: 'A server that is too old, only a standby or without UTF-8 is rejected before anything is created.',
  },
  { id: 'PGS-08', says: 'A pooler that shares one session among several clients is rejected with the remedy.' },
  {
    id: 'PGS-09',
    says: 'Another kind, database or schema needs a restart. Another password, host or TLS option is no change.',
  },
  { id: 'PGS-10', says: 'Any number of simultaneous first starts create one schema.' },
  { id: 'PGS-11', says: 'A kill while the schema is created leaves all of it or nothing.' },
  {
    id: 'PGS-12',
    says: 'An older schema is migrated while stacks run. A newer or foreign one is rejected unchanged.',
  },
  { id: 'PGS-13', says: 'A role that owns the schema, or may create it, is sufficient.' },
  { id: 'PGS-14', says: 'Everything is inside the schema, with any search_path.' },
  { id: 'PGS-15', says: 'The contract suite, the model and two handles give the same results as on sqlite.' },
  { id: 'PGS-16', says: 'Every operation is atomic across machines, and no caller sees a conflict.' },
  { id: 'PGS-17', says: 'Single-use values can be used once, through any stack.' },
  { id: 'PGS-18', says: 'The bounds hold exactly under races through all stacks.' },
  { id: 'PGS-19', says: 'An event is committed with its change, without an outbox.' },
  { id: 'PGS-20', says: 'Entries have a permanent order, and no cursor skips a later commit.' },
  {
    id: 'PGS-21',
    says: '10 000 entries are kept, and counters are exact without a row that all commits lock.',
  },
  {
    id: 'PGS-22',
    says: 'Expired rows are deleted a few at a time, without full table scans.',
  },
  { id: 'PGS-23', says: 'Sandboxes, clock, faults and recorder are the same for all stacks.' },
  {
    id: 'PGS-24',
    says: 'One query per event-loop turn reads generation, clock, keys and faults, and nothing depends on a notification.',
  },
  { id: 'PGS-25', says: 'A worker is alive as long as its session holds a lock.' },
  { id: 'PGS-26', says: 'A killed worker counts as dead within 1 s, a vanished machine within 30 s.' },
  { id: 'PGS-27', says: 'A stopped worker counts as alive, and delays others by at most 5 s.' },
  {
    id: 'PGS-28',
    says: 'A worker that lost its session continues under another name, without its claims.',
  },
  { id: 'PGS-29', says: 'Dead workers leave nothing behind that accumulates.' },
  { id: 'PGS-30', says: 'No response within 5 s is a 503, while requests without store access get their response.' },
  { id: 'PGS-31', says: 'A statement without a waiting caller ends at the server within 5 s more.' },
  { id: 'PGS-32', says: 'Stacks serve again within 5 s after the server is back.' },
  { id: 'PGS-33', says: 'Acknowledged changes survive a crash of the server.' },
  { id: 'PGS-34', says: 'After a lost response, no proof of life is assigned to another process.' },
  { id: 'PGS-35', says: 'Of several hosts the writable one is used, also after a failover.' },
  {
    id: 'PGS-36',
    says: 'A full disk or a revoked privilege causes a 503, is logged once a minute and shows no SQL.',
  },
  { id: 'PGS-37', says: 'A worker holds its pool and one more session, and a stack reports the number.' },
  {
    id: 'PGS-38',
    says: '200 requests get their responses through one session, and a server without connections only rejects a start.',
  },
  { id: 'PGS-39', says: 'Sessions have the worker’s name, and unused ones are closed.' },
];
