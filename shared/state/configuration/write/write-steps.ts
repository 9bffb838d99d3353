// The steps of a write in order, each named after what has just been done. Only tests use them, to end or freeze the
// process at each.
export const writeSteps = [
  'lock_acquired',
  'files_read',
  'result_proved',
  'next_version_written',
  'next_version_synced',
  'previous_version_synced',
  'last_look_taken',
  'backup_renamed',
  'file_renamed',
  'directory_synced',
  'lock_released',
  'hooks_run',
  'activated',
] as const;

/** `declared`: only where machines share a store, after `directory_synced`; their backups are renamed after it. */
export type WriteStep = (typeof writeSteps)[number] | 'declared';

/** Called right after each step; a write of both files does some steps for each file. */
export type WriteStepObserver = (step: WriteStep) => void;
