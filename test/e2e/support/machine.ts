/**
 * Argument of nsenter that runs a program in a network with internet: the network of the cluster has no way out.
 * @throws Error that network was not given
 */
export function machineNetwork(): string {
  const network = process.env['E2E_MACHINE_NETWORK'];
  if (network === undefined) throw new Error('run this by npm run e2e, which says how the internet is reached');
  return `--net=${network}`;
}
