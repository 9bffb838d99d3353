// The exam could not look: exit code 2, with what to do about it on standard error (EXM-24).
export class ExamError extends Error {}
