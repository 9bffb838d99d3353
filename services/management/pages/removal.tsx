// The removal of one entry from a file: the confirmation, and the action after it.

import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { ConfigurationChange } from '#shared/state/configuration/active-configuration.ts';
import { formRevision, type Refusal, save, savedNotice } from './answer-save.tsx';
import { confirmPage } from './confirm.tsx';
import type { Declared } from './declared.ts';
import { type NoticeCode, withNotice } from './notices.ts';
import type { Section } from './shell.tsx';

interface Removable<Entry> {
  /** The kind of entry, for the title and the button. */
  readonly noun: string;
  readonly file: 'settings' | 'users';
  /** The list page, which a removal redirects to. */
  readonly list: Section;
  readonly removed: NoticeCode;
  declared(request: ParsedRequest, context: ProtocolContext): Promise<Declared<Entry>>;
  nameOf(entry: Entry): string;
  changeOf(name: string): ConfigurationChange;
  consequence(context: ProtocolContext): string;
  action(name: string): string;
  /** The page to return to when the user cancels. */
  back(name: string): string;
}

type Endpoint = (request: ParsedRequest, context: ManagementContext) => Promise<Reply>;

export function removal<Entry>(what: Removable<Entry>): { readonly page: Endpoint; readonly remove: Endpoint } {
  const ask = (request: ParsedRequest, context: ManagementContext, name: string, refusal?: Refusal) =>
    confirmPage(request, context, {
      title: `Delete ${what.noun}`,
      question: (
        <>
          Delete <bdi>{name}</bdi>?
        </>
      ),
      consequence: what.consequence(context),
      action: what.action(name),
      verb: `Delete ${what.noun}`,
      back: what.back(name),
      section: what.list,
      revision: formRevision(request, context, what.file),
      refusal,
    });
  return {
    page: async (request, context) => {
      const { found, elsewhere } = await what.declared(request, context);
      return elsewhere ?? ask(request, context, what.nameOf(found));
    },
    remove: async (request, context) => {
      const { found, elsewhere } = await what.declared(request, context);
      if (elsewhere !== undefined) return elsewhere;
      const name = what.nameOf(found);
      const result = await save(request, context, what.file, [what.changeOf(name)]);
      if (!result.saved) return ask(request, context, name, result);
      return redirect(context.path(withNotice(what.list, savedNotice(result, what.removed), name)));
    },
  };
}
