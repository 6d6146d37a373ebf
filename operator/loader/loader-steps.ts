import { KubeError, type KubeClient, type Store } from '../../adapters/kube/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { LoaderReport } from '../../core/loader/loader-report.ts';
import { settledBy, type ApplyStep, type LoaderPlan, type Settled } from '../../core/loader/plan.ts';
import type { RemoveStep } from '../../core/loader/removals.ts';
import { createAbsences } from './absences.ts';
import type { LoaderMetrics } from './loader-metrics.ts';
import { createOrbWriter } from './orb-writer.ts';
import { createRetries } from './retries.ts';

export interface LoaderStepsDeps {
  /** Namespace of the Orbs. */
  readonly namespace: string;
  readonly client: Pick<KubeClient, 'get' | 'apply' | 'delete'>;
  readonly orbs: Pick<Store, 'offer'>;
  /** Throws when this process no longer leads. */
  readonly assertLeading: () => void;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  readonly metrics: Pick<LoaderMetrics, 'wrote'>;
}

// The API server refuses the manifest itself: schema, rules, or missing rights.
const REFUSED: ReadonlySet<number> = new Set([400, 403, 422]);

const refusal = ({ file, name }: ApplyStep, { message }: KubeError): LoaderReport => ({
  file,
  code: 'loader-refused',
  severity: 'error',
  pointer: '',
  detail: `The API server refused Orb ${name}: ${message}`,
});

const copied = ({ name }: RemoveStep): LoaderReport => ({
  file: '',
  code: 'loader-label-copied',
  severity: 'warning',
  pointer: '/metadata/labels',
  detail: `Orb ${name} has the label of the manifest loader, but another writer created it; remove the label.`,
});

/** Classifies a failed write. A conflict means that another writer was faster; the store will show its change. */
function writeFailure(error: unknown, signal: AbortSignal): KubeError | 'conflict' {
  if (signal.aborted || !(error instanceof KubeError)) throw error;
  return error.status === 409 ? 'conflict' : error;
}

/** Carries out plans, one Orb after another. A failed Orb never stops the next. */
export class LoaderSteps {
  readonly #deps: LoaderStepsDeps;
  readonly #writer;
  readonly #retries;
  readonly #absences;
  /** Uids of Orbs with a copied label; each is checked once. */
  readonly #copies = new Set<string>();

  constructor(deps: LoaderStepsDeps) {
    const monotonic = (): number => deps.clock.monotonic();
    this.#deps = deps;
    this.#writer = createOrbWriter(deps);
    this.#retries = createRetries(monotonic);
    this.#absences = createAbsences(monotonic);
  }

  /**
   * @param stamp of the folder that the plan was made from
   * @param settled receives the results of own writes
   * @returns the problems, and whether work is left even without a change
   * @throws this process does not lead, or was aborted
   */
  async carryOut(
    plan: LoaderPlan,
    stamp: string,
    settled: Map<string, Settled>,
    signal: AbortSignal,
  ): Promise<{ readonly reports: readonly LoaderReport[]; readonly pending: boolean }> {
    for (const step of plan.applies) {
      const known = await this.#apply(step, signal);
      if (known !== undefined) settled.set(step.name, known);
    }
    const removes = plan.removes.filter(({ uid }) => !this.#copies.has(uid));
    for (const step of this.#absences.confirmed(removes, stamp)) await this.#remove(step, signal);
    const copies = plan.removes.filter(({ uid }) => this.#copies.has(uid)).map(copied);
    const open = new Set([...plan.applies, ...removes].map(({ name }) => name));
    return { reports: [...this.#retries.reports(open), ...copies], pending: open.size > 0 };
  }

  async #apply(step: ApplyStep, signal: AbortSignal): Promise<Settled | undefined> {
    const { name, file, manifest } = step;
    const { orbs, metrics, logger } = this.#deps;
    if (!this.#retries.due(name, manifest.digest)) return undefined;
    try {
      const stored = await this.#writer.apply(step, signal);
      orbs.offer(stored);
      this.#retries.succeeded(name);
      metrics.wrote('apply', 'success');
      logger.info('Orb applied from the manifest folder', { orb: name, file, digest: manifest.digest });
      return settledBy(stored, manifest);
    } catch (error) {
      this.#applyFailed(step, writeFailure(error, signal));
      return undefined;
    }
  }

  #applyFailed(step: ApplyStep, failure: KubeError | 'conflict'): void {
    if (failure === 'conflict') return;
    const { name, file, manifest } = step;
    const mine = REFUSED.has(failure.status);
    this.#deps.metrics.wrote('apply', 'error');
    this.#retries.failed(name, manifest.digest, mine ? refusal(step, failure) : undefined);
    if (!mine)
      this.#deps.logger.warn('an Orb could not be applied; it is tried again', { orb: name, file, error: failure });
  }

  async #remove({ name, uid }: RemoveStep, signal: AbortSignal): Promise<void> {
    const { metrics, logger } = this.#deps;
    if (!this.#retries.due(name, uid)) return;
    try {
      const outcome = await this.#writer.remove(name, uid, signal);
      this.#retries.succeeded(name);
      if (outcome === 'foreign') this.#copies.add(uid);
      if (outcome !== 'removed') return;
      metrics.wrote('delete', 'success');
      logger.info('Orb deleted: no file of the manifest folder defines it any more', { orb: name });
    } catch (error) {
      const failure = writeFailure(error, signal);
      if (failure === 'conflict') return;
      metrics.wrote('delete', 'error');
      this.#retries.failed(name, uid, undefined);
      logger.warn('an Orb could not be deleted; it is tried again', { orb: name, error });
    }
  }
}
