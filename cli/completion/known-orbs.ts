import type { Args } from '../../adapters/process/arguments.ts';
import { listAt, objectAt } from '../../core/json/members.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { parseOrbId } from '../../core/manifest/orb-id.ts';
import { fetchReply } from '../api/answer.ts';
import { withQuery } from '../api/print-page.ts';
import { findServer } from '../api/server.ts';
import type { Io } from '../io/io.ts';
import { textAt } from '../io/output.ts';

/** A person waits for the Tab key: a slow answer is none. */
const TIMEOUT_MS = 2000;
const LIMIT = '200';
/** Longest text that the list of Orbs searches for. */
const MAX_TEXT = 100;
const INPUT = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Where Orbs are looked up while a command line is typed. */
export interface KnownOrbs {
  /** Ids that begin like this. */
  readonly ids: (start: string, args: Args) => Promise<readonly string[]>;
  /** Names of the inputs of an Orb. */
  readonly inputs: (orbId: string, args: Args) => Promise<readonly string[]>;
}

async function ask(path: string, args: Args, io: Io): Promise<JsonObject> {
  const request = { method: 'GET', path, headers: { accept: 'application/json' }, timeoutMs: TIMEOUT_MS } as const;
  try {
    const reply = await fetchReply(await findServer(args, io), request, io);
    return reply.kind === 'result' ? reply.value : {};
  } catch {
    // No server, no key, no such flag: nothing is offered, and the shell stays quiet.
    return {};
  }
}

/** Names come from a server and go to a shell: only ids and names of their exact form are offered. */
export function knownOrbs(given: Io): KnownOrbs {
  const io = (): Io => ({
    ...given,
    err: () => undefined,
    signal: AbortSignal.any([given.signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  return {
    ids: async (start, args) => {
      const q = start === '' ? undefined : start.slice(0, MAX_TEXT);
      const path = withQuery('orbs', { q, limit: LIMIT, namespace: args.one('namespace') });
      return listAt(await ask(path, args, io()), 'items')
        .map((item) => textAt(item, 'orb_id'))
        .filter((id) => parseOrbId(id).ok && id.startsWith(start));
    },
    inputs: async (orbId, args) => {
      if (!parseOrbId(orbId).ok) return [];
      const path = withQuery(`orbs/${encodeURIComponent(orbId)}`, { namespace: args.one('namespace') });
      return Object.keys(objectAt(await ask(path, args, io()), 'inputs')).filter((name) => INPUT.test(name));
    },
  };
}
