/** One release of the control plane: what is downloaded, built and cached together. */
export interface Release {
  /** `1.36.3` */
  readonly kubernetes: string;
  /** `3.7.3` */
  readonly etcd: string;
}

const ETCD = '3.7.3';

/** Other programs of a node; the same for every release line. */
export const NODE_PROGRAMS = { containerd: '2.4.2', coredns: '1.14.7' } as const;

/** The release lines that the suites run on, oldest first, each with a pinned version. */
const KUBERNETES = ['1.33.13', '1.34.4', '1.35.4', '1.36.3'] as const;

/** The oldest and the newest supported version. */
export const SUPPORTED = { oldest: '1.33.13', newest: '1.36.3' } as const satisfies Record<
  string,
  (typeof KUBERNETES)[number]
>;

/**
 * The release that `ORB_K8S_VERSION` names: a line (`1.33`), a version (`1.33.13`), or absent for the newest.
 * @throws TypeError neither a known line nor a version
 */
export function releaseOf(wanted: string | undefined): Release {
  const text = wanted === undefined || wanted === '' ? '1.36' : wanted.replace(/^v/, '');
  const pinned = KUBERNETES.find((version) => version === text || version.startsWith(`${text}.`));
  const kubernetes = pinned ?? (/^1\.\d+\.\d+$/.test(text) ? text : undefined);
  if (kubernetes !== undefined) return { kubernetes, etcd: ETCD };
  const lines = KUBERNETES.map((version) => version.split('.').slice(0, 2).join('.'));
  throw new TypeError(`ORB_K8S_VERSION=${text}: name one of ${lines.join(', ')}, or a whole version such as 1.36.3`);
}
