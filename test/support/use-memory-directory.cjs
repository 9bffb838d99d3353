// Loaded before the tests. Their temporary files are in memory if there is space, because creating a file on a disk
// takes a millisecond, and a database of PostgreSQL has a thousand. TMPDIR overrides this. Files that drills measure
// stay on the disk.
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

/** Containers often mount it so that nothing can run from there, and some tests install a package and use it. */
function mayRunPrograms() {
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === directory);
  return mount !== undefined && !mount.split(' ')[3].split(',').includes('noexec');
}
