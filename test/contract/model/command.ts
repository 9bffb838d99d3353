// A step on a store and on the reference model. It runs the operation on the store, computes the result with the model,
// and compares both. Every step may run in every state.
import type fc from 'fast-check';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import type { ReferenceModel } from './reference-model.ts';

export type Command = fc.AsyncCommand<ReferenceModel, OpenedStore>;

export function command(text: string, run: (model: ReferenceModel, real: OpenedStore) => Promise<void>): Command {
  return { check: () => true, run, toString: () => text };
}

/** One of the things that were started last, or one that was never started. */
export function recent(model: ReferenceModel, prefix: string, back: number): string {
  return `${prefix}-${model.begun - back}`;
}
