/** What a reason means, and what its reader writes or does next. */
interface ReasonText {
  /** The fault in general; `detail` of an attempt has its place, type or limit. */
  readonly says: string;
  readonly next: string;
}

const AGAIN = 'If it happens again, ask the provider.';
const CORRECT_URL = 'Correct url in the manifest.';

/**
 * Every reason why an attempt at a provider failed: the one closed list. Problems, the log, `orb status` and the
 * generated reference take it from here. A receipt holds the outcome of an attempt alone (trust.md §1.1): a reason is
 * neither signed nor stored. Reasons are public: one may be added, and none gets another meaning.
 */
export const ATTEMPT_REASONS = {
  // Nothing was sent.
  'host-not-found': {
    says: 'The name of the host does not exist.',
    next: 'Correct the host in url of the manifest.',
  },
  'lookup-failed': {
    says: 'The resolver of names gave no answer.',
    next: 'Try again; if it happens again, check the DNS of the installation.',
  },
  'connection-refused': {
    says: 'Nothing listens on this port of the host.',
    next: 'Check host and port in url of the manifest, and that the provider runs.',
  },
  'connection-failed': {
    says: 'The host could not be reached.',
    next: 'Check host and port in url of the manifest, and the network of the installation.',
  },
  'connect-timeout': {
    says: 'No connection in time: DNS, TCP and TLS together.',
    next: 'Check host and port in url of the manifest; connect_timeout_ms sets the limit.',
  },
  'certificate-expired': {
    says: 'The certificate of the host has expired.',
    next: 'The provider must renew its certificate.',
  },
  'certificate-not-yet-valid': {
    says: 'The certificate of the host is not valid yet.',
    next: 'Check the clock of the installation; else the provider must replace its certificate.',
  },
  'certificate-wrong-name': {
    says: 'The certificate is for another host.',
    next: 'Write a host in url of the manifest that the certificate names.',
  },
  'certificate-untrusted': {
    says: 'No known authority signed the certificate of the host.',
    next: 'The provider needs a certificate of a public authority; --egress-ca trusts another one for an exception.',
  },
  'tls-failed': {
    says: 'No TLS connection could be made.',
    next: 'Check that the port in url of the manifest speaks https, with TLS 1.2 or later.',
  },
  'egress-denied-url': { says: 'This URL may not be called.', next: CORRECT_URL },
  'egress-denied-scheme': {
    says: 'Providers are called over https only.',
    next: 'Write https:// in url of the manifest, or allow the origin with --egress-allow.',
  },
  'egress-denied-port': {
    says: 'Providers are called on port 443 only.',
    next: 'Write a URL without port in the manifest, or allow the origin with --egress-allow.',
  },
  'egress-denied-literal': {
    says: 'The host of a URL is a name, not an address.',
    next: 'Write a host name in url of the manifest, or allow the origin with --egress-allow.',
  },
  'egress-denied-address': {
    says: 'The name of the host leads to an address that is not public.',
    next: 'Write a public host in url of the manifest, or allow the origin with --egress-allow.',
  },
  'egress-denied-peer': {
    says: 'The connection led to an address that is not public.',
    next: 'Write a public host in url of the manifest, or allow the origin with --egress-allow.',
  },
  'secret-host-not-allowed': {
    says: 'A secret of the request may not be sent to this host.',
    next: 'Add the host to allowedHosts of the vault entry, if it should have the secret.',
  },
  'policy-host-not-allowed': {
    says: 'A policy does not allow this host.',
    next: 'Ask who writes the policies that rules[] names.',
  },
  // The request was sent, and no whole answer came back.
  'answer-timeout': {
    says: 'No whole answer in time.',
    next: 'Raise timeout_ms or attempt_timeout_ms in the manifest, if the provider needs longer.',
  },
  'body-stalled': {
    says: 'The body of the answer stopped coming.',
    next: 'Raise body_idle_ms in the manifest, if the provider makes longer pauses.',
  },
  'connection-reset': { says: 'The connection ended before an answer came.', next: AGAIN },
  'answer-cut': { says: 'The answer ended too early.', next: AGAIN },
  'not-http': {
    says: 'The answer is not valid HTTP/1.1.',
    next: 'Check host and port in url of the manifest.',
  },
  'answer-too-large': {
    says: 'The answer is larger than the limit.',
    next: 'Ask the provider for less, for example by a filter or a page size in the request.',
  },
  'answer-too-complex': {
    says: 'Reading the answer takes too long, or too much memory: it has far too many values.',
    next: 'Ask the provider for less, for example by a filter or a page size in the request.',
  },
  'headers-too-large': { says: 'The answer has more than 200 headers or 16 KiB of them.', next: AGAIN },
  'encoding-unsupported': {
    says: 'The answer has an encoding that can not be read.',
    next: 'The provider must answer without Content-Encoding, or with gzip, br, zstd or deflate.',
  },
  'encoding-broken': { says: 'The compressed body of the answer is broken.', next: AGAIN },
  'redirect-refused': {
    says: 'The answer redirects to another origin, or away from https.',
    next: 'Write the address that the provider redirects to as url in the manifest.',
  },
  cancelled: {
    says: 'The platform ended the attempt: a kill switch, or the end of the process.',
    next: 'Try again when calls to providers are allowed again.',
  },
  'platform-exhausted': {
    says: 'The platform had no descriptor, memory or time left for the call or its answer. It says nothing about the provider.',
    next: 'Try again. The operator of the installation raises the limit of open files or of memory.',
  },
  // The provider answered with a status that is not 2xx.
  redirected: {
    says: 'The answer is a redirect, which was not followed.',
    next: 'Write the final address as url in the manifest, or set follow_redirects.',
  },
  'server-error': { says: 'The provider answered with 5xx, 408 or 425.', next: AGAIN },
  'rate-limited': {
    says: 'The provider answered 429: too many requests, or a used-up quota.',
    next: 'Wait for the time that it names. If it happens often, raise the quota at the provider.',
  },
  'credential-refused': {
    says: 'The provider answered 401, 402 or 403.',
    next: 'Check the secrets that the request needs, and the account, with the provider.',
  },
  'request-rejected': {
    says: 'The provider answered with another 4xx.',
    next: 'Correct the inputs, or the request in the manifest.',
  },
  // The provider answered with 2xx, and the outputs are not in it.
  'not-json': {
    says: 'An output points into the body, and the body is not JSON.',
    next: 'Check url in the manifest: this is often a page for people. To get a text as a whole, write from: /body.',
  },
  'broken-json': {
    says: 'The body has a JSON media type, and is not valid JSON.',
    next: `Check url in the manifest with the provider's documentation. ${AGAIN}`,
  },
  'not-text': {
    says: 'The body has a media type of text or JSON, and is not UTF-8.',
    next: 'The provider must answer in UTF-8.',
  },
  'output-missing': {
    says: 'Nothing is where an output points to.',
    next: "Correct from of the output in the manifest with the provider's documentation.",
  },
  'output-wrong-type': {
    says: 'The value of an output has another type than the manifest declares.',
    next: 'Correct type or from of the output in the manifest.',
  },
  'output-not-representable': {
    says: 'The value of an output can not be returned: ill-formed text, or more than 128 levels.',
    next: 'Correct from of the output in the manifest, so that it points to a smaller part.',
  },
} as const satisfies Readonly<Record<string, ReasonText>>;

/** Why an attempt failed. */
export type AttemptReason = keyof typeof ATTEMPT_REASONS;

/** Why one attempt failed, in words. */
export interface AttemptCause {
  readonly reason: AttemptReason;
  /** Names places, types and limits, never values of the body; printable, one line, at most 300 characters. */
  readonly detail: string;
}
