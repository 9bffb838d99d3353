// For tests of a front end without sandboxes.
import type { Sandboxes } from '#shared/engine/sandboxes/open-sandboxes.ts';

export const noSandboxes: Sandboxes = {
  find: async () => undefined,
  list: async () => [],
  show: async () => undefined,
  create: async () => ({ outcome: 'invalid', message: 'this process makes none' }),
  reset: async () => undefined,
  end: async () => 0,
  sweep: async () => {},
};
