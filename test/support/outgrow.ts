// A thread that takes more and more memory, to see where its limit is. Prints how it ended, what the process had at most,
// and the limits of main before and after, MB. Argument: the old generation of the thread, MB; none: no limit is given.
import { getHeapStatistics } from 'node:v8';
import { threadOf } from '../../adapters/threads/start-thread.ts';

const GROW = `const kept = []; for (;;) kept.push(new Array(65536).fill(kept.length));`;
/** The largest that the system knows would be that of the process which started this one, if it was larger. */
const SAMPLE_MS = 5;
const limitOfMain = (): number => Math.round(getHeapStatistics().heap_size_limit / 1_048_576);

const [given] = process.argv.slice(2);
const before = limitOfMain();
const start = threadOf<string, string>(new URL(`data:text/javascript,${encodeURIComponent(GROW)}`), {
  name: 'outgrow',
  ...(given === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: Number(given) } }),
});
let most = 0;
const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), SAMPLE_MS);
const cause = await new Promise((resolve) => {
  start({ onMessage: () => undefined, onEnd: resolve });
});
const code = cause instanceof Error && 'code' in cause ? cause.code : cause;
clearInterval(sampling);
const mostMb = Math.round(most / 1_048_576);
process.stdout.write(JSON.stringify({ code, mostMb, main: [before, limitOfMain()] }));
