import { command } from '../../../hack/control-plane/command.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { node, place } from '../../support/e2e/node.ts';

/** A pod to kill. */
export interface PodRef {
  readonly namespace: string;
  readonly name: string;
}

const READY = '.status.conditions[?(@.type=="Ready")].status';

/** Ready pods of a label selector, without pods that are terminating. */
export async function readyPods(namespace: string, selector: string): Promise<readonly string[]> {
  const line = `{range .items[*]}{.metadata.name} {${READY}} {.metadata.deletionTimestamp}{"\\n"}{end}`;
  const text = await kubectlOk(node, ['-n', namespace, 'get', 'pods', '-l', selector, '-o', `jsonpath=${line}`]);
  return text
    .split('\n')
    .map((row) => row.trim().split(' '))
    .flatMap(([name = '', ready, ...leaving]) => (ready === 'True' && leaving.length === 0 ? [name] : []));
}

/** SIGKILL to the first process of its container, from the node. @throws Error what ctr printed */
export async function killProcess({ namespace, name }: PodRef): Promise<void> {
  const path = 'jsonpath={.status.containerStatuses[0].containerID}';
  const id = (await kubectlOk(node, ['-n', namespace, 'get', 'pod', name, '-o', path])).replace('containerd://', '');
  const args = [`${place.state}/bin/ctr`, '-n', 'k8s.io', 'tasks', 'kill', '--signal', 'SIGKILL', id];
  const { code, stderr } = await command(place.inside, args);
  if (code !== 0) throw new Error(`ctr tasks kill ${name}: ${stderr}`);
}

/** Deletes a pod as if its node were lost: no preStop, no SIGTERM, no waiting. */
export const deleteAtOnce = ({ namespace, name }: PodRef): Promise<string> =>
  kubectlOk(node, ['-n', namespace, 'delete', 'pod', name, '--grace-period=0', '--force']);
