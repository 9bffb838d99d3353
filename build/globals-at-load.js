// The clocks and timers of the process at the time when the program was loaded. The build replaces the globals of the
// same names with these, in every module and library of the bundle. So a test that fakes time in its process does not
// affect an instance in that process (API-34).
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, queueMicrotask } =
  globalThis;
const { Date: dateAtLoad, performance: machine, process: program } = globalThis;

export { dateAtLoad as Date };
/** Fakes replace methods of the object itself. */
export const performance = { now: machine.now.bind(machine) };
export const nextTickAtLoad = program.nextTick.bind(program);
