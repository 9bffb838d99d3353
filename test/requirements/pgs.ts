// The clauses of section PGS of the contract, in our own words.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'PGS-01', says: 'postgres needs a URL and refuses a path; the other stores refuse a URL.' },
  { id: 'PGS-02', says: 'The URL takes placeholders, several hosts and the directory of a Unix socket.' },
  { id: 'PGS-03', says: 'Two schemas of one database share nothing.' },
  {
    id: 'PGS-04',
    says: 'sslmode has libpq’s meanings; what leaves the machine is verified unless told otherwise.',
  },
  { id: 'PGS-05', says: 'The password of the database shows up nowhere.' },
  {
    id: 'PGS-06',
    says: 'A start waits 15 s for a server, then names host, port and reason; what waiting cannot mend ends it at once.',
  },
  {
    id: 'PGS-07',
    says: 'Too old a server, a lone standby and a database without UTF-8 are refused before anything is made.',
  },
  { id: 'PGS-08', says: 'A pooler that lends one session to several clients is refused with what to do instead.' },
  {
    id: 'PGS-09',
    says: 'Another kind, database or schema needs a restart; another password, host or TLS option is no change.',
  },
  { id: 'PGS-10', says: 'Any number of first starts at once end with one schema.' },
  { id: 'PGS-11', says: 'A kill while the schema is made leaves all of it or nothing.' },
  {
    id: 'PGS-12',
    says: 'An older schema is migrated beside running stacks, a newer or foreign one refused unchanged.',
  },
  { id: 'PGS-13', says: 'A role that owns the schema, or may make it, is enough.' },
  { id: 'PGS-14', says: 'Nothing lies outside the schema, whatever search_path says.' },
  { id: 'PGS-15', says: 'The contract suite, the model and two handles answer as on sqlite.' },
  { id: 'PGS-16', says: 'Every operation is atomic across machines, and nobody sees a collision.' },
  { id: 'PGS-17', says: 'What may be used once is used once, through whichever stack.' },
  { id: 'PGS-18', says: 'The bounds hold exactly under races through all stacks.' },
  { id: 'PGS-19', says: 'An event is committed with its change, without an outbox.' },
  { id: 'PGS-20', says: 'Entries have one order for ever, and no cursor skips a later commit.' },
  {
    id: 'PGS-21',
    says: '10 000 entries are kept and counters stay exact without a row that all commits lock.',
  },
  {
    id: 'PGS-22',
    says: 'Expired rows are removed a few at a time, and no operation walks a table for it.',
  },
  { id: 'PGS-23', says: 'Sandboxes, clock, faults and recorder are the same for all stacks.' },
  {
    id: 'PGS-24',
    says: 'One query a turn learns generation, clock, keys and faults, and nothing relies on a notification.',
  },
  { id: 'PGS-25', says: 'A worker lives as long as its session holds a lock.' },
  { id: 'PGS-26', says: 'A killed worker is dead within 1 s, a vanished machine within 30 s.' },
  { id: 'PGS-27', says: 'A stopped worker is alive, and holds others up for 5 s at most.' },
  {
    id: 'PGS-28',
    says: 'Who lost its session is another one, and goes on with nothing it had claimed.',
  },
  { id: 'PGS-29', says: 'Dead workers leave nothing behind that grows.' },
  { id: 'PGS-30', says: 'No answer within 5 s is a 503, while what asks nothing of the store is answered.' },
  { id: 'PGS-31', says: 'A statement that nobody waits for ends at the server within 5 s more.' },
  { id: 'PGS-32', says: 'Stacks serve again within 5 s of a server that came back.' },
  { id: 'PGS-33', says: 'What was acknowledged outlives a crash of the server.' },
  { id: 'PGS-34', says: 'After a lost answer nobody is taken for somebody else.' },
  { id: 'PGS-35', says: 'Of several hosts the one that takes writes is used, also after a failover.' },
  {
    id: 'PGS-36',
    says: 'A full disk or a lost privilege answers 503, is logged once a minute and shows no SQL.',
  },
  { id: 'PGS-37', says: 'A worker holds its pool and one session more, and a stack tells how many.' },
  {
    id: 'PGS-38',
    says: '200 requests find answers through one session, and a server without connections refuses the start alone.',
  },
  { id: 'PGS-39', says: 'Sessions bear the worker’s name, and unused ones are given back.' },
];
