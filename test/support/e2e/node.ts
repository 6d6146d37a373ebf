import { command } from '../../../hack/control-plane/command.ts';
import type { Kubectl } from '../../../hack/control-plane/install.ts';
import { placeOf } from '../../../hack/node/node.ts';

/** The cluster of `npm run e2e`; the tests run in its network. */
export const place = placeOf();

/** Its administrator. */
export const node: Kubectl = {
  kubectl: (args, { input } = {}) => command(place.kubectl, args, input === undefined ? {} : { input }),
};

/** Prints the progress of long steps; mocha owns stdout. */
export const say = (line: string): void => void process.stderr.write(`${line}\n`);
