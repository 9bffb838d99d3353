// Section KEY: signing keys.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  {
    id: 'KEY-01',
    says: 'Generated keys live in jwt.keys_dir, ../keys beside the configuration by default, and the directory is made when missing.',
  },
  {
    id: 'KEY-02',
    says: 'The directory holds exactly the named files with their modes: private key 0600, everything else 0644; it is 0700 itself when it is made here.',
  },
  {
    id: 'KEY-03',
    says: 'A kid is the RFC 7638 thumbprint of the public key, for external keys too unless one is configured.',
  },
  {
    id: 'KEY-04',
    says: 'idp-cert.pem is a self-signed SHA-256 certificate of the active key for 3650 days and is remade when missing or foreign.',
  },
  { id: 'KEY-05', says: 'Processes that start together on an empty directory agree on one key.' },
  { id: 'KEY-06', says: 'The private key is shown nowhere.' },
  {
    id: 'KEY-07',
    says: 'The key set lists the active key and then the kept previous ones, newest first, with public members alone.',
  },
  { id: 'KEY-08', says: 'A token verifies by its kid among active and kept keys; without kid the active key decides.' },
  {
    id: 'KEY-09',
    says: 'jwt.max_previous_keys bounds the kept keys, at once when it is lowered and at once for the retired key with 0.',
  },
  { id: 'KEY-10', says: 'A rotation over REST answers both kids, the count of previous keys and an ISO instant.' },
  { id: 'KEY-11', says: 'Key information names active kid, previous kids newest first and their bound.' },
  {
    id: 'KEY-12',
    says: 'Every other process signs with and publishes a rotated key in its next operation, without a failing request.',
  },
  { id: 'KEY-13', says: 'Simultaneous rotations run one after the other, each retiring the key then published.' },
  {
    id: 'KEY-14',
    says: 'A process killed anywhere in a rotation leaves the old or the new set whole, and the next holder of the lock tidies up.',
  },
  {
    id: 'KEY-15',
    says: 'A start without kid.txt makes a new key; a running process whose kid.txt vanished keeps its own and makes none.',
  },
  {
    id: 'KEY-16',
    says: 'A published key that cannot be loaded leaves the process on its key and is tried again after 5 s.',
  },
  {
    id: 'KEY-17',
    says: 'Where nothing may be written a process starts from the published keys and refuses to rotate.',
  },
  {
    id: 'KEY-18',
    says: 'External keys that are missing, not RSA or no pair fail the activation: exit 1 at start, 422 on reload.',
  },
  { id: 'KEY-19', says: 'An external key signs, is the whole key set and verifies whatever the kid.' },
  {
    id: 'KEY-20',
    says: 'The certificate of an external key is kept under its thumbprint, and changed files count from the next start.',
  },
  { id: 'KEY-21', says: 'A rotation that can never succeed answers 409 with its kind.' },
  { id: 'KEY-22', says: 'A held lock answers 503 with Retry-After 5, a filesystem without locks 503 without it.' },
  { id: 'KEY-23', says: 'A refused rotation has a fixed body that names no directory, and changes no key.' },
];
