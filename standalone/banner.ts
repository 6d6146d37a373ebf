import { shellWord } from '../core/shell/shell-word.ts';
import { EXAMPLE } from './example/example.ts';

/** Contents of the first screen. */
export interface Greeting {
  readonly url: string;
  readonly metricsUrl: string;
  readonly issuer: string;
  readonly rootJwk: object;
  /** The new API key, shown once. Absent when an earlier start made the key. */
  readonly newKey: string | undefined;
  readonly credentials: string;
  readonly resources: string;
  readonly exceptions: readonly string[];
  /** False when `--resources` holds no example Orb. */
  readonly hasExample: boolean;
  /** Command line as called from here: `npm run -s orb --` in a checkout, otherwise `orb`. */
  readonly orb: string;
}

function exampleLines({ url, newKey, orb }: Greeting): readonly string[] {
  const key = newKey ?? '$ORB_API_KEY';
  const body = JSON.stringify({ orb_id: EXAMPLE.orbId, inputs: EXAMPLE.inputs });
  return [
    '',
    'Execute the example:',
    `  curl -s ${url}/orbisets/${EXAMPLE.orbiset}/execute -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' -d ${shellWord(body)}`,
    `  ${orb} run ${EXAMPLE.orbId} --server ${url} text=${shellWord(EXAMPLE.inputs.text)}`,
  ];
}

/** The text that a person reads after `npm start`. */
export function greeting(parts: Greeting): string {
  const { newKey } = parts;
  const key =
    newKey === undefined
      ? `API key     made at the first start; kept for the command line in ${parts.credentials}`
      : `API key     ${newKey}   (tenant default; shown once, kept for the command line in ${parts.credentials})`;
  return [
    `API         ${parts.url}   (plain HTTP, so loopback only)`,
    `Metrics     ${parts.metricsUrl}`,
    `Manifests   ${parts.resources}   (watched)`,
    key,
    ...parts.exceptions.map((text) => `Exception   ${text}`),
    ...(parts.hasExample ? exampleLines(parts) : []),
    '',
    'Trust its receipts, on the machine that verifies them:',
    `  ${parts.orb} trust add ${parts.issuer} --root ${shellWord(JSON.stringify(parts.rootJwk))}`,
    '',
    `Docs        README.md, docs/provider-failover.md, ${parts.url}/openapi.json     Stop: Ctrl-C`,
    '',
  ].join('\n');
}
