import type { Store } from '../../adapters/kube/port.ts';
import { subfoldersOf } from '../../adapters/manifest-folder/subfolders.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import { SKIPPED_FOLDER } from '../../core/findings/skipped-folder.ts';
import type { CheckedFile } from '../../core/loader/check-file.ts';
import { LOADED_BY_LABEL, LOADER } from '../../core/loader/own-orb.ts';
import type { LoaderReport } from '../../core/loader/loader-report.ts';
import { planLoad, type LoaderPlan, type Settled } from '../../core/loader/plan.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { openFolder, type Scan } from './folder.ts';
import type { LoaderMetrics } from './loader-metrics.ts';
import { createLoaderReports, type ReportDeps } from './loader-reports.ts';
import { LoaderSteps, type LoaderStepsDeps } from './loader-steps.ts';

export interface ManifestLoaderOptions extends ReportDeps, LoaderStepsDeps {
  /** Folder of bare manifests; subfolders are not read. */
  readonly folder: string;
  /** All Orbs; synced before the first scan. */
  readonly orbs: Pick<Store, 'list' | 'offer'>;
  readonly metrics: LoaderMetrics;
  /** Origins of `--egress-allow` and `--egress-stub`, exempt from the host lints. */
  readonly allowedOrigins: readonly string[];
}

const sameElements = (one: readonly unknown[] | undefined, other: readonly unknown[]): boolean =>
  one?.length === other.length && one.every((element, index) => element === other[index]);

function unreadable(folder: string, error: unknown): LoaderReport {
  const code = errorCode(error) ?? 'it does not stand still';
  const detail = `The manifest folder can't be read (${code}); every Orb stays unchanged. Mount it again.`;
  return { file: folder, code: 'loader-folder-unreadable', severity: 'error', pointer: '', detail };
}

function emptied(folder: string, namespace: string): LoaderReport {
  const detail =
    'The manifest folder holds no manifest file; all its Orbs stay unchanged. Put the files back; to delete ' +
    `them: kubectl delete orbs -n ${namespace} -l ${LOADED_BY_LABEL}=${LOADER}.`;
  return { file: folder, code: 'loader-folder-empty', severity: 'error', pointer: '', detail };
}

/** Folders inside the folder that hold manifests. A folder that went away meanwhile is reported by the next scan. */
async function skippedFolders(folder: string): Promise<readonly LoaderReport[]> {
  const names = await subfoldersOf(folder).catch((): readonly string[] => []);
  return names.map((file) => ({ ...SKIPPED_FOLDER, file }));
}

/** Scans the folder repeatedly; one caller at a time. */
export class ManifestSync {
  readonly #options: ManifestLoaderOptions;
  readonly #folder;
  readonly #steps: LoaderSteps;
  readonly #reports;
  #settled: ReadonlyMap<string, Settled> = new Map();
  #files: readonly CheckedFile[] | undefined;
  #orbs: readonly KubeObject[] | undefined;
  #pending = true;

  constructor(options: ManifestLoaderOptions) {
    const { folder, namespace, allowedOrigins } = options;
    this.#options = options;
    this.#folder = openFolder(folder, { namespace, allowedOrigins });
    this.#steps = new LoaderSteps(options);
    this.#reports = createLoaderReports(options);
  }

  /**
   * Makes the Orbs of the namespace match the folder.
   * @throws this process does not lead, or was aborted
   */
  async run(signal: AbortSignal): Promise<void> {
    const found = await this.#read(signal);
    if (found === undefined) return;
    const { files } = found;
    const orbs = this.#options.orbs.list().filter(({ metadata }) => metadata.namespace === this.#options.namespace);
    if (!this.#pending && sameElements(this.#files, files) && sameElements(this.#orbs, orbs)) return;
    // Until this scan has ended well, the next one must not be skipped.
    this.#pending = true;
    const plan = planLoad({ files, orbs, settled: this.#settled });
    if (plan.emptied) {
      await this.#lost(emptied(this.#options.folder, this.#options.namespace), signal);
      return;
    }
    this.#options.metrics.readable(true);
    this.#pending = await this.#carryOut(plan, found, signal);
    this.#files = files;
    this.#orbs = orbs;
  }

  /** @returns whether work is left even without a change */
  async #carryOut(plan: LoaderPlan, { files, stamp }: Scan, signal: AbortSignal): Promise<boolean> {
    const settled = new Map(plan.settled);
    this.#settled = settled;
    const { reports, pending } = await this.#steps.carryOut(plan, stamp, settled, signal);
    const all = [...plan.reports, ...reports, ...(await skippedFolders(this.#options.folder))];
    await this.#reports.show(all, signal);
    this.#count(files, all);
    return pending;
  }

  /** @returns undefined when the content of the folder is unknown; then nothing is changed */
  async #read(signal: AbortSignal): Promise<Scan | undefined> {
    try {
      return await this.#folder.scan();
    } catch (error) {
      await this.#lost(unreadable(this.#options.folder, error), signal);
      return undefined;
    }
  }

  async #lost(report: LoaderReport, signal: AbortSignal): Promise<void> {
    this.#options.metrics.readable(false);
    // The problems of the files must be reported again when the files are back.
    this.#pending = true;
    await this.#reports.show([report], signal);
  }

  #count(files: readonly CheckedFile[], reports: readonly LoaderReport[]): void {
    const bad = new Set(reports.filter(({ severity }) => severity === 'error').map(({ file }) => file));
    const refused = files.filter(({ file }) => bad.has(file)).length;
    this.#options.metrics.files(files.length - refused, refused);
  }
}
