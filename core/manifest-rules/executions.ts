import type { Execution, Manifest } from '../../crds/manifest.ts';
import { childPointer } from '../manifest/child-pointer.ts';

/** One request of a manifest: the execution or the probe of a provider. */
export interface RequestPlace {
  readonly pointer: string;
  readonly request: Partial<Pick<Execution, 'url' | 'headers' | 'body_template'>>;
}

/** The execution of one provider, and its place in the manifest. */
export interface ExecutionPlace {
  readonly pointer: string;
  readonly execution: Execution;
}

/** Every execution of a manifest with its pointer: first the manifest's own, then those of `providers`. */
export function executionsOf(manifest: Manifest): readonly ExecutionPlace[] {
  const others = Object.entries(manifest.providers ?? {}).map(([name, { execution }]) => ({
    pointer: `${childPointer('/providers', name)}/execution`,
    execution,
  }));
  return [{ pointer: '/execution', execution: manifest.execution }, ...others];
}

/** Every request of a manifest: its executions and their probes. */
export function requestsOf(manifest: Manifest): readonly RequestPlace[] {
  return executionsOf(manifest).flatMap(({ pointer, execution }) => {
    const own = { pointer, request: execution };
    return execution.probe === undefined ? [own] : [own, { pointer: `${pointer}/probe`, request: execution.probe }];
  });
}

/** The texts of a request that may hold placeholders, by pointer. */
export function textsOf({
  pointer,
  request,
}: RequestPlace): readonly { readonly pointer: string; readonly text: string }[] {
  const { url, headers = {}, body_template: body } = request;
  return [
    ...(url === undefined ? [] : [{ pointer: `${pointer}/url`, text: url }]),
    ...Object.entries(headers).map(([name, text]) => ({ pointer: childPointer(`${pointer}/headers`, name), text })),
    ...(body === undefined ? [] : [{ pointer: `${pointer}/body_template`, text: body }]),
  ];
}
