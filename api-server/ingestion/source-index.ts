import type { SignalSource, SignalSources } from './source.ts';

/** The sources that receive, by id, by name and by namespace. */
export class SourceIndex implements SignalSources {
  readonly #byId = new Map<string, SignalSource>();
  readonly #spaces = new Map<string, Map<string, SignalSource>>();

  readonly byId = (sourceId: string): SignalSource | undefined => this.#byId.get(sourceId);

  readonly byName = (namespace: string, name: string): SignalSource | undefined =>
    this.#spaces.get(namespace)?.get(name);

  readonly of = (namespace: string): readonly SignalSource[] =>
    [...(this.#spaces.get(namespace)?.values() ?? [])].toSorted((one, other) => (one.name < other.name ? -1 : 1));

  /** Takes the place of the source of this name; its former id is unknown from then on. */
  put(source: SignalSource): void {
    this.remove(source.namespace, source.name);
    this.#byId.set(source.sourceId, source);
    const space = this.#spaces.get(source.namespace) ?? new Map<string, SignalSource>();
    space.set(source.name, source);
    this.#spaces.set(source.namespace, space);
  }

  remove(namespace: string, name: string): void {
    const space = this.#spaces.get(namespace);
    const before = space?.get(name);
    if (space === undefined || before === undefined) return;
    space.delete(name);
    if (space.size === 0) this.#spaces.delete(namespace);
    this.#byId.delete(before.sourceId);
  }
}
