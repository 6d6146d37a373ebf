import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { replacePrivate } from '../../adapters/private-file/private-file.ts';
import { listenOn } from '../../adapters/process/listen.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { Behaviour } from './lookup-provider.ts';
import { answerJson, closeServer, ANY_LOOPBACK_PORT, hasToken } from './provider-server.ts';
import { readObject } from './read-body.ts';

/** Behaviour of each provider of the failover example, by name. */
export type Behaviours = Map<string, Behaviour>;

// The longest time that a run may take (failover.md §12.1).
const MAX_SLOW_MS = 120_000;

const isWithin = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;

/** @returns undefined for anything that the command line does not send */
function behaviourOf({ slow_ms: slowMs = 0, fail_status: fail = null }: JsonObject): Behaviour | undefined {
  const failStatus = fail ?? undefined;
  if (!isWithin(slowMs, 0, MAX_SLOW_MS)) return undefined;
  return failStatus === undefined || isWithin(failStatus, 400, 599) ? { slowMs, failStatus } : undefined;
}

async function change(request: IncomingMessage, behaviours: Behaviours): Promise<readonly [number, JsonObject]> {
  const names = [...behaviours.keys()];
  const name = /^\/providers\/([a-z]+)$/.exec(request.url ?? '')?.[1] ?? '';
  if (request.method !== 'POST' || !behaviours.has(name))
    return [404, { title: `The providers: ${names.join(', ')}.` }];
  const behaviour = behaviourOf((await readObject(request)) ?? { slow_ms: null });
  if (behaviour === undefined) return [422, { title: 'slow_ms: 0 to 120000; fail_status: 400 to 599.' }];
  behaviours.set(name, behaviour);
  return [200, { provider: name, slow_ms: behaviour.slowMs, fail_status: behaviour.failStatus ?? null }];
}

/**
 * Lets the command line change the bundled providers' behaviour. It listens on loopback only. The file holds its
 * address and a token of this start, so only readers of the file can use it.
 * @param file receives both, mode 0600; removed at the end
 */
export async function startControl(file: string, behaviours: Behaviours): Promise<() => Promise<void>> {
  const token = randomBytes(24).toString('base64url');
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!hasToken(request, token)) return answerJson(response, 401, { title: 'wrong token' });
    const [status, body] = await change(request, behaviours);
    return answerJson(response, status, body);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const { port } = await listenOn(server, ANY_LOOPBACK_PORT);
  await replacePrivate(file, `${JSON.stringify({ url: `http://127.0.0.1:${port}`, token })}\n`);
  return async () => {
    await Promise.all([closeServer(server), rm(file, { force: true })]);
  };
}
