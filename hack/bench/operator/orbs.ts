import type { AppliedObject } from '../../../adapters/kube/port.ts';

/** Namespaces that the Orbs of the benchmark are spread over. */
export const NAMESPACES = Array.from({ length: 10 }, (_, index) => `bench-${index}`);

/** Key of an Orb: `namespace/name`. */
export const keyAt = (index: number): string => `${NAMESPACES[index % NAMESPACES.length]}/bench.orb-${index}-1.0.0`;

/** An Orb of ordinary size (about 1 kB): one provider with a secret, four inputs, two outputs. */
export function orbAt(index: number, revision: number): AppliedObject {
  const [namespace = '', name = ''] = keyAt(index).split('/');
  return {
    apiVersion: 'orbs.dev/v1alpha1',
    kind: 'Orb',
    metadata: { name, namespace },
    spec: {
      orb_id: `bench.orb-${index}@1.0.0`,
      provider: 'mock',
      description: `Sends one message; revision ${revision} of the benchmark.`,
      inputs: {
        recipient: { type: 'string', required: true },
        sender: { type: 'string', default: '{{orbiset.secrets.MAIL_FROM}}' },
        subject: { type: 'string', required: true },
        body: { type: 'string', required: true },
      },
      outputs: { message_id: { type: 'string' }, status: { type: 'string', from: '/body/status' } },
      execution: {
        type: 'http',
        method: 'POST',
        url: 'https://api.provider.example/v3/mail/send',
        headers: { Authorization: 'Bearer {{orbiset.secrets.TOKEN}}', 'Content-Type': 'application/json' },
        body_template:
          '{"to":[{"email":"{{inputs.recipient}}"}],"from":{"email":"{{inputs.sender}}"},"subject":"{{inputs.subject}}","content":[{"type":"text/plain","value":"{{inputs.body}}"}]}',
      },
    },
  };
}

/** Calls of the API server that the benchmark makes at once. */
export const CALLS_AT_ONCE = 32;

/** Runs work on every index, a limited number at a time. */
export async function inParallel(
  count: number,
  width: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}
