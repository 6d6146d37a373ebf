import type { KubeError } from '../../adapters/kube/port.ts';
import { EXIT, Failure, type Exit } from '../io/failure.ts';

const isAway = ({ status }: KubeError): boolean => status === 0 || status === 429 || status >= 500;

function nextOf(error: KubeError): readonly string[] {
  if (error.status === 401)
    return ['your credentials are refused: log in to the cluster again; kubectl auth whoami shows who you are'];
  if (error.status === 403)
    return ['ask who runs the cluster for this permission; kubectl auth can-i --list shows what you may do'];
  if (isAway(error)) return ['kubectl version shows whether the API server answers; --context names another cluster'];
  return [];
}

const exitOf = (error: KubeError): Exit => (isAway(error) ? EXIT.unreachable : EXIT.invalid);

/** The refusal of the Kubernetes API, as the failure that ends a verb. */
export const kubeFailure = (error: KubeError): Failure =>
  new Failure(exitOf(error), `the Kubernetes API: ${error.message}`, nextOf(error));
