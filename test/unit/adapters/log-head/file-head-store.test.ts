import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileHeadStore } from '../../../../adapters/log-head/file-head-store.ts';
import { refusal } from '../../../support/refusal.ts';
import { headStoreContract, type HeadFixture } from './contract.ts';

const { signal } = new AbortController();

async function open(): Promise<HeadFixture & { readonly path: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-head-'));
  const path = join(folder, 'data.log-head');
  return {
    path,
    store: createFileHeadStore(path),
    reopen: () => createFileHeadStore(path),
    remove: () => rm(path),
    dispose: async () => rmSync(folder, { recursive: true }),
  };
}

headStoreContract('file', open);

describe('createFileHeadStore', () => {
  it('keeps the head from other users, and never says of an unreadable one that there is none', async () => {
    const { path, store, dispose } = await open();
    await store.write('note\n', undefined, signal);
    expect(statSync(path).mode & 0o777).to.equal(0o600);
    await rm(path);
    mkdirSync(path);
    expect(await refusal(store.read(signal))).to.have.property('code', 'EISDIR');
    await dispose();
  });
});
