// The steps of a write in their order, each named after what has just been done. Tests end or freeze the process at each
// of them; nothing else listens.
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

/** `declared`: among machines alone, after `directory_synced`; their backups are renamed after it. */
export type WriteStep = (typeof writeSteps)[number] | 'declared';

/** Told right after each step; a write of both files does some of them for each file. */
export type WriteStepObserver = (step: WriteStep) => void;
