// A port for a program that has to be told one.
import { createServer } from 'node:net';

/**
 * Free at every address of this machine, and below those that Linux gives away by itself: between the look and the use of it
 * no other program gets it by chance.
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
