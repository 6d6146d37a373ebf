import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createApiKey } from '../../../../adapters/api-keys/files.ts';
import { endWithUs } from '../../../../hack/bench/clean-end.ts';
import { ledgerFileOf } from '../../../support/data-ledger.ts';
import { orbManifest } from '../../../support/orbs.ts';
import { startStandalone } from '../../../support/standalone.ts';
import { startTextProvider } from '../../text-provider.ts';
import { ROW_AIMS } from './aims.ts';
import { policyClient } from './client.ts';
import type { ChangeSubject } from './subject.ts';

const ORB = 'chaos.send@1.0.0';
const NAMESPACE = 'default';

const noObject = (): never => {
  throw new TypeError('standalone writes no objects that a test sees');
};

/** `npm start` over one folder. @param folder for its data; the caller removes it */
export async function openStandaloneSubject(folder: string): Promise<ChangeSubject> {
  const provider = await startTextProvider();
  const origin = `http://127.0.0.1:${provider.port}`;
  const data = join(folder, 'data');
  const outputs: (() => string)[] = [];
  const approver = await createApiKey(
    join(data, 'api-keys'),
    { tenants: [NAMESPACE], scopes: ['policies:approve'], createdBy: 'test' },
    { now: Date.now(), random: randomBytes },
  );
  return {
    namespace: NAMESPACE,
    aims: ROW_AIMS,
    data,
    called: provider.called,
    killAtWrite: noObject,
    shown: () => Promise.resolve(undefined),
    log: () => outputs.map((output) => output()).join(''),
    start: async () => {
      const platform = await startStandalone({
        data: folder,
        resources: { 'send.json': orbManifest(ORB, { url: `${origin}/` }) },
        flags: ['--egress-allow', origin],
        onSpawn: (child) => void endWithUs(child, true),
      });
      outputs.push(platform.output);
      const { url, api_key: key } = platform.ready;
      const approverKey = approver.text;
      return {
        client: policyClient({ url, key, approverKey, namespace: NAMESPACE, orbiset: 'default', orbId: ORB }),
        ledgerFile: ledgerFileOf(data),
        kill: async () => void (await platform.stop('SIGKILL')),
        stop: () => platform.stop(),
      };
    },
    close: () => Promise.resolve(provider.close()),
  };
}
