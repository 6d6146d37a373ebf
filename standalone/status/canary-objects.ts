import type { AppliedObject, Kind } from '../../adapters/kube/port.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import { CANARY } from '../../api-server/status/probes/probe.ts';

/** Host of the bundled provider that the canary calls, and the vault entry that it needs. */
const CANARY_PROVIDER = { host: 'echo.orbs.example', entry: 'ECHO_TOKEN' } as const;

const API_VERSION = 'orbs.dev/v1alpha1';

/** The objects that the checks of the status run (status.md §2): this process makes them itself. */
export const canaryObjects = (namespace: string, sourceSecret: string): readonly (readonly [Kind, AppliedObject])[] => [
  [
    KINDS.orbiset,
    { apiVersion: API_VERSION, kind: 'Orbiset', metadata: { name: CANARY.orbiset, namespace }, spec: {} },
  ],
  [
    KINDS.orb,
    {
      apiVersion: API_VERSION,
      kind: 'Orb',
      metadata: { name: CANARY.orbId.replace('@', '-'), namespace },
      spec: {
        orb_id: CANARY.orbId,
        provider: 'echo',
        description: 'Returns the text that it is given: the checks of the status run it.',
        capabilities: ['http.call'],
        inputs: { text: { type: 'string', required: true } },
        outputs: { text: { type: 'string', from: '/body/text' } },
        execution: {
          type: 'http',
          method: 'POST',
          url: `https://${CANARY_PROVIDER.host}/v1/echo`,
          headers: {
            Authorization: `Bearer {{orbiset.secrets.${CANARY_PROVIDER.entry}}}`,
            'Content-Type': 'application/json',
          },
          body_template: '{"text":"{{inputs.text}}"}',
          idempotent: true,
        },
      },
    },
  ],
  [
    KINDS.secret,
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: CANARY.source, namespace },
      data: { secret: Buffer.from(sourceSecret).toString('base64') },
    },
  ],
  [
    KINDS.orbsignalsource,
    {
      apiVersion: API_VERSION,
      kind: 'OrbSignalSource',
      metadata: { name: CANARY.source, namespace },
      spec: {
        type: 'standardWebhooks',
        mode: 'Active',
        auth: { secretRefs: [{ name: CANARY.source, key: 'secret' }] },
        effects: { incident: false, reputation: false },
        retention: { raw: '1h', signals: '24h' },
      },
    },
  ],
];
