// A store that records which of its operations were used, so that the model-based test can check that all were.
import type { OpenedStore } from '#shared/state/store/open-store.ts';

type Operations = Readonly<Record<string, unknown>>;

function watched<Port extends object>(name: string, port: Port, used: Set<string>): Port {
  return new Proxy(port, {
    get(target, operation, receiver) {
      used.add(`${name}.${String(operation)}`);
      return Reflect.get(target, operation, receiver);
    },
  });
}

/** The same store. Each operation that is read from a port is added to `used` as `port.operation`. */
export function noting(opened: OpenedStore, used: Set<string>): OpenedStore {
  const store = { ...opened.store };
  const ports: readonly (keyof typeof store)[] = Object.keys(store) as (keyof typeof store)[];
  const watchedStore = Object.fromEntries(ports.map((name) => [name, watched(name, store[name], used)]));
  return { ...opened, store: { ...store, ...watchedStore }, audit: watched('audit', opened.audit, used) };
}

/** Every operation of the store. */
export function operationsOf({ store, audit }: OpenedStore): readonly string[] {
  const ports: Operations = { ...store, audit };
  return Object.entries(ports).flatMap(([name, port]) => {
    return Object.keys(port as object).map((operation) => `${name}.${operation}`);
  });
}
