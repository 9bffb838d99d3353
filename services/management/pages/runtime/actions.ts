// The actions of /runtime on runtime objects: the same operations and rejection messages as in /api/runtime.

import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { ApiError, pageOf } from '#shared/engine/exchange/route.ts';
import type { RuntimeKind } from '#shared/model/domain/runtime-identity.ts';
import { resetAll } from '../../api/runtime.ts';
import { deleteOne, promoteOne } from '../../api/runtime-object.ts';
import { confirmPage } from '../confirm.tsx';
import { type NoticeCode, withNotice } from '../notices.ts';

const runtimeKinds: readonly RuntimeKind[] = ['user', 'client', 'service_provider'];

export function promoteRuntimeObject(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const kind = request.form.value('kind') === 'client' ? 'client' : 'user';
  return act((named) => promoteOne(kind, named, context), 'runtime_promoted', request, context);
}

export function deleteRuntimeObject(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const kind = runtimeKinds.find((each) => each === request.form.value('kind')) ?? 'user';
  return act((named) => deleteOne(kind, named, context), 'runtime_deleted', request, context);
}

export async function resetRuntimePage(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  return confirmPage(request, context, {
    title: 'Delete runtime objects',
    question: 'Delete all runtime objects?',
    consequence:
      'This deletes all runtime users, clients and service providers, including registered clients. Declared entries stay.',
    action: '/runtime/reset',
    verb: 'Delete all',
    back: '/runtime',
    section: undefined,
  });
}

export async function resetRuntimeObjects(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  await asPage(() => resetAll(request, context));
  return redirect(context.path(withNotice('/runtime', 'runtime_reset')));
}

async function act(
  operation: (named: ParsedRequest) => Promise<Reply>,
  notice: NoticeCode,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<Reply> {
  const name = request.form.value('name') ?? '';
  await asPage(() => operation({ ...request, pathParameters: { name } }));
  return redirect(context.path(withNotice('/runtime', notice, name)));
}

async function asPage(work: () => Promise<Reply>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw pageOf('runtime_objects', error);
  }
}
