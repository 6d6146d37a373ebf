import { command } from '../../../hack/control-plane/command.ts';

/** Packets with content between pods, counted by the node that forwards them. */
export interface Wire {
  /** Bytes so far, including headers, of packets that carry data. */
  readonly bytes: () => Promise<number>;
  readonly remove: () => Promise<void>;
}

const TABLE = 'e2e-wire';
// IPv4 and TCP without options take 40 bytes, the time stamp option 12 more: a longer packet carries a caller's bytes.
const BARE = 60;

async function nft(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await command('nft', args, input === undefined ? {} : { input });
  if (code !== 0) throw new Error(`nft ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Counts from now on the traffic from one pod to others. */
export async function watchWire(from: string, to: readonly string[]): Promise<Wire> {
  const rule = `ip saddr ${from} ip daddr { ${to.join(', ')} } ip length > ${BARE} counter name sent`;
  const chain = `chain forward { type filter hook forward priority 10; ${rule}; }`;
  await nft(
    ['-f', '-'],
    `table ip ${TABLE}\ndelete table ip ${TABLE}\ntable ip ${TABLE} { counter sent {}\n${chain}\n}\n`,
  );
  return {
    bytes: async () => Number(/bytes (\d+)/.exec(await nft(['list', 'counter', 'ip', TABLE, 'sent']))?.[1]),
    remove: async () => void (await nft(['delete', 'table', 'ip', TABLE])),
  };
}
