// Reading posted forms, the same rules for every form: a missing field says nothing, a blank one clears, and a checkbox
// counts only next to its marker (WEB-11). Lists are typed with commas or one entry a line.
import type { Parameters } from '#shared/http/parameters.ts';

/** The trimmed text, or undefined when the form has no such field. */
export function textField(form: Parameters, name: string): string | undefined {
  return form.first(name)?.trim();
}

export function commaField(form: Parameters, name: string): string[] | undefined {
  return form.first(name)?.split(',').map(trim).filter(isFilled);
}

export function lineField(form: Parameters, name: string): string[] | undefined {
  return form.first(name)?.split(/\r?\n/).map(trim).filter(isFilled);
}

export function markerOf(name: string): string {
  return `${name}__on_form`;
}

/** undefined when the form shows no such checkbox. */
export function checkboxField(form: Parameters, name: string): boolean | undefined {
  if (!form.has(markerOf(name))) return undefined;
  return form.value(name) === 'true';
}

/** All values of a repeated field in order, the empty ones too. */
export function repeatedField(form: Parameters, name: string): readonly string[] {
  return form.pairs.filter(([key]) => key === name).map(([, value]) => value);
}

function trim(text: string): string {
  return text.trim();
}

function isFilled(text: string): boolean {
  return text !== '';
}
