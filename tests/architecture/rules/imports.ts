import { inEachFile, type RepositoryFile, type Rule } from '../rule.ts'
import { isProduct, isScaffolding } from '../sources.ts'

/** The package of a file: a workspace, or one folder of a large one. `server` means its entry points. */
function packageOf(file: string): string {
  const [workspace, source, ...rest] = file.split('/')
  const hasFolders = source === 'src' && /^(broker|server|cli)$/.test(workspace!) && rest.length > 1
  return hasFolders ? `${workspace}/${rest[0]}` : workspace!
}

const allowedImports: Rule = {
  name: 'every package imports only the packages that it may',
  covers: isProduct,
  violations: inEachFile(({ path, imports }, { mayImport }) => {
    const from = packageOf(path)
    const allowed = mayImport[from]
    if (!allowed) return [`the package ${from} has no row in the table`]
    return imports.files.filter((to) => packageOf(to) !== from && !allowed.includes(packageOf(to)))
  }),
  planted: [
    {
      files: { 'core/src/planted.ts': "export { quipu } from '@quipu/sdk'" },
      refused: ['core/src/planted.ts: sdk/src/index.ts'],
    },
    {
      files: { 'broker/src/query-tables/planted.ts': "const { x } = await import('../world/world.ts')" },
      refused: ['broker/src/query-tables/planted.ts: broker/src/world/world.ts'],
    },
    {
      files: { 'server/src/planted/planted.ts': '' },
      refused: ['server/src/planted/planted.ts: the package server/planted has no row in the table'],
    },
  ],
}

const usedDependencies: Rule = {
  name: 'every dependency in the table is used',
  covers: isProduct,
  violations(files, { mayImport }) {
    const used = new Set(
      files.flatMap(({ path, imports }) =>
        imports.files.map((to) => `${packageOf(path)} -> ${packageOf(to)}`),
      ),
    )
    return pairsOf(mayImport)
      .filter(([from, to]) => !used.has(`${from} -> ${to}`))
      .map(([from, to]) => `${from} imports nothing from ${to}`)
  },
  planted: [{ mayImport: { sdk: ['contract', 'core'] }, refused: ['sdk imports nothing from core'] }],
}

const orderedDependencies: Rule = {
  name: 'every dependency is listed above its user in the table',
  covers: isProduct,
  violations(_, { mayImport }) {
    const names = Object.keys(mayImport)
    return pairsOf(mayImport)
      .filter(([from, to]) => names.indexOf(to) >= names.indexOf(from))
      .map(([from, to]) => `${to} is not above ${from} in the table`)
  },
  planted: [{ mayImport: { contract: ['core'] }, refused: ['core is not above contract in the table'] }],
}

const pairsOf = (mayImport: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(mayImport).flatMap(([from, allowed]) => allowed.map((to) => [from, to] as const))

/** How many dependencies between its folders a package may have. */
const dependenciesMax = { broker: 50, server: 15, cli: 8 }

const fewDependencies: Rule = {
  name: 'the folders of a package have few dependencies',
  covers: isProduct,
  violations: (_, { mayImport }) =>
    Object.entries(dependenciesMax).flatMap(([name, max]) => {
      const isInside = (folder: string) => folder.split('/')[0] === name
      const count = pairsOf(mayImport).filter(([from, to]) => isInside(from) && isInside(to)).length
      return count > 0 && count <= max
        ? []
        : [`${name}: there are no or more than ${max} dependencies between its folders`]
    }),
  planted: [
    {
      mayImport: {
        'cli/planted': ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => `cli/${name}`),
      },
      refused: ['cli: there are no or more than 8 dependencies between its folders'],
    },
  ],
}

const diagramArrows: Rule = {
  name: 'every arrow of the diagram in ARCHITECTURE.md is a dependency in the table',
  covers: (path) => path === 'ARCHITECTURE.md',
  violations: inEachFile(({ text }, { mayImport }) => {
    const diagram = text.split('```mermaid\n')[1]!.split('```')[0]!
    const labels = new Map([...diagram.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, id, label]) => [id!, label!]))
    return diagram
      .trim()
      .split('\n')
      .slice(1)
      .filter((line) => {
        const [, from, to] = /^ +(\w+)(?:\[[^\]]*\])? --> (\w+)/.exec(line) ?? []
        return !mayImport[labels.get(from!)!]?.includes(labels.get(to!)!)
      })
  }),
  planted: [
    {
      files: {
        'ARCHITECTURE.md': [
          '```mermaid\nflowchart TD',
          '  sdk["sdk"] --> contract["contract"]',
          '  contract --> sdk',
          '  contract is below\n```',
        ].join('\n'),
      },
      refused: ['ARCHITECTURE.md:   contract --> sdk', 'ARCHITECTURE.md:   contract is below'],
    },
  ],
}

const noCycles: Rule = {
  name: 'no file imports itself through other files',
  covers: isProduct,
  violations(files) {
    const graph = new Map(files.map(({ path, imports }) => [path, imports.files]))
    const done = new Set<string>()
    return files.flatMap(({ path }) => cycleFrom(path, graph, done)?.join(' -> ') ?? [])
  },
  planted: [
    {
      files: {
        'core/src/planted-a.ts': "import './planted-b.ts'",
        'core/src/planted-b.ts': "export type { Planted } from './planted-a.ts'",
      },
      refused: ['core/src/planted-a.ts -> core/src/planted-b.ts -> core/src/planted-a.ts'],
    },
  ],
}

/** The first cycle that is reachable from a file, if any. Files that are done are in no cycle, or in a reported one. */
function cycleFrom(
  start: string,
  graph: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): readonly string[] | undefined {
  const path: string[] = []
  return visit(start)

  function visit(at: string): readonly string[] | undefined {
    const first = path.indexOf(at)
    if (first >= 0) return [...path.slice(first), at]
    if (done.has(at)) return undefined
    path.push(at)
    for (const next of graph.get(at) ?? []) {
      const cycle = visit(next)
      if (cycle) {
        done.add(at)
        return cycle
      }
    }
    path.pop()
    done.add(at)
    return undefined
  }
}

const noScaffolding: Rule = {
  name: 'the product imports no test scaffolding',
  covers: isProduct,
  violations: inEachFile(({ imports }) => imports.files.filter(isScaffolding)),
  planted: [
    {
      files: { 'core/src/planted.ts': "import { TestWorld } from './testing/world.ts'" },
      refused: ['core/src/planted.ts: core/src/testing/world.ts'],
    },
  ],
}

/** Files that are started by path or loaded by a tool, not imported. */
const entries =
  /^((sdk|testing|cli)\/build|cli\/(src\/main|npm-start)|web\/(build|vite\.config|src\/(main|passkeys)|docs\/client\/(main|theme))|testing\/src\/(require|broker-process))\.tsx?$|-thread\.ts$/

const noUnusedFiles: Rule = {
  name: 'every file of the product is imported, exported by its package, or an entry point',
  covers: isProduct,
  violations(files, repository) {
    const used = new Set(files.flatMap(({ imports }) => imports.files))
    for (const { path, text } of repository.files)
      if (/^[a-z]+\/package\.json$/.test(path)) for (const file of exportsOf(path, text)) used.add(file)
    return files.map(({ path }) => path).filter((path) => !used.has(path) && !entries.test(path))
  },
  planted: [
    { files: { 'core/src/planted.ts': '' }, refused: ['core/src/planted.ts'] },
    {
      files: { 'server/src/planted.ts': '', 'tests/planted.spec.ts': "import '../server/src/planted.ts'" },
      refused: ['server/src/planted.ts'],
    },
  ],
}

function exportsOf(path: string, text: string): readonly string[] {
  const { exports = {} } = JSON.parse(text) as { readonly exports?: Readonly<Record<string, unknown>> }
  return Object.values(exports).flatMap((file) =>
    typeof file === 'string' ? path.replace('package.json', file.replace('./', '')) : [],
  )
}

const declaredLibraries: Rule = {
  name: 'libraries are declared where they are used, and core and contract have none',
  covers: isProduct,
  violations(files, repository) {
    const declared = new Map(
      repository.files
        .filter(({ path }) => path.endsWith('/package.json'))
        .map((file) => [file.path, librariesIn(file)]),
    )
    return files.flatMap(({ path, imports }) => {
      const workspace = path.split('/')[0]!
      const isBare = workspace === 'core' || workspace === 'contract'
      return imports.packages
        .filter((name) =>
          name.startsWith('node:') ? isBare : !declared.get(`${workspace}/package.json`)?.includes(name),
        )
        .map((name) => `${path} -> ${name}`)
    })
  },
  planted: [
    {
      files: { 'server/src/start/planted.ts': "import left from 'left-pad'\nimport 'node:fs'" },
      refused: ['server/src/start/planted.ts -> left-pad'],
    },
    {
      files: { 'contract/src/planted.ts': "import { readFileSync } from 'node:fs'" },
      refused: ['contract/src/planted.ts -> node:fs'],
    },
  ],
}

function librariesIn({ text }: RepositoryFile): readonly string[] {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(text)
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)]
}

export const rules: readonly Rule[] = [
  allowedImports,
  usedDependencies,
  orderedDependencies,
  fewDependencies,
  diagramArrows,
  noCycles,
  noScaffolding,
  noUnusedFiles,
  declaredLibraries,
]
