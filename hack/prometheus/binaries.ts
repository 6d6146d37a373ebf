import type { Say } from '../control-plane/build.ts';
import { debianPrograms } from './debian-programs.ts';

/** Paths of the two programs. */
export interface PrometheusBinaries {
  readonly prometheus: string;
  readonly promtool: string;
}

const PROMETHEUS = {
  name: 'prometheus',
  programs: { prometheus: 'usr/bin/prometheus', promtool: 'usr/bin/promtool' },
};
/** Debian's name of the program, so that another `alertmanager` on the PATH is not taken for it. */
const ALERTMANAGER = {
  name: 'prometheus-alertmanager',
  programs: { 'prometheus-alertmanager': 'usr/bin/prometheus-alertmanager' },
  fixedFolder: '/usr/share/prometheus/alertmanager',
};

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Prometheus and promtool: those on the PATH, else in the cache folder, else Debian's, unpacked into the cache folder.
 * @throws Error they were not found and can't be downloaded
 */
export async function ensurePrometheus(say: Say = console.error, env: Env = process.env): Promise<PrometheusBinaries> {
  const found = await debianPrograms(PROMETHEUS, say, env);
  return { prometheus: found.get('prometheus') ?? '', promtool: found.get('promtool') ?? '' };
}

/**
 * Path of Debian's Alertmanager, found like Prometheus. Start it in its own folder, where its templates are.
 * @throws Error it was not found and can't be downloaded
 */
export async function ensureAlertmanager(say: Say = console.error, env: Env = process.env): Promise<string> {
  const found = await debianPrograms(ALERTMANAGER, say, env);
  return found.get('prometheus-alertmanager') ?? '';
}
