// Who still uses the private directory of a stack. Every process of a stack listens on a small Unix socket of its own in
// there: connecting to it succeeds while the process lives, also while it is merely stopped, and the kernel refuses the
// connection once it is dead, however it died. No pid, clock or heartbeat is involved, so a directory in use is never
// removed (SUP-14).
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const leaseSuffix = '.alive';
/** This suffix is as long as the other: the path of a socket may not grow (makeStackDirectory). */
const startingSuffix = '.start';

export interface StackLease {
  release(): Promise<void>;
  /** For orphans: the last process of a stack whose supervisor is gone removes the directory. */
  releaseAndRemoveIfLast(): Promise<void>;
}

/** Marks this process as a user of the directory. */
export async function holdStackDirectory(directory: string): Promise<StackLease> {
  const path = join(directory, `${process.pid}${leaseSuffix}`);
  const starting = join(directory, `${process.pid}${startingSuffix}`);
  const server = createServer((socket) => socket.destroy());
  // An earlier process of this number that was killed right there may have left its file.
  rmSync(starting, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(starting, resolve);
  });
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  try {
    // The file of a socket is there before the socket listens, and until then the kernel refuses connections as it does
    // for the dead: only what listens gets the name of a lease.
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

/** `unmarked`: nobody has marked it yet, which is also how a directory looks that was made this moment. */
export async function stackDirectoryUse(directory: string): Promise<'used' | 'dead' | 'unmarked'> {
  const leases = readdirSync(directory).filter((name) => name.endsWith(leaseSuffix));
  if (leases.length === 0) return 'unmarked';
  const alive = await Promise.all(leases.map((name) => answers(join(directory, name))));
  return alive.includes(true) ? 'used' : 'dead';
}

/** Only a refusal by the kernel, or a socket that is gone, proves that nobody is there. */
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
