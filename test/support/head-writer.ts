// Writes heads one after the other until it is killed; prints the size of each head after it is stored.
import { createFileHeadStore } from '../../adapters/log-head/file-head-store.ts';

const { signal } = new AbortController();
const store = createFileHeadStore(process.argv[2] ?? '');
const found = await store.read(signal);
let size = Number(found?.note.split('\n')[1] ?? 0);
let version = found?.version;
for (;;) {
  size += 1;
  version = await store.write(
    `orbs.example/log\n${size}\n${'A'.repeat(44)}\n\n— orbs.example/log c2ln\n`,
    version,
    signal,
  );
  process.stdout.write(`${size}\n`);
}
