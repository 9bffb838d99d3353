// Loaded before the tests: their temporary files lie in memory where there is room, since a file on a disk takes a millisecond
// to make, and a database of PostgreSQL has a thousand. TMPDIR says otherwise. What drills measure stays on the disk.
const { accessSync, constants, readFileSync, statfsSync } = require('node:fs');

const directory = '/dev/shm';
const neededBytes = 2 * 1024 ** 3;

if (process.env.TMPDIR === undefined && hasRoom()) process.env.TMPDIR = directory;

function hasRoom() {
  try {
    accessSync(directory, constants.W_OK);
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize >= neededBytes && mayRunPrograms();
  } catch {
    return false;
  }
}

/** Containers mount it so that nothing runs from there, and some tests install a package and use it. */
function mayRunPrograms() {
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === directory);
  return mount !== undefined && !mount.split(' ')[3].split(',').includes('noexec');
}
