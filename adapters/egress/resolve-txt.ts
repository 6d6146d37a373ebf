import { Resolver } from 'node:dns/promises';

const TIMEOUT_MS = 3000;
const TRIES = 2;

/** Texts of the TXT records at a name, by the servers of the system. Rejects when they have none or do not answer. */
export async function resolveTxt(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  const records = await resolver.resolveTxt(name);
  return records.map((parts) => parts.join(''));
}
