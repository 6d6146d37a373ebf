import { gzipSync } from 'node:zlib';
import type { Script } from '../../support/egress.ts';
import { liveMs } from '../../support/live-clock.ts';
import { Checks, type Result, type Scenario } from '../scenario.ts';
import { answersOk, inWorld, serves } from '../world.ts';

const LONGEST_MS = 1100;
const ATTEMPT_MS = 800;

const late: Script = (socket) => {
  const timer = setTimeout(() => answersOk('a')(socket, '', 0), 3000);
  socket.on('close', () => clearTimeout(timer));
};

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

const stalls: Script = (socket) => void socket.write(`${HEAD}content-length: 100\r\n\r\n{"id":"aaa`);

const drips: Script = (socket) => {
  socket.write(`${HEAD}content-length: 100000\r\n\r\n{`);
  const timer = setInterval(() => socket.write('x'), 200);
  socket.on('close', () => clearInterval(timer));
};

const ends =
  (text: string | Uint8Array): Script =>
  (socket) => {
    socket.write(HEAD);
    socket.end(text);
  };

const shortLength = ends('content-length: 100\r\n\r\n{"id":"a"}');
const cutChunk = ends('transfer-encoding: chunked\r\n\r\nff\r\n{"id":"a"}');
const zipped = gzipSync('{"id":"a"}').subarray(0, -6);
const cutGzip = ends(
  Buffer.concat([Buffer.from(`content-encoding: gzip\r\ncontent-length: ${zipped.length}\r\n\r\n`), zipped]),
);

async function viaB(script: Script, outcome: string): Promise<Result> {
  const checks = new Checks();
  const places = { a: serves(script), b: serves(answersOk('b')) };
  await inWorld({ places, execution: { attempt_timeout_ms: ATTEMPT_MS } }, async (world) => {
    const run = world.run();
    checks.atMost('ms of the run', await liveMs(() => run), LONGEST_MS);
    const answered = await run;
    checks.equal('status', answered.status, 200);
    checks.equal('outputs of b', answered.body['outputs'], { id: 'b' });
    checks.equal('attempts', await world.path(answered), `a ${outcome}, b success`);
    checks.equal('counted', await world.metric('orb_provider_requests_total', 'a', `outcome="${outcome}"`), 1);
    const observed = await world.metric('orb_provider_request_duration_seconds_count', 'a');
    checks.equal('values in the histogram', observed, outcome === 'timeout' ? 1 : 0);
    if (outcome !== 'timeout') return;
    const seconds = await world.metric('orb_provider_request_duration_seconds_sum', 'a');
    checks.atLeast('ms in the histogram', Math.round(seconds * 1000), ATTEMPT_MS - 5);
  });
  return checks.result();
}

const scenario = (id: string, title: string, script: Script, outcome: string): Scenario => ({
  id,
  title,
  run: () => viaB(script, outcome),
});

export const s04: Scenario = scenario('S4', 'headers after 3 s', late, 'timeout');

export const s05: readonly Scenario[] = [
  scenario('S5', 'the body stalls after 10 bytes', stalls, 'timeout'),
  scenario('S5', '1 byte per 200 ms', drips, 'timeout'),
];

export const s06: readonly Scenario[] = [
  scenario('S6', 'a body shorter than its length', shortLength, 'error'),
  scenario('S6', 'a cut chunk', cutChunk, 'error'),
  scenario('S6', 'a cut gzip', cutGzip, 'error'),
];
