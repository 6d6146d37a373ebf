// The import direction of design.md §6, the clock ban in core, and the egress ban of security.md §3.6.
import { relative, resolve, sep } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const inner = { folders: ['adapters', 'core', 'crds'] }; // it lists no `packages`, so every package is allowed
// Run by browsers too: no package, no node: module, and nothing outside this closed set.
const BROWSER = ['core/verify', 'core/receipt', 'core/certificate', 'core/log-entry', 'core/merkle', 'core/trust', 'core/json'];
// A policy is CEL: every library of it is behind the port of one folder (policy.md §1).
const CEL = ['@bufbuild/cel', '@bufbuild/cel/ext', '@bufbuild/cel-spec', '@bufbuild/protobuf', '@bufbuild/re2', '@marcbachmann/cel-js'];
const LANGUAGE = 'core/policy/language';
const layers = {
  ...Object.fromEntries(BROWSER.map((folder) => [folder, { folders: BROWSER, packages: [] }])),
  crds: { folders: [], packages: [] },
  [LANGUAGE]: { folders: ['core', 'crds'], packages: ['node:crypto', '@bufbuild/cel', '@bufbuild/re2', '@marcbachmann/cel-js'] },
  core: { folders: ['core', 'crds'], packages: ['node:crypto', 'yaml'] },
  adapters: { folders: ['core', 'crds'] },
  operator: inner,
  'api-server': inner,
  cli: inner,
  console: { folders: ['core', 'crds'] },
  standalone: { folders: ['operator', 'api-server', 'adapters', 'core', 'crds'] },
  image: { folders: ['standalone', 'operator', 'api-server', 'cli', 'adapters', 'core', 'crds'] },
};
const place = (file) => relative(root, file).split(sep);
const layerOf = (file) => {
  const [top, second, third] = place(file);
  const inside = [`${top}/${second}/${third}`, `${top}/${second}`].find((folder) => folder in layers);
  return inside ?? top;
};
const within = (file, folder) => place(file).join('/').startsWith(`${folder}/`);

const fault = (from, file, target) => {
  const { folders, packages } = layers[from];
  if (!target.startsWith('.')) {
    const isForeign = packages ? !packages.includes(target) : CEL.includes(target);
    return isForeign ? target : undefined;
  }
  const to = resolve(file, '..', target);
  return layerOf(to) === from || folders.some((folder) => within(to, folder)) ? undefined : place(to).slice(0, 2).join('/');
};

const imports = (check) => ({
  ImportDeclaration: check,
  ExportNamedDeclaration: check,
  ExportAllDeclaration: check,
  ImportExpression: check,
  TSImportType: check,
});

const layersRule = (context) => {
  const from = layerOf(context.filename);
  return imports(({ source }) => {
    const found = from in layers && typeof source?.value === 'string' && fault(from, context.filename, source.value);
    if (found) context.report({ node: source, message: `${from} must not import ${found}` });
  });
};

const noClock = (context) => ({
  NewExpression(node) {
    if (node.callee.name === 'Date' && node.arguments.length === 0) context.report({ node, message: 'take `now` as an argument' });
  },
});

// Everything that can open a connection stays in adapters/egress. Callers of our own API (cli/api/http.ts), of the
// Kubernetes API and of Prometheus, and the look-up of TXT records, are listed by file.
const DIALERS = ['undici', 'axios', 'got', 'node-fetch', 'node:dns', 'node:dns/promises', 'dns'];
const CONNECTORS = { 'node:http': ['request', 'get', 'Agent'], 'node:https': ['request', 'get', 'Agent'], 'node:net': ['connect', 'createConnection', 'Socket'], 'node:tls': ['connect', 'TLSSocket'] };
const EGRESS_FILES = ['cli/api/http.ts', 'adapters/platform-api/client.ts', 'adapters/platform-api/reach.ts', 'charts/orb-platform/files/tests/health.js', 'charts/orb-platform/files/tests/echo.js', 'charts/orb-platform/files/tests/status.js', 'adapters/kube/kube-transport.ts', 'adapters/kube/port-forward.ts', 'adapters/prometheus/client.ts', 'adapters/dns/resolve-txt.ts'];
const egress = (context) => {
  const file = place(context.filename).join('/');
  if (file.startsWith('adapters/egress/') || /^(test|hack)\//.test(file) || EGRESS_FILES.includes(file)) return {};
  const no = (node, name) => context.report({ node, message: `${name} opens connections: only adapters/egress may (security.md §3.6)` });
  return {
    ImportDeclaration(node) {
      const name = node.source.value;
      if (DIALERS.includes(name)) no(node, name);
      for (const item of node.specifiers) {
        if (node.importKind === 'type' || item.importKind === 'type') continue;
        const banned = CONNECTORS[name];
        if (banned && (item.type !== 'ImportSpecifier' || banned.includes(item.imported.name))) no(item, name);
      }
    },
    CallExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'fetch') no(node, 'fetch');
    },
    NewExpression(node) {
      if (['Headers', 'WebSocket', 'EventSource', 'XMLHttpRequest'].includes(node.callee.name)) no(node, node.callee.name);
    },
  };
};

export default {
  meta: { name: 'orb' },
  rules: { layers: { create: layersRule }, 'no-clock': { create: noClock }, egress: { create: egress } },
};
