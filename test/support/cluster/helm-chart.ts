import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, type CommandResult } from '../../../hack/control-plane/command.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { findTool } from '../../../hack/control-plane/tools.ts';

/** Helm 4 with a chart of an Orbiset, a Secret and an Orb. */
export interface HelmChart {
  /** `helm VERB demo CHART …` in the namespace; `values` are those of the chart. Never rejects. */
  readonly run: (
    verb: 'install' | 'upgrade',
    values: ChartValues,
    flags: readonly string[],
  ) => Promise<CommandResult & { readonly ms: number }>;
  readonly uninstall: (flags: readonly string[]) => Promise<CommandResult>;
  /** Removes the chart and Helm's own folders. */
  readonly remove: () => void;
}

interface ChartValues {
  /** Body of the Orb's request: `{"text":"{{inputs.text}}"}`. */
  readonly body: string;
  /** Whether the Secret that the Orbiset binds is part of the chart. Default true. */
  readonly hasSecret?: boolean;
}

const CHART = `apiVersion: v2
name: orbs
version: 0.1.0
`;

// Our own braces come from values, because Helm would interpret braces in its templates.
const TEMPLATE = `apiVersion: orbs.dev/v1alpha1
kind: Orbiset
metadata:
  name: support
spec:
  vault:
    secrets:
      - name: echo
        allowedHosts: [api.example.com]
{{- if .Values.hasSecret }}
---
apiVersion: v1
kind: Secret
metadata:
  name: echo
stringData:
  ECHO_TOKEN: a-token
{{- end }}
---
apiVersion: orbs.dev/v1alpha1
kind: Orb
metadata:
  name: echo
spec:
  orb_id: acme.echo@1.0.0
  provider: main
  description: Says what it hears.
  inputs:
    text: { type: string, required: true }
  outputs:
    text: { type: string }
  execution:
    type: http
    method: POST
    url: https://api.example.com/echo
    headers:
      Content-Type: application/json
      Authorization: {{ .Values.authorization | quote }}
    body_template: {{ .Values.body | quote }}
`;

/** Writes the chart. Helm itself is built at the first call (1–2 minutes). */
export async function aHelmChart(plane: ControlPlane, namespace: string): Promise<HelmChart> {
  const helm = await findTool('helm');
  const folder = mkdtempSync(join(tmpdir(), 'orb-helm-'));
  const chart = join(folder, 'chart');
  mkdirSync(join(chart, 'templates'), { recursive: true });
  writeFileSync(join(chart, 'Chart.yaml'), CHART);
  writeFileSync(join(chart, 'templates/orbs.yaml'), TEMPLATE);
  const env = {
    KUBECONFIG: plane.users.admin.kubeconfig,
    HELM_CACHE_HOME: join(folder, 'cache'),
    HELM_CONFIG_HOME: join(folder, 'config'),
    HELM_DATA_HOME: join(folder, 'data'),
  };
  return {
    run: async (verb, { body, hasSecret = true }, flags) => {
      const values = join(folder, 'values.json');
      const authorization = 'Bearer {{orbiset.secrets.ECHO_TOKEN}}';
      writeFileSync(values, JSON.stringify({ body, authorization, hasSecret }));
      const began = performance.now();
      const ended = await command(helm, [verb, 'demo', chart, '-n', namespace, '-f', values, ...flags], { env });
      return { ...ended, ms: performance.now() - began };
    },
    uninstall: (flags) => command(helm, ['uninstall', 'demo', '-n', namespace, ...flags], { env }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
