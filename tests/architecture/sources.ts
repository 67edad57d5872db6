import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')

/** Every source file of the workspaces, with forward slashes, specs included. */
export const sources: readonly string[] = globSync(
  [
    'contract',
    'core',
    'broker',
    'server',
    'cli',
    'sdk',
    'web',
    'testing',
    'tests',
    'bench',
    'examples',
    'docs',
    'packaging',
  ].map((workspace) => `${workspace}/**/*.{ts,tsx}`),
  { cwd: root, exclude: (path) => /node_modules|\.d\.ts$|web\/dist/.test(path) },
)
  .map((path) => path.split(sep).join('/'))
  .sort()

/** Every page of the repository. The changelog also names files of earlier versions. */
export const pages: readonly string[] = globSync('**/*.md', {
  cwd: root,
  exclude: (path) => /node_modules|^web\/dist|^CHANGELOG\.md$|^\./.test(path),
})
  .map((path) => path.split(sep).join('/'))
  .sort()

/**
 * The source files that a page names and that do not exist. A page names a file by its path in the repository or by the
 * end of that path; the README of a source folder may shorten the paths of files in that folder only.
 */
export function missingFiles(page: string, text: string): readonly string[] {
  const folder = page.startsWith('docs/') ? '' : page.replace(/[^/]+$/, '')
  const named = [...text.matchAll(/`([\w@.-]+(?:\/[\w@.-]+)*\.tsx?)`/g)].map(([, name]) => name!)
  return named
    .map((name) => (name.startsWith('@quipu/') ? ownFile(name) : name))
    .filter(
      (name) =>
        !sources.some((file) => file === name || (file.startsWith(folder) && file.endsWith(`/${name}`))),
    )
}

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Test scaffolding: only tests may import these files. */
export const isScaffolding = (file: string): boolean => file.includes('/testing/')

export const isSpec = (file: string): boolean =>
  file.endsWith('.spec.ts') || isScaffolding(file) || /^(tests|bench|examples|docs|packaging)\//.test(file)

/** The imports of a file: our files by path, libraries by name. `loaded` omits dynamic imports and those of types. */
export function importsOf(
  file: string,
  kinds: 'all' | 'loaded' = 'all',
): {
  readonly files: readonly string[]
  readonly packages: readonly string[]
} {
  const files: string[] = []
  const packages: string[] = []
  for (const [text, from, alone, dynamic] of textOf(file).matchAll(
    /^(?:import|export)\b[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
  )) {
    if (kinds === 'loaded' && /^(import|export) type\b/.test(text)) continue
    const name = from ?? alone ?? (kinds === 'all' ? dynamic : undefined)
    // JSON files are data.
    if (name === undefined || name.endsWith('.json')) continue
    if (name.startsWith('.'))
      files.push(
        normalize(join(dirname(file), name))
          .split(sep)
          .join('/'),
      )
    else if (name.startsWith('@quipu/')) files.push(ownFile(name))
    else packages.push(name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : name.split('/')[0]!)
  }
  return { files, packages }
}

/** `@quipu/core` is its entry point, `@quipu/broker/world/world.ts` a file of that package. */
function ownFile(name: string): string {
  const [, workspace, ...path] = name.split('/')
  return `${workspace}/src/${path.length > 0 && name.endsWith('.ts') ? path.join('/') : 'index.ts'}`
}

/** The package of a file: a workspace, or one folder of a large one. `server` means its entry points. */
export function packageOf(file: string): string {
  const [workspace, source, ...rest] = file.split('/')
  const hasFolders = source === 'src' && /^(broker|server|cli)$/.test(workspace!) && rest.length > 1
  return hasFolders ? `${workspace}/${rest[0]}` : workspace!
}

/** The libraries that a workspace declares. */
export function declaredBy(workspace: string): readonly string[] {
  const path = join(root, workspace, 'package.json')
  if (!existsSync(path)) return []
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(path, 'utf8'))
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)]
}

/** The first cycle of a graph that is reachable from a node, if any. */
export function cycleFrom(
  start: string,
  graph: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const path: string[] = []
  const done = new Set<string>()
  return visit(start)

  function visit(at: string): readonly string[] | undefined {
    const first = path.indexOf(at)
    if (first >= 0) return [...path.slice(first), at]
    if (done.has(at)) return undefined
    path.push(at)
    for (const next of graph.get(at) ?? []) {
      const cycle = visit(next)
      if (cycle) return cycle
    }
    path.pop()
    done.add(at)
    return undefined
  }
}
