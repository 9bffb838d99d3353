// The confirmation before an action that cannot be undone: a separate page, so that it works without script.
import type { ComponentChildren } from 'preact';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { Button, ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { Hidden } from '#shared/web/pages/components/field.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';
import { formAnswer, type Refusal } from './answer-save.tsx';
import { managementPage, type Section } from './shell.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly question: ComponentChildren;
  /** The consequence of the action. */
  readonly consequence: ComponentChildren;
  readonly action: string;
  /** The label of the button. */
  readonly verb: string;
  readonly back: string;
  readonly section: Section | undefined;
  readonly revision?: string | undefined;
  readonly refusal?: Refusal | undefined;
}

export function confirmPage(request: ParsedRequest, context: ManagementContext, props: ConfirmProps) {
  return managementPage(request, context, {
    title: props.title,
    heading: props.question,
    section: props.section,
    ...formAnswer({ refusal: props.refusal }, props.action),
    children: (
      <Card>
        <p>{props.consequence}</p>
        <OwnForm method="post" action={props.action} class="row">
          {props.revision !== undefined && <Hidden name="expected_revision" value={props.revision} />}
          <Button kind="final">{props.verb}</Button>
          <ButtonLink href={props.back}>Cancel</ButtonLink>
        </OwnForm>
      </Card>
    ),
  });
}
