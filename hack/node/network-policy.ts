// Enforces NetworkPolicies on the one-node cluster, for tests: reads the API four times a second, loads the rules with
// nft when they have changed. Needs KUBECONFIG, and to be in the cluster's network.
import { setTimeout as delay } from 'node:timers/promises';
import { CoreV1Api, KubeConfig, NetworkingV1Api } from '@kubernetes/client-node';
import { command } from '../control-plane/command.ts';
import { renderRules } from './netpol/rules.ts';

const INTERVAL_MS = 250;

const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const networking = config.makeApiClient(NetworkingV1Api);

async function read(): Promise<string> {
  const [policies, pods, namespaces] = await Promise.all([
    networking.listNetworkPolicyForAllNamespaces(),
    core.listPodForAllNamespaces(),
    core.listNamespace(),
  ]);
  return renderRules({ policies: policies.items, pods: pods.items, namespaces: namespaces.items });
}

let loaded = '';
async function enforce(): Promise<void> {
  const rules = await read();
  if (rules === loaded) return;
  const { code, stderr } = await command('nft', ['-f', '-'], { input: rules });
  if (code !== 0) throw new Error(`nft refuses the rules: ${stderr}\n${rules}`);
  loaded = rules;
}

for (;;) {
  await enforce().catch((error: unknown) => console.error(error instanceof Error ? error.message : error));
  await delay(INTERVAL_MS);
}
