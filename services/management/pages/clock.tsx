// /clock: shows and moves the clock of this identity provider (TIM-29). Each form does one thing, so none needs a
// script.

import type { ComponentChildren } from 'preact';
import type { Parameters } from '#shared/base/parameters.ts';
import { readClockMove } from '#shared/engine/clock/clock-move-model.ts';
import { moveClock } from '#shared/engine/clock/move-clock.ts';
import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import { type ManagementContext, type ParsedRequest, requestFacts } from '#shared/engine/exchange/request.ts';
import { currentLogin } from '#shared/engine/login/browser-sessions.ts';
import {
  type ClockDescription,
  type ClockMove,
  describeClock,
  distanceFromRealTime,
} from '#shared/model/domain/movable-clock.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { Button } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { Facts } from '#shared/web/pages/components/facts.tsx';
import { Field, Hidden, Select } from '#shared/web/pages/components/field.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';
import { asSentence } from './form-parts.tsx';
import { utcText } from './instants.tsx';
import { withNotice } from './notices.ts';
import { managementPage } from './shell.tsx';

const units = [
  { value: '60', label: 'minutes' },
  { value: '3600', label: 'hours' },
  { value: '86400', label: 'days' },
] as const;

const steps = [
  { seconds: 60, label: '1 minute' },
  { seconds: 600, label: '10 minutes' },
  { seconds: 3600, label: '1 hour' },
  { seconds: 86_400, label: '1 day' },
  { seconds: 2_592_000, label: '30 days' },
] as const;

export async function clockPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return showClock(request, context);
}

export async function moveClockByForm(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { form } = request;
  const move = moveOf(form);
  if (typeof move === 'string') return showClock(request, context, { form, problem: asSentence(move) });
  const login = await currentLogin(context);
  const who = { ...requestFacts(request, context), username: login?.username, endpoint: '/clock' };
  const moved = await moveClock(move, who, context);
  if (moved === 'out_of_range') {
    return showClock(request, context, { form, problem: managementRefusals.clock_out_of_range.answer });
  }
  const notice = moved.description.moved ? 'clock_moved' : 'clock_returned';
  return { ...redirect(context.path(withNotice('/clock', notice))), clock: moved.state };
}

/** The move that a form requests, or a sentence about its error. */
function moveOf(form: Parameters): ClockMove | string {
  if (form.value('reset') !== undefined) return { to: { by: 'reset' } };
  const frozen = form.value('frozen');
  const amount = form.value('amount') ?? '';
  const steps = form.value('advance_seconds') ?? (amount.trim() === '' ? '' : inSeconds(amount, form.value('unit')));
  if (Number.isNaN(Number(steps))) return 'Enter a number of minutes, hours or days.';
  const at = form.value('at')?.trim() ?? '';
  return readClockMove({
    ...(steps === '' ? {} : { advance_seconds: Number(steps) }),
    ...(at === '' ? {} : { at: at.replace(' ', 'T') }),
    ...(frozen === undefined ? {} : { frozen: frozen === 'true' }),
  });
}

function inSeconds(amount: string, unit: string | undefined): number {
  const known = units.find(({ value }) => value === unit) ?? units[0];
  return Math.round(Number(amount.replace(',', '.')) * Number(known.value) * 1000) / 1000;
}

interface RefusedMove {
  readonly form: Parameters;
  readonly problem: string;
}

function showClock(request: ParsedRequest, context: ManagementContext, refused?: RefusedMove): Promise<Reply> {
  const { clock } = context;
  const description = describeClock(clock.state, clock.real());
  const typed = (name: string) => refused?.form.value(name);
  return managementPage(request, context, {
    title: 'Clock',
    section: '/clock',
    address: '/clock',
    lead: 'Tokens, codes, sessions and assertions use this clock. Timeouts and the log use real time.',
    status: refused === undefined ? 200 : 400,
    notice: refused && (
      <Notice kind="refusal" title="The clock was not moved">
        {refused.problem}
      </Notice>
    ),
    children: (
      <>
        <Reading clock={description} />
        <Card title="Advance" lead="Negative values move the clock back. What has expired stays expired.">
          <MoveForm>
            <div class="row">
              {steps.map(({ seconds, label }) => (
                <Button key={label} kind="secondary" name="advance_seconds" value={String(seconds)}>
                  {label}
                </Button>
              ))}
            </div>
          </MoveForm>
          <MoveForm fields>
            <Field name="amount" label="Amount" inputMode="text" value={typed('amount') ?? ''} autoComplete="off" />
            <Select name="unit" label="Unit" value={typed('unit')} options={units} />
            <Button kind="secondary">Advance</Button>
          </MoveForm>
        </Card>
        <Card title="Set" lead="Any time from 2000 to 2099.">
          <MoveForm fields>
            <Field
              name="at"
              label="Time"
              hint="RFC 3339, with Z or an offset."
              value={typed('at') ?? `${description.now.slice(0, 19)}Z`}
              autoComplete="off"
              spellcheck={false}
            />
            <Button kind="secondary">Set the clock</Button>
          </MoveForm>
        </Card>
      </>
    ),
  });
}

function Reading({ clock }: { readonly clock: ClockDescription }) {
  const { now, real_now, offset_seconds, frozen, moved } = clock;
  return (
    <Card
      title={utcText(Date.parse(now)) ?? now}
      lead={moved ? distanceText(offset_seconds, frozen) : 'The clock shows real time.'}
    >
      {moved && <Facts facts={[['Real time', utcText(Date.parse(real_now)) ?? real_now]]} />}
      <div class="row">
        <MoveForm>
          <Hidden name="frozen" value={String(!frozen)} />
          <Button kind="secondary">{frozen ? 'Resume' : 'Freeze'}</Button>
        </MoveForm>
        {moved && (
          <MoveForm>
            <Hidden name="reset" value="true" />
            <Button>Return to real time</Button>
          </MoveForm>
        )}
      </div>
    </Card>
  );
}

function distanceText(seconds: number, frozen: boolean): string {
  return `The clock ${frozen ? 'is frozen' : 'runs'}, ${distanceFromRealTime(seconds)}.`;
}

function MoveForm({ fields = false, children }: { readonly fields?: boolean; readonly children: ComponentChildren }) {
  return (
    <OwnForm method="post" action="/clock" class={fields ? 'clock-form' : undefined}>
      {children}
    </OwnForm>
  );
}
