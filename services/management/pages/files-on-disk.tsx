// Compares the files on disk with the active configuration: every page shows when they differ, and offers to reload
// them.

import type { ManagementContext } from '#shared/engine/exchange/request.ts';
import type { ConfigurationFileName } from '#shared/model/configuration/finding.ts';
import { isSharedBetweenProcesses } from '#shared/model/runtime-store/store-location.ts';
import { Button } from '#shared/web/pages/components/button.tsx';
import { Hidden } from '#shared/web/pages/components/field.tsx';
import { Notice } from '#shared/web/pages/components/notice.tsx';
import { OwnForm } from '#shared/web/pages/components/own-link.tsx';

interface FilesOnDiskProps {
  readonly context: ManagementContext;
  /** The page to return to. */
  readonly address: string;
}

/** A notice while changes on disk wait to be loaded. */
export function FilesOnDisk({ context, address }: FilesOnDiskProps) {
  const changed = context.configuration.changedOnDisk();
  if (changed.length === 0) return null;
  return (
    <Notice kind="warning" title={title(context, changed)}>
      <p>{meaning(context, changed)}</p>
      <ReloadForm address={address} />
    </Notice>
  );
}

function title({ configuration }: ManagementContext, changed: readonly ConfigurationFileName[]): string {
  const files = changed.join(' and ');
  if (configuration.isBehind()) return `${files} ${changed.length === 1 ? 'is' : 'are'} out of date`;
  return `${files} ${changed.length === 1 ? 'was' : 'were'} changed on disk`;
}

/** With the shared store, changed files are activated automatically, unless they do not load (STO-18, STO-20). */
function meaning({ snapshot, configuration }: ManagementContext, { length }: readonly ConfigurationFileName[]): string {
  if (configuration.isBehind()) {
    return `The active configuration comes from another directory with the same store. Reload the ${length === 1 ? 'file' : 'files'} to activate this directory for all.`;
  }
  const file = length === 1 ? 'file' : 'files';
  return isSharedBetweenProcesses({ kind: snapshot.settings.runtime.store })
    ? `The changed ${file} could not be activated. Reload the ${file} to see why.`
    : `An editor or the MCP server changed the ${file}. The changes are not active before a reload.`;
}

/** Reads both files again and returns to the page. */
export function ReloadForm({ address }: { readonly address: string }) {
  return (
    <OwnForm method="post" action="/settings/reload">
      <Hidden name="return_to" value={address} />
      <Button kind="secondary">Reload files</Button>
    </OwnForm>
  );
}
