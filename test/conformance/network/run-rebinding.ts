import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issue, makeCa } from '../../support/tls.ts';
import type { Check, Result } from '../scenario.ts';
import { hostOf } from '../world.ts';

const PROGRAM = join(import.meta.dirname, 'rebinding.ts');
const PUBLIC = '8.8.8.8';
const SETUP = `ip link set lo up && ip addr add ${PUBLIC}/32 dev lo`;

const isResult = (
  value: unknown,
): value is { checks: readonly Check[]; passed: boolean; measured: readonly string[] } =>
  typeof value === 'object' && value !== null && 'checks' in value && Array.isArray(value.checks);

/** Runs in its own network namespace, which no packet leaves. */
const inNamespace = (script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync('unshare', ['--map-root-user', '--net', 'sh', '-c', script, 'sh', ...args], {
    encoding: 'utf8',
    timeout: 30_000,
    env: { ...process.env, ...env },
  });

/** The part of S12 that needs a public address on this machine. */
export function runRebinding(): Result {
  const tried = inNamespace(SETUP, []);
  if (tried.status !== 0) {
    return { passed: true, checks: [], measured: [], skipped: 'needs unshare and ip to make a network namespace' };
  }
  const folder = mkdtempSync(join(tmpdir(), 'orb-rebinding-'));
  try {
    const ca = makeCa();
    const leaf = issue(ca, { names: [hostOf('a')] });
    const files = { 'ca.pem': ca.certificate, 'cert.pem': leaf.certificate, 'key.pem': leaf.key };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const args = [process.execPath, PROGRAM, join(folder, 'cert.pem'), join(folder, 'key.pem'), PUBLIC];
    const env = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
    const { status, stdout, stderr } = inNamespace(`${SETUP} && exec "$@"`, args, env);
    const value: unknown = status === 0 ? JSON.parse(stdout) : undefined;
    if (isResult(value)) return value;
    return { passed: false, checks: [{ what: 'the program', passed: false, seen: stderr.slice(-500) }], measured: [] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
