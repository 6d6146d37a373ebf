import { join, resolve } from 'node:path';
import { command } from '../../../hack/control-plane/command.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { node } from '../../support/e2e/node.ts';

export const RELEASE = 'orb';
export const CHARTS = resolve(import.meta.dirname, '../../../charts');
export const PLATFORM_CHART = join(CHARTS, 'orb-platform');
const PLACE = ['-n', PLATFORM_NAMESPACE];
// The state that a killed run leaves.
const BROKEN_OFF = /another operation \(install\/upgrade\/rollback\) is in progress/;

/** Runs helm. @throws Error what it printed */
export async function helm(args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await command('helm', args, input === undefined ? {} : { input });
  if (code !== 0) throw new Error(`helm ${args.join(' ')}:\n${stderr}${stdout}`);
  return stdout;
}

/** kubectl in the namespace of the platform. @throws Error what it printed */
export const platformKubectl = (...args: readonly string[]): Promise<string> => kubectlOk(node, [...PLACE, ...args]);

/** Creates a namespace unless it exists. */
export async function ensureNamespace(name: string): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await kubectlOk(node, ['apply', '--server-side', '-f', '-'], JSON.stringify(namespace));
}

/** Creates the namespace of the platform with the strictest Pod Security profile. */
export async function ensureRestricted(): Promise<void> {
  await ensureNamespace(PLATFORM_NAMESPACE);
  const profile = ['enforce', 'warn', 'audit'].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);
  await kubectlOk(node, ['label', 'namespace', PLATFORM_NAMESPACE, ...profile]);
}

/** Without them two cores have more to do, and load tests other receipts than their own. */
const WITHOUT_ROUNDS = { statusProber: { enabled: false } };

/**
 * Installs the platform, or upgrades it to exactly these values; without rounds of the status unless they say otherwise.
 * @param chart folder or package
 */
export async function ensureRelease(values: object, chart: string = PLATFORM_CHART): Promise<void> {
  const how = ['--create-namespace', '--wait', '--timeout=5m', '-f', '-'];
  const local = JSON.stringify({ image: { pullPolicy: 'IfNotPresent' }, ...WITHOUT_ROUNDS, ...values });
  const upgrade = (): Promise<string> => helm(['upgrade', '--install', RELEASE, chart, ...PLACE, ...how], local);
  await upgrade().catch(async (error: unknown) => {
    if (!BROKEN_OFF.test(String(error))) throw error;
    await removeRelease();
    await upgrade();
  });
}

/** Rolls back to the previous release. */
export const rollBack = (): Promise<string> => helm(['rollback', RELEASE, ...PLACE, '--wait', '--timeout=5m']);

/** Runs the pods of `helm test`. @returns what it printed @throws Error a pod failed */
export const testRelease = (): Promise<string> => helm(['test', RELEASE, ...PLACE, '--timeout=5m']);

/** Uninstalls the platform, and removes the objects that an uninstall keeps. */
export async function removeRelease(): Promise<void> {
  await helm(['uninstall', RELEASE, ...PLACE, '--wait', '--ignore-not-found']);
  await kubectlOk(node, ['delete', 'namespace', PLATFORM_NAMESPACE, '--ignore-not-found', '--timeout=240s']);
}
