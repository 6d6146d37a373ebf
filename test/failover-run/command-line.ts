import { join, resolve } from 'node:path';
import { command, type CommandResult } from '../../hack/control-plane/command.ts';
import { readJson } from '../chaos/rig/json.ts';
import { at } from '../../hack/control-plane/json.ts';
import { NAMESPACE, type CalledOrb } from './orbs.ts';
import type { World } from './world.ts';

const program = resolve(import.meta.dirname, '../../cli/orb.js');

const environment = ({ plane, api, apiKey }: World): Readonly<Record<string, string>> => ({
  ORB_SERVER: api.url,
  ORB_API_KEY: apiKey,
  ORB_CONFIG_DIR: join(plane.folder, 'orb-config'),
});

/** `orb …` against the API of the world. */
export const orb = (world: World, ...args: readonly string[]): Promise<CommandResult> =>
  command(process.execPath, [program, ...args], { env: environment(world) });

/** `kubectl orb …`, found by kubectl itself. */
export function kubectlOrb(world: World, ...args: readonly string[]): Promise<CommandResult> {
  const { plane } = world;
  const path = [
    join(plane.folder, 'bin'),
    resolve(import.meta.dirname, '../../node_modules/.bin'),
    process.env['PATH'],
  ];
  const env = { ...environment(world), KUBECONFIG: plane.users.admin.kubeconfig, PATH: path.join(':') };
  return command(plane.kubectlPath, ['orb', ...args], { env });
}

/** What an endpoint of the API answers. */
async function get({ api, apiKey }: World, path: string): Promise<unknown> {
  const response = await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
  return readJson(await response.text());
}

export const statusOf = (world: World, { orbId }: CalledOrb): Promise<unknown> =>
  get(world, `/providers/${encodeURIComponent(orbId)}/status?namespace=${NAMESPACE}`);

/** A receipt as the API tells it. */
export const recordOf = async (world: World, receiptId: string): Promise<unknown> =>
  at(await get(world, `/receipts/${receiptId}?namespace=${NAMESPACE}`), 'record');
