import type { ConnectIdp } from './types.ts';
export const connectIdp: ConnectIdp = async () => {
  throw new Error('todo');
};
