// Reads `kubectl get pods -o json`, prints the pods that did not become Ready after the given moment. After a reboot of
// the node their old status still says Ready.
import { json } from 'node:stream/consumers';
import type { V1Pod, V1PodList } from '@kubernetes/client-node';

/** A pod as the API writes it: dates are text. */
type Written<T> = T extends Date ? string : T extends object ? { readonly [K in keyof T]: Written<T[K]> } : T;
type Pod = Written<V1Pod>;

const FINISHED = ['Succeeded', 'Failed'];
const isPods = (value: unknown): value is Written<V1PodList> =>
  typeof value === 'object' && value !== null && 'items' in value;

const isReadySince =
  (moment: string) =>
  ({ status }: Pod): boolean => {
    const containers = status?.containerStatuses ?? [];
    return (
      containers.length > 0 && containers.every(({ ready, state }) => ready && `${state?.running?.startedAt}` >= moment)
    );
  };

const mustRun = ({ status, metadata }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined && !FINISHED.includes(status?.phase ?? '');

const moment = process.argv[2] ?? '';
const pods = await json(process.stdin);
if (!isPods(pods)) throw new TypeError('no list of pods on standard input');
const isReady = isReadySince(moment);
for (const pod of pods.items.filter((item) => mustRun(item) && !isReady(item)))
  console.log(`${pod.metadata?.namespace}/${pod.metadata?.name}`);
