// Section KEY: signing keys.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'KEY-01',
    says: 'Generated keys are in jwt.keys_dir, by default ../keys next to the configuration. A missing directory is created.',
  },
  {
    id: 'KEY-02',
    says: 'The directory contains exactly the named files with their modes: private key 0600, everything else 0644. A created directory has mode 0700.',
  },
  {
    id: 'KEY-03',
    says: 'A kid is the RFC 7638 thumbprint of the public key, also for external keys unless one is configured.',
  },
  {
    id: 'KEY-04',
    says: 'idp-cert.pem is a self-signed SHA-256 certificate of the active key for 3650 days. It is replaced if it is missing or of another key.',
  },
  { id: 'KEY-05', says: 'Processes that start together on an empty directory agree on one key.' },
  { id: 'KEY-06', says: 'The private key is shown nowhere.' },
  {
    id: 'KEY-07',
    says: 'The key set lists the active key and then the previous ones, newest first, with public members only.',
  },
  {
    id: 'KEY-08',
    says: 'A token is verified by its kid with active and previous keys, or with the active key if it has no kid.',
  },
  {
    id: 'KEY-09',
    says: 'jwt.max_previous_keys limits the previous keys, at once when it is lowered, and at once for the retired key with 0.',
  },
  { id: 'KEY-10', says: 'A rotation over REST returns both kids, the number of previous keys and an ISO timestamp.' },
  { id: 'KEY-11', says: 'Key information contains the active kid, the previous kids newest first, and their limit.' },
  {
    id: 'KEY-12',
    says: 'Every other process signs with a rotated key and publishes it in its next operation, without a failing request.',
  },
  { id: 'KEY-13', says: 'Simultaneous rotations run one after the other, each retiring the key then published.' },
  {
    id: 'KEY-14',
    says: 'A process killed during a rotation leaves the complete old or new set, and the next holder of the lock cleans up.',
  },
  {
    id: 'KEY-15',
    says: 'A start without kid.txt creates a new key. A running process whose kid.txt disappeared keeps its key and creates none.',
  },
  {
    id: 'KEY-16',
    says: 'If a published key cannot be loaded, the process keeps its key and tries again after 5 s.',
  },
  {
    id: 'KEY-17',
    says: 'If nothing can be written, a process starts with the published keys and rejects rotations.',
  },
  {
    id: 'KEY-18',
    says: 'External keys that are missing, not RSA or not a pair fail the activation: exit 1 at a start, 422 at a reload.',
  },
  { id: 'KEY-19', says: 'An external key signs, is the whole key set, and verifies every kid.' },
  {
    id: 'KEY-20',
    says: 'The certificate of an external key is stored under its thumbprint, and changed files are used from the next start on.',
  },
  { id: 'KEY-21', says: 'A rotation that can never succeed returns 409 with its kind.' },
  {
    id: 'KEY-22',
    says: 'A lock held by another process returns 503 with Retry-After 5, a filesystem without locks 503 without it.',
  },
  { id: 'KEY-23', says: 'A rejected rotation has a fixed body that names no directory, and changes no key.' },
];
