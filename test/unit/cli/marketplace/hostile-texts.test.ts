import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { parse } from 'yaml';
import { aCli, type CliResult } from '../../../support/cli-io.ts';
import { aServer, json } from '../../../support/cli-server.ts';
import { ACTS_ON_TERMINAL, HOSTILE_TEXTS } from '../../../support/hostile-texts.ts';

const ID = 'acme.mail@1.0.0';

/** A server that was taken over says this in every member that it chooses. */
const itemOf = (text: string): object => ({
  orb_id: ID,
  org: text,
  name: 'acme.mail',
  version: text,
  description: text,
  provider: text,
  capabilities: [text],
  certification_tier: text,
  tier_status: text,
  reputation_score: text,
  score_bp: text,
  confidence: text,
  status: text,
  manifest_digest: text,
  publisher: { org: text, verified: true, proof: text, since: text },
  published_at: text,
  updated_at: text,
  links: { [text]: text },
});

const pageOf = (text: string): object => ({ items: [itemOf(text)], total: 1, limit: 20, offset: 0, next: null });

const problemOf = (text: string): object => ({
  type: text,
  title: text,
  status: 422,
  code: text,
  detail: text,
  request_id: text,
  errors: [{ pointer: text, code: text, detail: text, suggestion: text }],
});

async function printed(answer: ReturnType<typeof json>, ...argv: readonly string[]): Promise<CliResult> {
  const cli = aCli();
  const server = await aServer(answer);
  try {
    return await cli.run(['marketplace', ...argv, '--server', server.url]);
  } finally {
    await server.close();
    rmSync(cli.folder, { recursive: true });
  }
}

const checkTerminal = ({ out, err }: CliResult): void => {
  expect(`${out}${err}`).to.not.match(ACTS_ON_TERMINAL);
};

describe('orb marketplace over hostile texts', () => {
  for (const [what, text] of Object.entries(HOSTILE_TEXTS)) {
    it(`prints ${what} as text, on the line of the Orb`, async () => {
      const list = await printed(json(200, pageOf(text)), 'list');
      checkTerminal(list);
      expect([list.exit, list.out.trimEnd().split('\n').length]).to.deep.equal([0, 2]);
      const show = await printed(json(200, pageOf(text)), 'show', ID);
      checkTerminal(show);
      expect([show.exit, show.out.trimEnd().split('\n').length]).to.deep.equal([0, 11]);
    });

    it(`prints ${what} to machines without a change of the value`, async () => {
      for (const [verb, value] of [
        [['list'], pageOf(text)],
        [['show', ID], itemOf(text)],
      ] as const) {
        const asJson = await printed(json(200, pageOf(text)), ...verb, '-o', 'json');
        const asYaml = await printed(json(200, pageOf(text)), ...verb, '-o', 'yaml');
        for (const result of [asJson, asYaml]) checkTerminal(result);
        expect(JSON.parse(asJson.out)).to.deep.equal(value);
        expect(parse(asYaml.out)).to.deep.equal(value);
      }
    });

    it(`prints a problem that holds ${what}`, async () => {
      const refusal = json(422, problemOf(text), 'application/problem+json');
      for (const format of ['text', 'json', 'yaml'] as const)
        checkTerminal(await printed(refusal, 'list', '-o', format));
    });
  }

  it('prints names of Orbs that are none', async () => {
    for (const text of Object.values(HOSTILE_TEXTS)) {
      const page = { ...pageOf(text), items: [{ ...itemOf(text), orb_id: text }] };
      const names = await printed(json(200, page), 'list', '-o', 'name');
      checkTerminal(names);
      expect(names.out.trimEnd().split('\n')).to.have.length(1);
    }
  });
});
