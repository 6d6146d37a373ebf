// generated from schemas/orbsignalsource.schema.json by hack/generate.ts: do not edit

/**
 * A vendor whose webhooks are received: how they are verified, what they mean, and what they may do.
 */
export interface OrbSignalSource {
  /**
   * Version of the resource.
   */
  readonly apiVersion: 'orbs.dev/v1alpha1';
  /**
   * Kind of the resource.
   */
  readonly kind: 'OrbSignalSource';
  readonly metadata: ObjectMeta;
  readonly spec: OrbSignalSourceSpec;
  /**
   * Written by the platform; not read from files.
   */
  readonly status?: unknown;
}
/**
 * Metadata of a resource, as Kubernetes has it; only name, namespace, labels and annotations matter here.
 */
export interface ObjectMeta {
  /**
   * Lower-case letters, digits and "-", without a dot; at most 63 characters.
   */
  readonly name: string;
  /**
   * The tenant; the default namespace when absent.
   */
  readonly namespace?: string;
  /**
   * Labels.
   */
  readonly labels?: {
    /**
     * Letters, digits, ".", "_" and "-", with a letter or digit at both ends, or nothing.
     */
    readonly [k: string]: string;
  };
  /**
   * Annotations.
   */
  readonly annotations?: {
    readonly [k: string]: string;
  };
  /**
   * Set by Kubernetes; not read.
   */
  readonly creationTimestamp?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly deletionTimestamp?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly deletionGracePeriodSeconds?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly finalizers?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly generateName?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly generation?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly managedFields?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly ownerReferences?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly resourceVersion?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly selfLink?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly uid?: unknown;
}
/**
 * Where the webhooks of a vendor come from, how they are verified, and what their events may do.
 */
export interface OrbSignalSourceSpec {
  /**
   * Vendor. It fixes the parser, the scheme of verification and the mapping; custom brings its own.
   */
  readonly type:
    | 'alertmanager'
    | 'grafana'
    | 'pagerduty'
    | 'sentry'
    | 'datadog'
    | 'newrelic'
    | 'statuspage'
    | 'segment'
    | 'posthog'
    | 'amplitude'
    | 'mixpanel'
    | 'statuscake'
    | 'pingdom'
    | 'uptimerobot'
    | 'standardWebhooks'
    | 'cloudevents'
    | 'custom';
  /**
   * Observe (default) stores and maps; Active also opens incidents; Disabled receives nothing.
   */
  readonly mode?: 'Active' | 'Observe' | 'Disabled';
  /**
   * Raise it to get a new URL; 1 when absent.
   */
  readonly pathEpoch?: number;
  readonly auth: SourceAuth;
  readonly mapping?: SourceMapping;
  /**
   * What an event is about: the first line whose condition is true. Without one, the label or a name that is an orb_id.
   *
   * @maxItems 64
   */
  readonly match?: readonly SourceMatch[];
  readonly effects?: SourceEffects;
  readonly limits?: SourceLimits;
  readonly retention?: SourceRetention;
}
/**
 * How a delivery is verified.
 */
export interface SourceAuth {
  /**
   * Scheme of verification; that of the type when absent.
   */
  readonly scheme?: 'hmac' | 'ecdsa' | 'standardWebhooks' | 'bearer' | 'basic' | 'header' | 'md5Token' | 'urlToken';
  /**
   * Secrets in the namespace of the source. Any of them may match, so two are enough to rotate.
   *
   * @minItems 1
   * @maxItems 4
   */
  readonly secretRefs: readonly SourceSecretRef[];
  /**
   * Header of the signature, or of the token with scheme header; that of the type when absent.
   */
  readonly signatureHeader?: string;
  /**
   * Header of the timestamp that is signed too. For grafana only when its contact point has the same name.
   */
  readonly timestampHeader?: string;
  /**
   * How far a signed timestamp may be off, seconds; 300 when absent.
   */
  readonly toleranceSeconds?: number;
  /**
   * Only senders with these addresses, in addition to the scheme.
   *
   * @maxItems 64
   *
   * Items: Block of addresses: 203.0.113.0/24.
   */
  readonly allowCIDRs?: readonly string[];
  readonly hmac?: SourceHmac;
}
/**
 * A key of a Secret.
 */
export interface SourceSecretRef {
  /**
   * Name of the Secret.
   */
  readonly name: string;
  /**
   * Key of the Secret.
   */
  readonly key: string;
}
/**
 * Form of an HMAC in a header; type custom alone.
 */
export interface SourceHmac {
  /**
   * Digest; sha256 when absent.
   */
  readonly alg?: 'sha256' | 'sha1' | 'sha512';
  /**
   * How a signature is written; hex when absent.
   */
  readonly encoding?: 'hex' | 'base64';
  /**
   * Text before each signature, such as sha256=; none when absent.
   */
  readonly prefix?: string;
  /**
   * Text between signatures; the header is one signature when absent or empty.
   */
  readonly separator?: string;
  /**
   * What is signed: {body} and {timestamp} are replaced, other text stands for itself; {body} when absent.
   */
  readonly signedContent?: string;
  readonly pairs?: SourcePairs;
}
/**
 * Timestamp and signatures stand in one header, as in t=1795168800,v1=…
 */
export interface SourcePairs {
  /**
   * Name of the timestamp.
   */
  readonly timestamp: string;
  /**
   * Name of a signature.
   */
  readonly signature: string;
}
/**
 * How a payload becomes events, in CEL over payload, headers and item. Required for type custom; for others each expression takes the place of that of the type.
 */
export interface SourceMapping {
  /**
   * How a body of type custom is read: json, or form for application/x-www-form-urlencoded, whose names are then in lower case. json when absent.
   */
  readonly parser?: 'json' | 'form';
  /**
   * Expression that gives a list: one event for each item. The payload is one event when absent.
   */
  readonly items?: string;
  /**
   * What the events are; that of the type when absent, alert for type custom.
   */
  readonly kind?: 'alert' | 'error' | 'uptime' | 'incident' | 'analytics' | 'change';
  readonly fields?: SourceFields;
}
/**
 * Expressions of the members of an event.
 */
export interface SourceFields {
  /**
   * firing, acknowledged, resolved, suppressed or info, or a word that the type knows.
   */
  readonly status?: string;
  /**
   * critical, high, warning, low or info, or a word that the type knows.
   */
  readonly severity?: string;
  /**
   * One line about the problem.
   */
  readonly title?: string;
  /**
   * Text about it.
   */
  readonly description?: string;
  /**
   * Names the problem within this source; the digest of the body when it gives none.
   */
  readonly fingerprint?: string;
  /**
   * When it began: RFC 3339, or seconds or milliseconds since 1970.
   */
  readonly startsAt?: string;
  /**
   * When it ended.
   */
  readonly endsAt?: string;
  /**
   * When it happened.
   */
  readonly occurredAt?: string;
  /**
   * A map, or a list of texts k:v.
   */
  readonly labels?: string;
  /**
   * Names of what it is about, a text or a list; one may be an orb_id.
   */
  readonly names?: string;
  /**
   * Address of the event at the vendor. It is shown, and never fetched.
   */
  readonly link?: string;
}
/**
 * A condition and its one target: orb, provider or service.
 */
export interface SourceMatch {
  /**
   * Condition in CEL over labels, names, title, kind, status and severity. One that fails is false.
   */
  readonly when: string;
  /**
   * orb_id; with the version "*", the version that the namespace runs.
   */
  readonly orb?: string;
  /**
   * Host of a provider.
   */
  readonly provider?: string;
  /**
   * A component of the status page; only in the namespace of the platform.
   */
  readonly service?: 'runtime' | 'reputation_ledger' | 'observable_engine' | 'ingestion';
}
/**
 * What events may do; only in mode Active.
 */
export interface SourceEffects {
  /**
   * Whether events open incidents; true when absent.
   */
  readonly incident?: boolean;
  /**
   * Whether an incident that receipts confirm may enter the log of the Orb; true when absent.
   */
  readonly reputation?: boolean;
  /**
   * Least severity that opens an incident; warning when absent.
   */
  readonly minSeverity?: 'critical' | 'high' | 'warning' | 'low' | 'info';
  /**
   * How long it must fire first: a whole number and s, m or h, at most 24h; 0s when absent.
   */
  readonly for?: string;
  /**
   * How long it must be quiet before an incident ends: a whole number and s, m or h, at most 24h; 120s when absent.
   */
  readonly quietPeriod?: string;
}
/**
 * Limits of what is received.
 */
export interface SourceLimits {
  /**
   * Largest body, bytes; 262144 when absent.
   */
  readonly bodyBytes?: number;
  /**
   * Deliveries in a second that a process takes on average; 50 when absent.
   */
  readonly rps?: number;
  /**
   * Deliveries that may come at once; 200 when absent.
   */
  readonly burst?: number;
  /**
   * Most events of one payload; the rest is counted. 500 when absent.
   */
  readonly alertsPerPayload?: number;
  /**
   * Whether a body may come with Content-Encoding gzip; false when absent.
   */
  readonly gzip?: boolean;
  /**
   * Whether GET may deliver, type uptimerobot alone; false when absent.
   */
  readonly allowGet?: boolean;
}
/**
 * How long is kept what was received.
 */
export interface SourceRetention {
  /**
   * Raw bodies: hours from 1h to 720h; 168h when absent.
   */
  readonly raw?: string;
  /**
   * Signals: hours from 1h to 8760h; 2160h when absent.
   */
  readonly signals?: string;
}
