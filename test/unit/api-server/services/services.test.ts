import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openapiOf } from '../../../../api-server/http/openapi.ts';
import { problems } from '../../../../api-server/http/problems.ts';
import type { Route } from '../../../../api-server/http/route.ts';
import { components } from '../../../../api-server/http/schemas.ts';
import { generalProblems } from '../../../../api-server/problems/general.ts';
import type { Service, ServiceParts } from '../../../../api-server/services/service.ts';
import { SERVICES, serviceRoutes, serviceSchemas, servicesOf } from '../../../../api-server/services/services.ts';
import { SCOPES } from '../../../../core/api-key/scopes.ts';
import { serviceParts } from '../../../support/service-parts.ts';

const FOLDER = join(import.meta.dirname, '../../../../api-server/services');

/** Every `$ref` to a named schema below a value. */
function* schemaNames(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === '$ref' && typeof member === 'string') yield member.slice('#/components/schemas/'.length);
    else yield* schemaNames(member);
  }
}

const namesOf = (services: readonly Service[]): readonly string[] => services.map(({ name }) => name);

describe('SERVICES', () => {
  let parts: ServiceParts;
  let close: () => Promise<void>;
  before(async () => {
    ({ parts, close } = await serviceParts());
  });
  after(async () => close());

  const each = (what: string, check: (service: Service, routes: readonly Route[]) => void): void => {
    for (const service of SERVICES)
      it(`${service.name} ${what}`, () => {
        check(service, service.routes(parts));
      });
  };

  it('lists every folder once, by its name', () => {
    const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(namesOf(SERVICES).toSorted()).to.deep.equal(folders.map(({ name }) => name).toSorted());
  });

  each('names the scopes of its routes, and no other', ({ scopes }, routes) => {
    const words: readonly string[] = ['public', 'authenticated', 'source'];
    const needed = new Set(routes.map(({ scope }) => scope).filter((scope) => !words.includes(scope)));
    expect([...needed].toSorted()).to.deep.equal([...scopes].toSorted());
  });

  each('answers codes of its own or of every service', ({ name, problems: own }, routes) => {
    const answered = routes.flatMap(({ operation }) => operation.problems);
    const known = { ...generalProblems, ...own };
    expect(
      answered.filter((code) => !Object.hasOwn(known, code)),
      name,
    ).to.deep.equal([]);
  });

  each('uses named schemas of its own or of every service', ({ schemas }, routes) => {
    const known = { ...components, ...schemas };
    const used = [...schemaNames(routes.map(({ operation }) => operation)), ...schemaNames(schemas)];
    expect(used.filter((name) => !Object.hasOwn(known, name))).to.deep.equal([]);
  });

  each('describes its operations under one or more tags', (_service, routes) => {
    expect(routes.filter(({ operation }) => operation.tags.length === 0)).to.deep.equal([]);
  });

  it('have their codes in the table, each in one part', () => {
    const codes = [generalProblems, ...SERVICES.map((service) => service.problems)].flatMap((part) =>
      Object.keys(part),
    );
    expect(codes.toSorted()).to.deep.equal(Object.keys(problems).toSorted());
  });

  it('have their schemas in the document, each of one service', () => {
    const names = [components, ...SERVICES.map(({ schemas }) => schemas)].flatMap((some) => Object.keys(some));
    const about = { version: '1.0.0', schemas: serviceSchemas() };
    expect(openapiOf(serviceRoutes(parts), about))
      .to.have.nested.property('components.schemas')
      .with.keys(names);
  });

  it('are served together by default, and apart by name, each in one service', () => {
    const groups = ['runtime', 'reputation', 'policy', 'ingestion', 'status'] as const;
    expect(namesOf(servicesOf(groups))).to.deep.equal(namesOf(SERVICES));
    const everywhere = namesOf(servicesOf([]));
    expect(everywhere).to.deep.equal(['health']);
    const apart = groups.flatMap((group) => namesOf(servicesOf([group])).filter((name) => name !== 'health'));
    expect([...everywhere, ...apart].toSorted()).to.deep.equal(namesOf(SERVICES).toSorted());
    const paths = serviceRoutes(parts, servicesOf(['policy'])).map(({ path }) => path);
    expect(paths).to.include('/health').and.include('/policies').and.not.include('/receipts');
  });

  it('need scopes that keys can have', () => {
    const needed = SERVICES.flatMap(({ scopes }) => scopes);
    expect(needed.filter((scope) => !SCOPES.includes(scope))).to.deep.equal([]);
  });
});
