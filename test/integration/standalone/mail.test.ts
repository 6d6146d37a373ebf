import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { rawTlsServer, type RawServer } from '../../support/egress.ts';
import { orbisetDocuments } from '../../support/orbs.ts';
import { codeOf, outputWith, startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { issue, makeCa } from '../../support/tls.ts';

// The mail example of design.md §2 with the members of the interface specification alone.
const MAIL = String.raw`
orb_id: acme.send-email@1.0.0
provider: sendgrid
description: Sends one e-mail.
inputs:
  recipient: {type: string, required: true}
  sender: {type: string, default: "{{orbiset.secrets.MAIL_FROM}}"}
  subject: {type: string, required: true}
  body: {type: string, required: true}
outputs: {message_id: {type: string}, status: {type: string}}
execution:
  type: http
  method: POST
  url: https://api.sendgrid.com/v3/mail/send
  headers: {Authorization: "Bearer {{orbiset.secrets.SENDGRID_API_KEY}}", Content-Type: application/json}
  body_template: '{"personalizations":[{"to":[{"email":"{{inputs.recipient}}"}]}],"from":{"email":"{{inputs.sender}}"},"subject":"{{inputs.subject}}","content":[{"type":"text/plain","value":"{{inputs.body}}"}]}'
swap_config: {primary: sendgrid, fallbacks: [mailgun], strategy: latency}
`;

const KEY = 'SG.mail-test-key_0123456789';
const FROM = 'orbs@example.com';
const HOST = 'api.sendgrid.com';
const INPUTS = {
  recipient: 'ann@example.org',
  subject: 'Grüße "quoted" \\ {{orbiset.secrets.SENDGRID_API_KEY}}',
  body: 'line one\nline two\t€ 🙂 $& "},"admin":true,"x":"',
};
const ACCEPTED = 'HTTP/1.1 202 Accepted\r\nX-Message-Id: msg-42\r\nContent-Length: 0\r\n\r\n';

const bodyFrom = (sender: string): string =>
  String.raw`{"personalizations":[{"to":[{"email":"ann@example.org"}]}],"from":{"email":"${sender}"},` +
  String.raw`"subject":"Grüße \"quoted\" \\ {{orbiset.secrets.SENDGRID_API_KEY}}",` +
  String.raw`"content":[{"type":"text/plain","value":"line one\nline two\t€ 🙂 $& \"},\"admin\":true,\"x\":\""}]}`;

// The caller's trace goes on at the provider, under a span of its own.
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

/** The request that a provider must get, byte for byte but for the id of its span. */
function requestFrom(sender: string): string {
  const body = bodyFrom(sender);
  const lines = [
    'POST /v3/mail/send HTTP/1.1',
    `host: ${HOST}`,
    'connection: keep-alive',
    'accept-encoding: identity',
    `Authorization: Bearer ${KEY}`,
    'Content-Type: application/json',
    'user-agent: orb-platform/0.1.0',
    `traceparent: 00-${TRACE}-<span>-01`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

const answer: Parameters<typeof rawTlsServer>[1] = (socket) => void socket.write(ACCEPTED);

/** What the stub read, with the random id of the span out of the way. */
function readable(request: string): string {
  const text = Buffer.from(request, 'latin1').toString('utf8');
  const span = new RegExp(`^traceparent: 00-${TRACE}-([0-9a-f]{16})-01\r$`, 'm').exec(text)?.[1] ?? SPAN;
  return span === SPAN ? text : text.replace(span, '<span>');
}

const vault = (hosts: readonly string[]): Parameters<typeof orbisetDocuments>[1] => ({
  SENDGRID_API_KEY: { value: KEY, hosts },
  MAIL_FROM: { value: FROM, hosts },
});

describe('the mail example of design.md §2', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const ca = makeCa();
  const own = issue(ca, { names: [HOST] });
  const foreign = issue(ca, { names: ['api.sendgrid.com.example'] });
  let stub: RawServer;
  let wrongName: RawServer;
  let standalone: Standalone;
  let mislead: Standalone;

  const start = (port: number): Promise<Standalone> =>
    startStandalone({
      resources: {
        'mail.yaml': MAIL,
        'default.yaml': orbisetDocuments('default', vault([HOST])),
        'elsewhere.yaml': orbisetDocuments('elsewhere', vault(['api.example.com', `${HOST}.example.com`])),
        'half.yaml': orbisetDocuments('half', {
          ...vault([HOST]),
          MAIL_FROM: { value: FROM, hosts: ['api.example.com'] },
        }),
      },
      flags: ['--egress-stub', `https://${HOST}=127.0.0.1:${port}`, '--egress-ca', join(folder, 'ca.pem')],
    });

  before(async () => {
    writeFileSync(join(folder, 'ca.pem'), ca.certificate);
    stub = await rawTlsServer({ key: own.key, cert: own.certificate }, answer);
    wrongName = await rawTlsServer({ key: foreign.key, cert: foreign.certificate }, answer);
    [standalone, mislead] = await Promise.all([start(stub.port), start(wrongName.port)]);
  });

  after(async () => {
    await Promise.all([standalone.stop(), mislead.stop()]);
    await Promise.all([stub.close(), wrongName.close()]);
    for (const path of [dirname(standalone.data), dirname(mislead.data), folder]) rmSync(path, { recursive: true });
  });

  const send = async (
    inputs: unknown,
    orbiset = 'default',
    to = standalone,
  ): Promise<{ readonly status: number; readonly body: JsonObject }> => {
    const message = { orb_id: 'acme.send-email@1.0.0', inputs };
    const response = await to.post(`/orbisets/${orbiset}/execute`, message, {
      traceparent: `00-${TRACE}-${SPAN}-01`,
    });
    const body: unknown = await response.json();
    if (!isJsonObject(body)) throw new TypeError('the answer is no object');
    return { status: response.status, body };
  };

  it('completes on a 202 without a body, with the id from a header and the status as text', async () => {
    const { status, body } = await send(INPUTS);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body['status']).to.equal('completed');
    expect(body['outputs']).to.deep.equal({ message_id: 'msg-42', status: '202' });
  });

  it('sends the rendered request byte for byte, the sender from the vault', async () => {
    const before = stub.requests.length;
    await send(INPUTS);
    expect(stub.requests.slice(before).map(readable)).to.deep.equal([requestFrom(FROM)]);
  });

  it('sends a sender that the caller gives in place of the default', async () => {
    const before = stub.requests.length;
    await send({ ...INPUTS, sender: 'me@example.net' });
    expect(stub.requests.slice(before).map(readable)).to.deep.equal([requestFrom('me@example.net')]);
  });

  it('reports the fallback that nothing defines, and runs all the same', async () => {
    const said = '/providers/mailgun/execution';
    expect(await outputWith(standalone, said)).to.include(said);
  });

  for (const [orbiset, why] of [
    ['elsewhere', 'no secret of the Orb'],
    ['half', 'not the secret behind the default'],
  ] as const) {
    it(`opens no connection when the host may get ${why}`, async () => {
      const [connections, requests] = [stub.connections(), stub.requests.length];
      const { status, body } = await send(INPUTS, orbiset);
      expect(`${status} ${codeOf(body)}`).to.equal('409 secret-host-not-allowed');
      expect(stub.connections()).to.equal(connections);
      expect(stub.requests.length).to.equal(requests);
    });
  }

  it('sends no byte of the request to a server whose certificate has another name', async () => {
    const { status, body } = await send(INPUTS, 'default', mislead);
    expect(`${status} ${codeOf(body)}`).to.equal('502 provider-failed');
    expect(wrongName.connections()).to.equal(1);
    expect(wrongName.requests).to.deep.equal([]);
    expect(JSON.stringify(body)).not.to.include(KEY);
  });
});
