import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inputs, manifest } from '../bench-orbs.ts';
import { endWithUs } from '../clean-end.ts';
import { ROOT } from '../subjects.ts';

const SECRET = 'Authorization: "Bearer {{orbiset.secrets.BENCH_TOKEN}}", ';

/** The Orb of the benchmark under another id. A mock case sends no secret to plain HTTP, so it has none. */
export const manifestOf = (mock: number, orbId: string): string =>
  manifest(mock).replace('bench.send@1.0.0', orbId).replace(SECRET, '');

const answer = { provider: 'mock', status: 200, body: { message_id: 'm-1', status: 'queued' } };
const outputs = { message_id: { equals: 'm-1' }, status: { equals: 'queued' } };

/** A suite for an Orb of `manifestOf`. @param orb `org.name` */
export const suiteOf = (orb: string, mockCases: number, liveCases: number): string =>
  JSON.stringify({
    format: 'orbtest/1',
    name: 'bench',
    orb,
    cases: [
      ...Array.from({ length: mockCases }, (_, index) => ({
        id: `mock-${index}`,
        inputs,
        responses: [answer],
        expect: { status: 'completed', outputs },
      })),
      ...Array.from({ length: liveCases }, (_, index) => ({
        id: `live-${index}`,
        mode: 'live',
        inputs,
        expect: { status: 'completed' },
      })),
    ],
  });

/** Runs the command line of this checkout. @throws Error it ended with another code than 0 */
export async function runOrb(...args: readonly string[]): Promise<void> {
  const child = endWithUs(
    spawn(process.execPath, [join(ROOT, 'cli/orb.js'), ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const texts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => texts.push(chunk.toString()));
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`orb ${args.join(' ')}: ${child.exitCode}\n${texts.join('').slice(-2000)}`);
}
