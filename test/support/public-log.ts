import { randomBytes, createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { newKeyFiles } from '../../adapters/keys/new-keys.ts';
import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import { openSqliteLedger } from '../../adapters/ledger/sqlite-ledger.ts';
import { keyRoutes } from '../../api-server/services/log/key-routes.ts';
import { logRoutes } from '../../api-server/services/log/log-routes.ts';
import { tileRoutes } from '../../api-server/services/log/tile-routes.ts';
import { rootOf } from '../../cli/trust/root-key.ts';
import { entryText, type LogEntry } from '../../core/log-entry/entry.ts';
import { tileLayout, tilePath } from '../../core/merkle/tiles.ts';
import { openKeys } from '../../core/verify/keys.ts';
import { startApp, type TestApp } from './api-app.ts';
import { createFakeClock } from './fake-clock.ts';
import { LEDGER_NOW } from './ledger-rows.ts';
import { testLedgerOptions, writerOnThisThread } from './sqlite-ledger.ts';

/** A ledger whose log is served by the routes of the API, with a keys document that a root signed. */
export interface PublicLog {
  readonly url: string;
  /** JWK of the root key. */
  readonly root: string;
  /** Appends entries, and waits for a checkpoint over them. @returns size of the log */
  readonly append: (entries: readonly LogEntry[]) => Promise<number>;
  /** Writes the log as files into a new folder, each as its route serves it. */
  readonly mirror: () => Promise<string>;
  readonly close: () => Promise<void>;
}

async function served(app: TestApp, path: string): Promise<Uint8Array> {
  const { status, body } = await app.call('GET', path, { key: null });
  if (status !== 200) throw new Error(`${path} answers with ${status}`);
  return body;
}

/** Paths below `/log` of all tiles and bundles of a log of this size. */
export function tilePathsOf(size: number): readonly string[] {
  const [first] = tileLayout(size);
  const levels = [...tileLayout(size), ...(first === undefined ? [] : [{ ...first, level: 'entries' as const }])];
  return levels.flatMap(({ level, full, partialWidth }) => [
    ...Array.from({ length: full }, (_, index) => tilePath({ level, index, width: 256 })),
    ...(partialWidth === 0 ? [] : [tilePath({ level, index: full, width: partialWidth })]),
  ]);
}

async function mirror(app: TestApp, size: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-log-'));
  const files = new Map([
    ['orb-keys.json', '/.well-known/orb-keys.json'],
    ...['checkpoint', ...tilePathsOf(size)].map((path) => [path, `/log/${path}`] as const),
  ]);
  for (const [file, path] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), await served(app, path));
  }
  return folder;
}

/** Opens an empty one. */
export async function aPublicLog(): Promise<PublicLog> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-ledger-'));
  const clock = createFakeClock(LEDGER_NOW);
  const keys = newKeyFiles({ issuer: 'https://orbs.example', now: LEDGER_NOW, random: randomBytes });
  const [root = '', keysJws = '', pem = ''] = ['root.jwk', 'orb-keys.jws', 'log.pem'].map((name) => keys.get(name));
  const opened = await openKeys(keysJws.trim(), rootOf(JSON.parse(root), 'root'), { sha256, ed25519Verify });
  if (!opened.ok) throw new Error(opened.code);
  const privateKey = createPrivateKey(pem);
  const publicKey = Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x ?? '', 'base64url');
  const logKey = { privateKey, publicKey };
  const options = { logKey, clock, random: randomBytes, startWriter: writerOnThisThread };
  const ledger = await openSqliteLedger(testLedgerOptions(join(folder, 'ledger.sqlite'), options));
  const source = { keysJws: keysJws.trim(), document: opened.document, clock };
  const app = await startApp([...keyRoutes(source), ...logRoutes(ledger), ...tileRoutes(ledger)]);
  return {
    url: `http://127.0.0.1:${app.port}`,
    root,
    append: async (entries) => {
      await ledger.appendEntries(entries.map(entryText));
      await clock.advance(1000);
      await ledger.putState('test', 'after-the-checkpoint', '1');
      return ledger.logSize();
    },
    mirror: async () => mirror(app, await ledger.logSize()),
    close: async () => {
      await app.close();
      await ledger.close();
      rmSync(folder, { recursive: true });
    },
  };
}
