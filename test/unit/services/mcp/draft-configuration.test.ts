// The draft when saves, reloads and file checks overlap.
import { expect } from 'chai';
import { DraftConfiguration } from '#services/mcp/draft-configuration.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';

const snapshot = (users: object) => snapshotOf({ settings: {}, users });
const revisions = (users: string) => ({ users, settings: 's' });

describe('the draft configuration', () => {
  const old = snapshot({ alice: { password: 'a' } });
  const saved = snapshot({ alice: { password: 'a' }, bob: { password: 'b' } });

  it('equals the files after it was saved and activated', () => {
    const draft = new DraftConfiguration(old);
    draft.deleteUser('alice');
    expect(draft.hasUnsavedChanges).to.equal(true);
    draft.saved(draft.version, saved.revisions, saved);
    expect([draft.hasUnsavedChanges, draft.revisions]).to.deep.equal([false, saved.revisions]);
  });

  it('keeps changes made during a save as unsaved, based on the written revisions', () => {
    const draft = new DraftConfiguration(old);
    const { version } = draft;
    draft.deleteUser('alice');
    draft.saved(version, revisions('written'), saved);
    expect(draft.hasUnsavedChanges).to.equal(true);
    expect(draft.revisions.users).to.equal('written');
    expect([...draft.snapshot().users.keys()]).to.deep.equal([]);
  });

  it('ignores the revisions of a save that ended after a reload, because it is not based on that save', () => {
    const draft = new DraftConfiguration(old);
    draft.deleteUser('alice');
    const { version } = draft;
    draft.adopt(old);
    draft.saved(version, revisions('written'), saved);
    expect(draft.revisions).to.deep.equal(old.revisions);
    expect(draft.hasUnsavedChanges).to.equal(false);
    expect([...draft.snapshot().users.keys()]).to.deep.equal(['alice']);
  });

  it('follows changed files only while it has no unsaved changes', () => {
    const draft = new DraftConfiguration(old);
    draft.follow(saved);
    expect([...draft.snapshot().users.keys()]).to.deep.equal(['alice', 'bob']);
    draft.deleteUser('bob');
    draft.follow(old);
    expect([...draft.snapshot().users.keys()]).to.deep.equal(['alice']);
    expect(draft.revisions).to.deep.equal(saved.revisions);
  });
});
