import { KINDS } from '../../adapters/kube/kinds.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { namespaceOf } from '../cluster/names.ts';
import type { ClusterPlace } from '../cluster/place.ts';
import type { Cluster } from '../io/cluster.ts';
import { usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { textAt } from '../io/output.ts';
import { bindingsOf, type Binding } from './bindings.ts';
import { jsonOf, metaOf } from './cluster-vault.ts';

/** One vault entry of a cluster. */
export interface ListedEntry {
  readonly namespace: string;
  readonly orbiset: string;
  readonly entry: string;
  readonly hosts: readonly string[];
  readonly secret: string;
  /** `present`, the reason why it is missing, or `unknown` until the API reports. */
  readonly state: string;
}

const PAGE = 500;
const ALL_KEYS = '*';

const statusOf = (orbiset: JsonObject): JsonObject => objectAt(objectAt(orbiset, 'status'), 'vault');

function missingReason(vault: JsonObject, secret: string, entry: string): string | undefined {
  const found = listAt(vault, 'missing').find((one: JsonValue) => {
    const named = member(one, 'entry');
    return textAt(one, 'secret') === secret && (named === undefined || named === entry);
  });
  return found === undefined ? undefined : textAt(found, 'reason');
}

function stateOf(vault: JsonObject, secret: string, entry: string): string {
  const missing = missingReason(vault, secret, entry);
  if (missing !== undefined) return missing;
  return listAt(vault, 'entries').includes(entry) ? 'present' : 'unknown';
}

/** Only the API knows which entries a binding of all keys gives, and it does not report them by Secret. */
const entriesOf = ({ form, keys }: Binding): readonly string[] => (form === 'all' ? [ALL_KEYS] : [...keys.keys()]);

function listed(orbiset: JsonObject): readonly ListedEntry[] {
  const vault = statusOf(orbiset);
  const place = { namespace: metaOf(orbiset, 'namespace'), orbiset: metaOf(orbiset, 'name') };
  return bindingsOf(orbiset).flatMap((binding) =>
    entriesOf(binding).map((entry) => ({
      ...place,
      entry,
      hosts: binding.hosts,
      secret: binding.secret,
      state: stateOf(vault, binding.secret, entry),
    })),
  );
}

async function orbisetsOf({ client }: Cluster, namespace: string | undefined, io: Io): Promise<readonly JsonObject[]> {
  const query = { ...(namespace === undefined ? {} : { namespace }), limit: PAGE };
  let page = await client.list(KINDS.orbiset, query, io.signal);
  const found = [...page.items];
  while (page.continue !== undefined) {
    page = await client.list(KINDS.orbiset, { ...query, continue: page.continue }, io.signal);
    found.push(...page.items);
  }
  return found.map(jsonOf);
}

/** Every vault entry of a namespace, of one Orbiset, or with `-A` of all namespaces. No Secret is read. */
export async function listOnCluster(place: ClusterPlace, args: Args, io: Io): Promise<readonly ListedEntry[]> {
  const everywhere = args.has('all-namespaces');
  if (everywhere && args.has('namespace')) throw usage('-A or -n, not both');
  const cluster = await io.openCluster(place.selection);
  const namespace = everywhere ? undefined : namespaceOf(args.one('namespace') ?? cluster.namespace, '--namespace');
  const name = args.one('orbiset');
  const orbisets = await orbisetsOf(cluster, namespace, io);
  return orbisets.filter((orbiset) => name === undefined || metaOf(orbiset, 'name') === name).flatMap(listed);
}
