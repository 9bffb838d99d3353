// A store that notes which of its operations were used, so that the model-based test can say that it left none out.
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

/** The same store; whatever is taken from a port is noted in `used` as `port.operation`. */
export function noting(opened: OpenedStore, used: Set<string>): OpenedStore {
  const store = { ...opened.store };
  const ports: readonly (keyof typeof store)[] = Object.keys(store) as (keyof typeof store)[];
  const watchedStore = Object.fromEntries(ports.map((name) => [name, watched(name, store[name], used)]));
  return { ...opened, store: { ...store, ...watchedStore }, audit: watched('audit', opened.audit, used) };
}

/** Every operation there is. */
export function operationsOf({ store, audit }: OpenedStore): readonly string[] {
  const ports: Operations = { ...store, audit };
  return Object.entries(ports).flatMap(([name, port]) => {
    return Object.keys(port as object).map((operation) => `${name}.${operation}`);
  });
}
