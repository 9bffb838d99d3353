// Machines of a cluster: whole stacks, each with its own directory, on one PostgreSQL and one schema.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from './postgres-server.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from './shared-root.ts';
import { type RunningIdp, type StartOptions, startIdp } from './start-idp.ts';
import { demoUsers } from './worlds.ts';

interface MachineFiles {
  readonly settings?: object;
  readonly users?: object;
}

type MachineStart = Pick<StartOptions, 'args' | 'within' | 'cli' | 'command' | 'env'>;

export interface Machine {
  readonly files: SharedRoot;
  /** Writes a new settings.yaml that uses the database of the cluster. */
  writeSettings(settings: object): void;
  /** The stack that was started last. */
  readonly idp: RunningIdp;
  start(options?: MachineStart): Promise<RunningIdp>;
}

export interface Machines {
  /** The schema of all machines. */
  readonly schema: string;
  /** Creates a machine with its own directory, without starting its stack. */
  make(files?: MachineFiles): Machine;
  /** Creates and starts a machine. */
  started(files?: MachineFiles, options?: MachineStart): Promise<Machine>;
  stopAll(): Promise<void>;
}

let clusters = 0;

export function machinesOn(server: PostgresServer): Machines {
  clusters += 1;
  const runtime = { store: 'postgres', url: server.url(), schema: `cluster_${clusters}` };
  const made: SharedRoot[] = [];
  const running: RunningIdp[] = [];
  const make = ({ settings = sharedSettings, users = demoUsers }: MachineFiles = {}): Machine => {
    const onDatabase = (given: object) => ({ ...given, runtime });
    const files = makeSharedRoot(onDatabase(settings), users);
    // One key pair for all machines.
    const [first] = made;
    if (first === undefined) mkdirSync(join(files.root, 'keys'));
    else symlinkSync(join(first.root, 'keys'), join(files.root, 'keys'));
    made.push(files);
    let idp: RunningIdp | undefined;
    return {
      files,
      writeSettings: (given) => files.writeSettings(onDatabase(given)),
      get idp() {
        if (idp === undefined) throw new Error('This machine was not started.');
        return idp;
      },
      async start(options = {}) {
        idp = await startIdp({ root: files.root, command: 'start', ...options });
        running.push(idp);
        return idp;
      },
    };
  };
  return {
    schema: runtime.schema,
    make,
    async started(files, options) {
      const machine = make(files);
      await machine.start(options);
      return machine;
    },
    async stopAll() {
      await Promise.all(running.splice(0).map((idp) => idp.stop()));
      for (const files of made.splice(0).toReversed()) files.remove();
    },
  };
}
