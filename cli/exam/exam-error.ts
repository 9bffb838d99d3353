// The exam could not run: exit code 2, with the remedy on standard error (EXM-24).
export class ExamError extends Error {}
