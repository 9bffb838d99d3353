// JSON Merge Patch (RFC 7396): applies a patch to a value. Pure. null removes a member.
import { isMapping } from '#shared/base/untrusted-values.ts';

export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMapping(patch)) return patch;
  const merged: Record<string, unknown> = Object.assign(Object.create(null), isMapping(target) ? target : {});
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}
