// /clients/<client_id>/regenerate-secret: a new secret, written and shown once (WEB-08). The response is no-store, and
// the secret is never part of an address.

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { hasSecret } from '#shared/model/configuration/client-authentication.ts';
import { type Client, clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import { clientKind, entryMembers } from '#shared/model/configuration/entry-kinds.ts';
import { ButtonLink } from '#shared/web/pages/components/button.tsx';
import { Card } from '#shared/web/pages/components/card.tsx';
import { CodeBlock } from '#shared/web/pages/components/code-block.tsx';
import { formRevision, type Refusal, save } from '../answer-save.tsx';
import { confirmPage } from '../confirm.tsx';
import { type Declared, declaredOr } from '../declared.ts';
import { managementPage } from '../shell.tsx';
import { declaredClient } from './declared-client.ts';
import { clientPath } from './list.tsx';

export async function regenerateSecretPage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { found: client, elsewhere } = await confidentialClient(request, context);
  return client === undefined ? elsewhere : ask(request, context, client.client_id);
}

export async function regenerateSecret(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { found: client, elsewhere } = await confidentialClient(request, context);
  if (client === undefined) return elsewhere;
  const { client_id } = client;
  const secret = context.random.token();
  const entry = clientEntryModel.parse({ ...entryMembers(clientKind, client), client_secret: secret });
  const result = await save(request, context, 'settings', [{ kind: 'replace_client', client_id, entry }]);
  return result.saved ? showSecret(request, context, client_id, secret) : ask(request, context, client_id, result);
}

async function confidentialClient(request: ParsedRequest, context: ProtocolContext): Promise<Declared<Client>> {
  const declared = await declaredClient(request, context);
  const { found } = declared;
  if (found === undefined || hasSecret(found)) return declared;
  return declaredOr<Client>(undefined, context, { list: '/clients', code: 'client_public', name: found.client_id });
}

function showSecret(
  request: ParsedRequest,
  context: ManagementContext,
  clientId: string,
  secret: string,
): Promise<Reply> {
  return managementPage(request, context, {
    title: 'New client secret',
    section: '/clients',
    noStore: true,
    lead: (
      <>
        The old secret of <bdi>{clientId}</bdi> no longer works.
      </>
    ),
    children: (
      <Card title="Copy it now" lead="The secret is shown only on this page.">
        <CodeBlock id="new-secret" title="client_secret" text={secret} />
        <div class="row">
          <ButtonLink href="/clients" kind="primary">
            Done
          </ButtonLink>
        </div>
      </Card>
    ),
  });
}

function ask(request: ParsedRequest, context: ManagementContext, clientId: string, refusal?: Refusal): Promise<Reply> {
  return confirmPage(request, context, {
    title: 'New client secret',
    question: (
      <>
        Create a new secret for <bdi>{clientId}</bdi>?
      </>
    ),
    consequence: 'The old secret stops working immediately. The new one is shown once.',
    action: clientPath(clientId, 'regenerate-secret'),
    verb: 'Create a new secret',
    back: '/clients',
    section: '/clients',
    revision: formRevision(request, context, 'settings'),
    refusal,
  });
}
