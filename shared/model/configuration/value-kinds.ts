// The kinds of values that configuration keys have, each with the sentence that says what is expected. A message never
// repeats the rejected value (CFG-08). Models are built from these once, when the module loads.
import * as z from 'zod';
import { holdsRoundedNumber, isNestedDeeperThan, nestingMax } from '#shared/base/untrusted-values.ts';

const anyText = z.string('must be a string. Put it in quotes if it looks like a number');

export const text = () => anyText;

export const filledText = () => text().min(1, 'must have at least 1 character');

/** null, blank and absent all mean "not set". */
export const optionalText = () =>
  text()
    .nullable()
    .transform((value) => (value === null || value.trim() === '' ? undefined : value))
    .optional();

const trueOrFalse = z.boolean('must be true or false');

export const flag = (byDefault: boolean) => trueOrFalse.default(byDefault);

export const wholeNumber = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int(message).min(least, message).max(most, message);
};

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

export const texts = () => z.array(text(), 'must be a list, such as [a, b]');

/** A string counts as a list of one, an empty string as an empty list (CFG-43). */
export const textsOrText = () =>
  z.union(
    [texts(), text().transform((value) => (value === '' ? [] : [value]))],
    'must be a list of strings, such as [a, b]. An item may need quotes',
  );

export const mappingMessage = 'must be a mapping, with one `key: value` on each line below it';

/** A mapping whose keys come from outside. The result has no prototype. */
export const mappingOf = <Value extends z.ZodType>(value: Value) =>
  z
    .record(z.string(), value, mappingMessage)
    .transform((entries): Record<string, z.output<Value>> => Object.assign(Object.create(null), entries));

/** A mapping with exactly these keys. Others are reported as unknown. */
export const section = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? 'is unknown' : mappingMessage),
  });

/** Text that a function checks. The function returns the problem, or undefined. */
export const judged = (judge: (value: string) => string | undefined) =>
  text().superRefine((value, context) => {
    const problem = judge(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

/** Like `judged`, but null, absent and empty mean none (MCP-20). */
export const checkedOrAbsent = (judge: (value: string) => string | undefined) =>
  judged((value) => (value === '' ? undefined : judge(value)))
    .nullable()
    .transform((value) => (value === null || value === '' ? undefined : value))
    .optional();

/** Any JSON value that every part of the program can process: of bounded depth, without rounded numbers. */
export const freeValue = z
  .unknown()
  .refine((value) => !isNestedDeeperThan(nestingMax, value), {
    error: `is nested more than ${nestingMax} levels deep`,
    abort: true,
  })
  .refine(
    (value) => !holdsRoundedNumber(value),
    'contains a whole number beyond 2^53, which would be rounded, or a number that JSON does not have. Write it in quotes',
  );
