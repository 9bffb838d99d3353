// A port for a program that needs a fixed one.
import { createServer } from 'node:net';

/**
 * Free at every address of this machine, and below the ephemeral ports of Linux, so that no other program gets it by
 * chance before its use.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(false) : reject(error),
    );
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)));
  });
}
