import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'

export const root = join(import.meta.dirname, '..')

/** Every source file of the rooms, with forward slashes, specs included. */
export const sources: readonly string[] = globSync(
  ['contract', 'core', 'server', 'sdk', 'tests', 'bench', 'examples', 'docs'].map(
    (room) => `${room}/**/*.ts`,
  ),
  { cwd: root, exclude: (path) => path.includes('node_modules') },
)
  .map((path) => path.split(sep).join('/'))
  .sort()

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

export const isSpec = (file: string): boolean =>
  /\.(spec|child)\.ts$|-suite\.ts$|(^|\/)testing(\.ts$|\/)/.test(file) ||
  /^(tests|bench|examples|docs)\//.test(file)

/** What a file imports: our own files by path, packages by name. */
export function importsOf(file: string): {
  readonly files: readonly string[]
  readonly packages: readonly string[]
} {
  const files: string[] = []
  const packages: string[] = []
  for (const [, from] of textOf(file).matchAll(
    /^(?:import|export)\b[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm,
  )) {
    const name = from!
    if (name.startsWith('.'))
      files.push(
        normalize(join(dirname(file), name))
          .split(sep)
          .join('/'),
      )
    else if (name.startsWith('@quipu/')) files.push(`${name.split('/')[1]}/src/index.ts`)
    else packages.push(name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : name.split('/')[0]!)
  }
  return { files, packages }
}

/** The room a file stands in: a folder of the server, or a whole workspace. */
export function roomOf(file: string): string {
  const [workspace, source, ...rest] = file.split('/')
  if (workspace !== 'server' || source !== 'src') return workspace!
  return rest.length > 1 ? `server/${rest[0]}` : 'server'
}

/** Libraries a workspace has declared. */
export function declaredBy(workspace: string): readonly string[] {
  const path = join(root, workspace, 'package.json')
  if (!existsSync(path)) return []
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(path, 'utf8'))
  return [...Object.keys(dependencies), ...Object.keys(devDependencies)]
}

/** The first circle of imports found from a file, if there is one. */
export function circleFrom(
  file: string,
  graph: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const path: string[] = []
  const done = new Set<string>()
  return visit(file)

  function visit(at: string): readonly string[] | undefined {
    const start = path.indexOf(at)
    if (start >= 0) return [...path.slice(start), at]
    if (done.has(at)) return undefined
    path.push(at)
    for (const next of graph.get(at) ?? []) {
      const circle = visit(next)
      if (circle) return circle
    }
    path.pop()
    done.add(at)
    return undefined
  }
}
