// The clauses of section CLU of the contract, in our own words.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'CLU-01', says: 'Stacks on any machines are one provider at every step of every flow.' },
  { id: 'CLU-02', says: 'Secrets, sessions, identifiers, rates and caches are one for all.' },
  { id: 'CLU-03', says: 'Each machine keeps its own workers, and none is special.' },
  { id: 'CLU-04', says: 'A machine that goes costs the requests in it and nothing else.' },
  {
    id: 'CLU-05',
    says: 'Stacks of neighbouring versions share a database, and a worker under a newer schema ends its stack.',
  },
  { id: 'CLU-06', says: 'Generated keys live in the store, and the keys directory is not used.' },
  { id: 'CLU-07', says: 'First starts at once end with one key set for all.' },
  {
    id: 'CLU-08',
    says: 'A rotation is one transaction, in force on all machines with their next operation.',
  },
  { id: 'CLU-09', says: 'The private key lies in the database in clear and nowhere else.' },
  { id: 'CLU-10', says: 'An external pair that is not the cluster’s is refused.' },
  {
    id: 'CLU-11',
    says: 'The secret of persistent identifiers is kept with the keys and outlives rotations.',
  },
  { id: 'CLU-12', says: 'Every machine serves the newest generation.' },
  { id: 'CLU-13', says: 'A start declares what was never in force, and joins what is.' },
  {
    id: 'CLU-14',
    says: 'A start with superseded texts joins with a warning; start --declare declares them.',
  },
  { id: 'CLU-15', says: 'Files that merely differ declare nothing.' },
  { id: 'CLU-16', says: 'A machine that is behind says so.' },
  {
    id: 'CLU-17',
    says: 'A generation that a machine cannot activate leaves it on the one before, with the reason.',
  },
  {
    id: 'CLU-18',
    says: 'Placeholders are expanded on each machine, and the store holds the texts unexpanded.',
  },
  { id: 'CLU-19', says: 'What takes effect at start is the machine’s own.' },
  {
    id: 'CLU-20',
    says: 'Writes go to the files of the machine that answers and declare in the same act.',
  },
  { id: 'CLU-21', says: 'Of simultaneous writes on two machines the slower one is a conflict.' },
  { id: 'CLU-22', says: 'A dead claim is settled by the newest generation.' },
  { id: 'CLU-23', says: 'The clock is PostgreSQL’s, whatever the machines’ clocks say.' },
  { id: 'CLU-24', says: 'What testers move or make through one machine holds on all.' },
  { id: 'CLU-25', says: 'GET /api/cluster tells of stacks, sessions, generations and clocks.' },
  { id: 'CLU-26', says: '/health is for restarts and /health/ready for a balancer.' },
  { id: 'CLU-27', says: 'The rates stay within the measured share of sqlite’s.' },
  { id: 'CLU-28', says: 'Two stacks give the rate of one with two frontends.' },
  {
    id: 'CLU-29',
    says: 'A test counts the round trips of each flow (as relaxed: at most 12 for a code flow, and what the operations of the store need).',
  },
  { id: 'CLU-30', says: 'A hundred handles at once end without deadlock, wrong answer or leak.' },
  { id: 'CLU-31', says: 'A sheet says what 100 machines need, and what of it was calculated.' },
  { id: 'CLU-32', says: 'Idle, a stack asks at most twice a second.' },
];
