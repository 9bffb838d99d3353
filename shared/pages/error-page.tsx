// The page of a refusal or a fault, as the dispatcher of every frontend answers it.
import type { Reply } from '#shared/http/reply.ts';
import { renderMessagePage } from './message-page.tsx';
import { page } from './page-reply.ts';

export function renderErrorPage(status: number, title: string, message: string): Reply {
  return page(status, renderMessagePage({ title, message, status }));
}
