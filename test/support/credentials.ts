// Credentials of the users and clients in the worlds.
import { basic } from './http.ts';

export const alice = { username: 'alice', password: 'wonderland' } as const;
/** Has a second factor in the interactive world. */
export const carol = { username: 'carol', password: 'cabbage' } as const;
/** The header of the client `web`. */
export const web = { Authorization: basic('web', 'web-secret') } as const;
