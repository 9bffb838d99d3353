// Where a value about a user comes from, by name (PCL-22): a field, a claim or an attribute.
export const userFieldSources = [
  'username',
  'email',
  'roles',
  'groups',
  'tenant',
  'identity_class',
  'entitlements',
  'source_acl',
  'authorities',
] as const;

export function problemOfUserSource(source: string): string | undefined {
  const isField = userFieldSources.some((name) => name === source);
  return isField || /^(?:claims|attributes)\../s.test(source)
    ? undefined
    : `must be ${userFieldSources.join(', ')}, claims.<name> or attributes.<name>`;
}
