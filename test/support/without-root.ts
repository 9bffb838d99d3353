// Root may write everywhere, so a test about missing permissions that runs as root becomes another user for a while.

const nobody = 65_534;

/** Runs `work` without root's rights; as it is for everybody else. */
export async function withoutRoot<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return await work();
  process.seteuid(nobody);
  try {
    return await work();
  } finally {
    process.seteuid(0);
  }
}
