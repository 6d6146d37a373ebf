import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { node } from '../../support/e2e/node.ts';
import { ensureRelease } from './release.ts';

/** Namespace of the chart's example, whose Orbiset is `default`. */
export const EXAMPLE = 'orb-example';
export const ECHO = 'example.echo@1.0.0';

/** kubectl in the namespace of the example. @throws Error what it printed */
export const exampleKubectl = (...args: readonly string[]): Promise<string> =>
  kubectlOk(node, ['-n', EXAMPLE, ...args]);

/** The platform with its example, and the values of a test; resolves when the Orb can be executed. */
export async function ensureExample(values: object = {}): Promise<void> {
  await ensureRelease({ ...values, example: { enabled: true } });
  await exampleKubectl('wait', 'orbiset/default', 'orb/example.echo-1.0.0', '--for=condition=Ready', '--timeout=180s');
}
