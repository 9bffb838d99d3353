// POST /settings/reload: the reload button next to the file-only settings, the same as POST /api/config/reload. A
// success redirects to the page of the button. A rejection shows every error on the settings page.

import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { reloadRefusalOf } from '#shared/model/refusals/families/configuration.ts';
import { ConfigurationRejectedError } from '#shared/state/configuration/active-configuration.ts';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { reloadConfiguration } from '../../reload-configuration.ts';
import { withNotice } from '../notices.ts';
import { showSettings } from './page.tsx';

export async function reloadFiles(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const reloaded = await reloadConfiguration(context);
  if (reloaded instanceof ConfigurationRejectedError) {
    return showSettings(request, context, {
      status: reloadRefusalOf[reloaded.kind].status,
      notice: <Refused faults={reloaded.faults} />,
    });
  }
  return redirect(context.path(withNotice(ownPath(request.form.value('return_to')) ?? '/settings', 'files_reloaded')));
}

const pathLengthMax = 20_000;

/** A path of this server, which no browser could read as another host. */
function ownPath(address = ''): string | undefined {
  return address.length <= pathLengthMax && /^\/$|^(?:\/[\w%.~!$'()*+,;=:@-]+)+$/.test(address) ? address : undefined;
}

function Refused({ faults }: { readonly faults: readonly string[] }) {
  return (
    <Notice kind="refusal" title="The files were not reloaded">
      <p>The active configuration is unchanged.</p>
      <ul>
        {faults.map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
      </ul>
    </Notice>
  );
}
