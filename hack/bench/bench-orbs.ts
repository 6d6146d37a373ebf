/** 800 bytes of inputs, five members (performance.md §1). */
export const inputs = {
  recipient: 'alice@example.com',
  sender: 'noreply@example.com',
  subject: 'The monthly report of the benchmark',
  body: 'A line of text that is neither short nor long. '.repeat(13),
  tag: 'bench',
};

/** The Orb of the benchmark. */
export const manifest = (mock: number): string => `orb_id: bench.send@1.0.0
provider: mock
description: Sends one message to the mock provider of the benchmark.
inputs:
  recipient: { type: string, required: true }
  sender: { type: string, required: true }
  subject: { type: string, required: true }
  body: { type: string, required: true }
  tag: { type: string, required: true }
outputs:
  message_id: { type: string }
  status: { type: string, from: /body/status }
execution:
  type: http
  method: POST
  url: http://127.0.0.1:${mock}/v1/send
  headers: { Authorization: "Bearer {{orbiset.secrets.BENCH_TOKEN}}", Content-Type: application/json }
  body_template: '{"to":[{"email":"{{inputs.recipient}}"}],"from":{"email":"{{inputs.sender}}"},"subject":"{{inputs.subject}}","content":[{"type":"text/plain","value":"{{inputs.body}}"}],"tag":"{{inputs.tag}}"}'
`;

/** The Orbiset of the benchmark, with the secret that its Orb sends. */
export const orbiset = `apiVersion: orbs.dev/v1alpha1
kind: Orbiset
metadata: { name: default, namespace: default }
spec:
  vault:
    secrets:
      - { name: bench, allowedHosts: ["127.0.0.1"] }
---
apiVersion: v1
kind: Secret
metadata: { name: bench, namespace: default }
stringData: { BENCH_TOKEN: token-of-the-benchmark }
`;

/** The request that executes the Orb. */
export const EXECUTE_BODY = JSON.stringify({ orb_id: 'bench.send@1.0.0', inputs });

/** The same Orb with a second provider and swap rules: the only difference on a path without failures. */
export const swapping = (mock: number): string => {
  const [url, body] = [/url: (.*)/, /body_template: (.*)/].map((line) => line.exec(manifest(mock))?.[1] ?? '');
  return `${manifest(mock).replace('bench.send@', 'bench.swap@')}providers:
  other:
    execution:
      type: http
      method: POST
      url: ${url}
      headers: { Authorization: "Bearer {{orbiset.secrets.BENCH_TOKEN}}", Content-Type: application/json }
      body_template: ${body}
swap_config: { primary: mock, fallbacks: [other], strategy: latency }
`;
};

/** @param body of the request that executes the Orb without rules */
export const swapBody = (body: string): string => body.replace('bench.send@', 'bench.swap@');
