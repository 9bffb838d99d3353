// Loaded before the tests. It puts their temporary files into memory if there is room, because creating a file on disk
// takes a millisecond, and a PostgreSQL database has a thousand. TMPDIR overrides this. Measurements of drills stay on
// disk.
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

/** Containers mount it noexec, but some tests install a package and run it. */
function mayRunPrograms() {
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === directory);
  return mount !== undefined && !mount.split(' ')[3].split(',').includes('noexec');
}
