import { HeadMoved, type HeadStore, type StoredHead } from '../../adapters/log-head/port.ts';

/** A store in memory that a test can make unreachable. */
export interface InterruptibleHeadStore extends HeadStore {
  head: StoredHead | undefined;
  isAway: boolean;
  readonly written: string[];
}

export function interruptibleHead(): InterruptibleHeadStore {
  let version = 0;
  const store: InterruptibleHeadStore = {
    place: 'the test',
    head: undefined,
    isAway: false,
    written: [],
    read: async () => {
      if (store.isAway) throw new Error('away');
      return store.head;
    },
    write: async (note, replaced) => {
      if (store.isAway) throw new Error('away');
      if (store.head?.version !== replaced) throw new HeadMoved('moved');
      version += 1;
      store.written.push(note);
      store.head = { note, version: String(version) };
      return store.head.version;
    },
  };
  return store;
}
