import type { RuntimeSettings } from '../runtime/runtime.ts';

/** The command line that adds an entry to the vault of an Orbiset of the cluster. */
export const secretHint: RuntimeSettings['secretHint'] = ({ namespace, name }, entry, host) =>
  `orb secrets set ${entry} -n ${namespace} --orbiset ${name} --host '${host.replaceAll("'", '')}'`;
