// The form that sets one fault: its parameters, endpoint, conditions and count. A blank field counts as absent.

import type { Parameters } from '#shared/base/parameters.ts';
import { impossibleCondition } from '#shared/engine/faults/conditions.ts';
import type { FaultRow } from '#shared/engine/faults/fault-row.ts';
import { type ShownParameter, shownParameters } from '#shared/engine/faults/show-fault.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { Checkbox, Field, Hidden, Select } from '#shared/web/pages/components/field.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';
import { WithCode } from '#shared/web/pages/components/with-code.tsx';

const conditions = [
  { name: 'client_id', label: 'Client' },
  { name: 'username', label: 'User' },
  { name: 'sp', label: 'Service provider', hint: 'Issuer of the AuthnRequest.' },
  { name: 'grant_type', label: 'Grant type' },
  { name: 'scope', label: 'Scope' },
] as const;

const named = [
  { name: 'header', label: 'Header' },
  { name: 'parameter', label: 'Parameter' },
] as const;

/** The conditions that a request at one of its endpoints can match. */
const conditionsOf = ({ at }: FaultRow) =>
  conditions.filter(({ name }) => impossibleCondition({ [name]: 'x' }, at) === undefined);

const parameterPrefix = 'parameter.';

export function FaultForm({ row, typed }: { readonly row: FaultRow; readonly typed: Parameters | undefined }) {
  const value = (name: string) => typed?.first(name) ?? '';
  const everywhere = { value: '', label: row.at.length === 1 ? String(row.at[0]) : 'all its endpoints' };
  const places = row.at.length === 1 ? [] : row.at.map((each) => ({ value: each, label: each }));
  return (
    <Card title={<code>{row.name}</code>} lead={<WithCode text={row.effect} />}>
      <OwnForm method="post" action="/faults" class="form fault-form">
        <Hidden name="fault" value={row.name} />
        <div class="fault-fields">
          {shownParameters(row.parameters).map((parameter) => (
            <ParameterField key={parameter.name} parameter={parameter} typed={typed} />
          ))}
          <Select name="at" label="Endpoint" value={value('at')} options={[everywhere, ...places]} />
          <Field
            name="times"
            label="Times"
            hint="Default 1. 0 means no limit."
            inputMode="numeric"
            value={value('times')}
          />
        </div>
        <fieldset>
          <legend>Only requests with</legend>
          <div class="fault-fields">
            {conditionsOf(row).map((condition) => (
              <Field
                key={condition.name}
                {...condition}
                value={value(condition.name)}
                autoComplete="off"
                spellcheck={false}
              />
            ))}
            {named.map(({ name, label }) => [
              <Field key={name} name={name} label={label} value={value(name)} autoComplete="off" spellcheck={false} />,
              <Field
                key={`${name}_value`}
                name={`${name}_value`}
                label={`${label} value`}
                value={value(`${name}_value`)}
                autoComplete="off"
                spellcheck={false}
              />,
            ])}
            <Field
              name="nth"
              label="Start with request number"
              hint="Counts only matching requests."
              inputMode="numeric"
              value={value('nth')}
            />
            <Field name="ttl_seconds" label="Expires after, seconds" inputMode="numeric" value={value('ttl_seconds')} />
          </div>
        </fieldset>
        <Checkbox
          name="quiet"
          label="Quiet"
          hint="Responses have no X-Test-Idp-Fault header."
          checked={typed?.value('quiet') !== undefined}
        />
        <div class="row">
          <Button>Set fault</Button>
          <ButtonLink href="/faults">Cancel</ButtonLink>
        </div>
      </OwnForm>
    </Card>
  );
}

function ParameterField({
  parameter,
  typed,
}: {
  readonly parameter: ShownParameter;
  readonly typed: Parameters | undefined;
}) {
  const { description, values, default: usual } = parameter;
  const name = `${parameterPrefix}${parameter.name}`;
  const stands = typed?.first(name) ?? (usual === null ? '' : String(usual));
  if (values !== undefined) {
    const options = values.map((each) => ({ value: each, label: each }));
    return <Select name={name} label={parameter.name} hint={description} value={stands} options={options} />;
  }
  const numeric = parameter.type === 'integer';
  return (
    <Field
      name={name}
      label={parameter.name}
      hint={description}
      value={stands}
      inputMode={numeric ? 'numeric' : 'text'}
      autoComplete="off"
      spellcheck={false}
    />
  );
}

/** The body of POST /api/faults for the form. Input that is not a number stays text, for the model to reject. */
export function orderOf(form: Parameters, row: FaultRow): Record<string, unknown> {
  const when: Record<string, unknown> = {};
  for (const { name } of conditions) if (form.value(name) !== undefined) when[name] = form.value(name);
  for (const { name } of named) {
    const given = form.value(name);
    const value = form.value(`${name}_value`);
    if (given !== undefined) when[name] = { name: given, ...(value === undefined ? {} : { value }) };
  }
  const nth = numberOf(form, 'nth');
  if (nth !== undefined) when.nth = nth;
  const parameters: Record<string, unknown> = {};
  const shown = shownParameters(row.parameters);
  for (const { name, type } of shown) {
    const field = `${parameterPrefix}${name}`;
    const given = type === 'integer' ? numberOf(form, field) : form.value(field);
    if (given !== undefined) parameters[name] = given;
  }
  const [at, times, ttl_seconds] = [form.value('at'), numberOf(form, 'times'), numberOf(form, 'ttl_seconds')];
  return {
    ...{ fault: row.name, when, parameters, quiet: form.value('quiet') !== undefined },
    ...(at === undefined ? {} : { at }),
    ...(times === undefined ? {} : { times }),
    ...(ttl_seconds === undefined ? {} : { ttl_seconds }),
  };
}

function numberOf(form: Parameters, name: string): number | string | undefined {
  const given = form.value(name)?.trim();
  if (given === undefined || given === '') return undefined;
  return /^-?[0-9]+$/.test(given) ? Number(given) : given;
}
