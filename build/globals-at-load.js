// The clocks and timers of the process as they were when the program was loaded. The build puts these in the place of the
// globals of the same names, in every module and library it bundles: a test that fakes time in its process fakes its own
// and not that of an instance within it (API-34).
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, queueMicrotask } =
  globalThis;
const { Date: dateAtLoad, performance: machine, process: program } = globalThis;

export { dateAtLoad as Date };
/** Faking replaces methods of the object itself. */
export const performance = { now: machine.now.bind(machine) };
export const nextTickAtLoad = program.nextTick.bind(program);
