// Root can write everywhere, so a test about missing permissions becomes another user for a while if it runs as root.

const nobody = 65_534;

/** Runs `work` without root's rights, or unchanged for other users. */
export async function withoutRoot<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return await work();
  process.seteuid(nobody);
  try {
    return await work();
  } finally {
    process.seteuid(0);
  }
}
