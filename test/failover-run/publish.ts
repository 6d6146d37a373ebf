import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { orb as runOrb } from './command-line.ts';
import { FALLBACK, manifestOf, NAMESPACE, ORBISET, ORBS, PRIMARY, secretsOf, type CalledOrb } from './orbs.ts';
import type { World } from './world.ts';

/** Two cases without a network, and one that leaves a receipt: enough for bronze. */
const suiteOf = ({ name, orbId }: CalledOrb): object => ({
  format: 'orbtest/1',
  name,
  orb: orbId.slice(0, orbId.lastIndexOf('@')),
  defaults: { secrets: secretsOf() },
  cases: [
    {
      id: 'answers',
      inputs: { id: 'a' },
      responses: [{ provider: PRIMARY, status: 200, body: { provider: PRIMARY } }],
      expect: { status: 'completed', outputs: { provider: { equals: PRIMARY } } },
    },
    {
      id: 'providers-down',
      inputs: { id: 'a' },
      responses: [PRIMARY, FALLBACK].map((provider) => ({ provider, status: 503 })),
      expect: { status: 'failed', outcome: 'orb_error' },
    },
    { id: 'live', mode: 'live', inputs: { id: 'published' }, expect: { status: 'completed' } },
  ],
});

/** @throws Error it was refused; the message is what `orb` says */
async function publishOrb(world: World, orb: CalledOrb): Promise<void> {
  const path = join(world.plane.folder, `${orb.name}.json`);
  await writeFile(path, JSON.stringify(manifestOf(orb)));
  await writeFile(path.replace(/json$/, 'orbtest.json'), JSON.stringify(suiteOf(orb)));
  const argv = ['publish', path, '--orbiset', ORBISET, '--namespace', NAMESPACE];
  const { code, stdout, stderr } = await runOrb(world, ...argv);
  if (code !== 0) throw new Error(`${orb.orbId} is not published: ${stderr}${stdout}`);
}

/**
 * Publishes the Orbs whose live case has no effect: they get a score and a certificate. Call it once they are executed.
 * @throws Error one was refused
 */
export async function publishOrbs(world: World): Promise<void> {
  for (const orb of ORBS.filter(({ method }) => method === 'GET')) await publishOrb(world, orb);
}
