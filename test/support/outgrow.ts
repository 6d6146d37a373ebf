// A thread that takes more and more memory, to see where its limit is. Prints how it ended, what the process had at most,
// and the limits of main before and after, MB. Argument: the old generation of the thread, MB; none: no limit is given.
import { getHeapStatistics } from 'node:v8';
import { threadOf } from '../../adapters/threads/start-thread.ts';

const GROW = `const kept = []; for (;;) kept.push(new Array(65536).fill(kept.length));`;
const limitOfMain = (): number => Math.round(getHeapStatistics().heap_size_limit / 1_048_576);

const [given] = process.argv.slice(2);
const before = limitOfMain();
const start = threadOf<string, string>(new URL(`data:text/javascript,${encodeURIComponent(GROW)}`), {
  name: 'outgrow',
  ...(given === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: Number(given) } }),
});
const cause = await new Promise((resolve) => {
  start({ onMessage: () => undefined, onEnd: resolve });
});
const code = cause instanceof Error && 'code' in cause ? cause.code : cause;
const mostMb = Math.round((process.resourceUsage().maxRSS * 1024) / 1_048_576);
process.stdout.write(JSON.stringify({ code, mostMb, main: [before, limitOfMain()] }));
