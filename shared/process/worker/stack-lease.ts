// Which processes still use the private directory of a stack. Every process of a stack listens on a small Unix socket
// of its own in the directory. Connecting to it succeeds while the process exists, even when it is stopped. The kernel
// refuses the connection once the process is dead, however it died. No pid, clock or heartbeat is involved, so a
// directory in use is never removed (SUP-14).
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const leaseSuffix = '.alive';
/** As long as the other suffix: the path of a socket must not grow (makeStackDirectory). */
const startingSuffix = '.start';

export interface StackLease {
  release(): Promise<void>;
  /** For orphans: when the supervisor has ended, the last process of its stack removes the directory. */
  releaseAndRemoveIfLast(): Promise<void>;
}

/** Marks this process as a user of the directory. */
export async function holdStackDirectory(directory: string): Promise<StackLease> {
  const path = join(directory, `${process.pid}${leaseSuffix}`);
  const starting = join(directory, `${process.pid}${startingSuffix}`);
  const server = createServer((socket) => socket.destroy());
  // An earlier process with the same pid that was killed at this point may have left its file.
  rmSync(starting, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(starting, resolve);
  });
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  try {
    // The socket file exists before the socket listens. Until then the kernel refuses connections as it does for dead
    // processes. So the file gets the name of a lease only once the socket listens.
    renameSync(starting, path);
  } catch (error) {
    await close();
    throw error;
  }
  server.unref();
  const release = async () => {
    rmSync(path, { force: true });
    await close();
  };
  return {
    release,
    async releaseAndRemoveIfLast() {
      await release();
      if ((await stackDirectoryUse(directory)) !== 'used') rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** `unmarked`: no process has marked it yet. A directory that was just created looks the same. */
export async function stackDirectoryUse(directory: string): Promise<'used' | 'dead' | 'unmarked'> {
  const leases = readdirSync(directory).filter((name) => name.endsWith(leaseSuffix));
  if (leases.length === 0) return 'unmarked';
  const alive = await Promise.all(leases.map((name) => answers(join(directory, name))));
  return alive.includes(true) ? 'used' : 'dead';
}

/** Only a connection that the kernel refuses, or a missing socket, proves that the process has ended. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}
