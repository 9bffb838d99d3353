// The clauses of section CLU of the contract, in our own words.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CLU-01', says: 'Stacks on any machines are one provider in every step of every flow.' },
  { id: 'CLU-02', says: 'All machines share secrets, sessions, identifiers, rate limits and caches.' },
  { id: 'CLU-03', says: 'Each machine has its own workers, and all machines are equal.' },
  { id: 'CLU-04', says: 'The loss of a machine affects only the requests in progress there.' },
  {
    id: 'CLU-05',
    says: 'Stacks of successive versions share a database. A worker ends its stack if the schema is too new for it.',
  },
  { id: 'CLU-06', says: 'Generated keys are in the store, and the keys directory is not used.' },
  { id: 'CLU-07', says: 'Simultaneous first starts create one key set for all.' },
  {
    id: 'CLU-08',
    says: 'A rotation is one transaction, and active on all machines with their next operation.',
  },
  { id: 'CLU-09', says: 'The private key is unencrypted in the database, and nowhere else.' },
  { id: 'CLU-10', says: 'An external key pair that differs from the cluster’s is rejected.' },
  {
    id: 'CLU-11',
    says: 'The secret of persistent identifiers is stored with the keys and survives rotations.',
  },
  { id: 'CLU-12', says: 'Every machine serves the newest generation.' },
  { id: 'CLU-13', says: 'A start declares files that were never active, and otherwise uses the active configuration.' },
  {
    id: 'CLU-14',
    says: 'A start with superseded files uses the active configuration with a warning. start --declare declares them.',
  },
  { id: 'CLU-15', says: 'Files that merely differ declare nothing.' },
  { id: 'CLU-16', says: 'A machine that is behind reports it.' },
  {
    id: 'CLU-17',
    says: 'A machine that cannot activate a generation keeps the previous one, and reports the reason.',
  },
  {
    id: 'CLU-18',
    says: 'Each machine expands placeholders, and the store contains the unexpanded texts.',
  },
  { id: 'CLU-19', says: 'Settings that become active at a start belong to the machine.' },
  {
    id: 'CLU-20',
    says: 'Writes change the files of the machine that handles the request, and declare them in the same step.',
  },
  { id: 'CLU-21', says: 'The slower of two simultaneous writes on two machines is a conflict.' },
  { id: 'CLU-22', says: 'The newest generation settles the claim of a dead process.' },
  { id: 'CLU-23', says: 'PostgreSQL’s clock is used, regardless of the machines’ clocks.' },
  { id: 'CLU-24', says: 'What testers change or create through one machine applies to all.' },
  { id: 'CLU-25', says: 'GET /api/cluster reports stacks, sessions, generations and clocks.' },
  { id: 'CLU-26', says: '/health is for restarts, and /health/ready for a load balancer.' },
  { id: 'CLU-27', says: 'The rates stay within the measured share of sqlite’s.' },
  { id: 'CLU-28', says: 'Two stacks reach the rate of one with two frontends.' },
  {
    id: 'CLU-29',
    says: 'A test counts the round trips of each flow (as relaxed: at most 12 for a code flow, and what the operations of the store need).',
  },
  { id: 'CLU-30', says: 'A hundred simultaneous handles cause no deadlock, wrong result or leak.' },
  { id: 'CLU-31', says: 'A document states what 100 machines need, and which part was calculated.' },
  { id: 'CLU-32', says: 'An idle stack sends at most two queries per second.' },
];
