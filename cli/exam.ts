// `test-idp exam`: runs a client through the catalogue of faults, one login per fault, and reports what it rejected,
// accepted, or failed at (section EXM). exam/run-exam.ts runs the exam.
import { writeFileSync } from 'node:fs';
import { systemRandomness } from '#shared/base/random.ts';
import { ExamError } from './exam/exam-error.ts';
import { type ExamOptions, readExamOptions } from './exam/exam-options.ts';
import { examinedInstance } from './exam/examined-instance.ts';
import { caseLine, exitCodeOf, reportJunit, reportText, wrongLines } from './exam/report.ts';
import { runExam } from './exam/run-exam.ts';
import type { VisitorOptions } from './exam/visitor.ts';

/** The exam could not run, or a required party did not respond (EXM-24). */
const exitCodeOfNoExam = 2;

export async function run(args: readonly string[]): Promise<number> {
  const options = readExamOptions(args);
  if ('list' in options) {
    const width = Math.max(...options.list.map(({ name }) => name.length));
    process.stdout.write(options.list.map((one) => `${caseLine(one, width)}\n`).join(''));
    return 0;
  }
  const stop = new AbortController();
  const stopped = (name: NodeJS.Signals) => stop.abort(new ExamError(`stopped by ${name}`));
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, stopped);
  try {
    return await examine(options, stop.signal);
  } catch (error) {
    if (!(error instanceof ExamError)) throw error;
    process.stderr.write(`test-idp: ${error.message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
    return exitCodeOfNoExam;
  }
}

async function examine(options: ExamOptions, signal: AbortSignal): Promise<number> {
  const { idp, sandbox, managementSecret, insecure, timeoutSeconds } = options;
  const base = sandbox === undefined ? idp : `${idp}/s/${sandbox}`;
  if (options.browser) (await import('./exam/chromium-process.ts')).findChromium();
  const report = await runExam(options, {
    instance: examinedInstance({ base, managementSecret, insecure }),
    random: systemRandomness,
    async visitorFor(person, instance, whileWanted) {
      const how: VisitorOptions = {
        ...{ instance, person, insecure, signal: whileWanted },
        timeoutMilliseconds: timeoutSeconds * 1000,
      };
      if (options.browser) return await (await import('./exam/chromium-visitor.ts')).chromiumVisitor(how);
      return (await import('./exam/scriptless-visitor.ts')).scriptlessVisitor(how);
    },
    progress: (line) => process.stderr.write(`${line}\n`),
    signal,
  });
  process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : reportText(report));
  const effectOf = (caseName: string) => options.cases.find(({ name }) => name === caseName)?.effect ?? '';
  for (const line of options.json ? [] : wrongLines(report, effectOf, base)) process.stderr.write(`${line}\n`);
  if (options.junitFile !== undefined) writeFileSync(options.junitFile, reportJunit(report));
  return exitCodeOf(report.counts, options.allowUndecided, report.control.failed);
}
