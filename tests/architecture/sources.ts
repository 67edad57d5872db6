import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** Every file of the repository, with forward slashes. Dependencies and build results are no part of it. */
export const paths: readonly string[] = globSync('**/*', {
  cwd: root,
  withFileTypes: true,
  exclude: ({ name }) => /^(node_modules|dist|\.git)$/.test(name),
})
  .filter((entry) => entry.isFile())
  .map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(root.length + 1)
      .split(sep)
      .join('/'),
  )
  .sort()

/** A source file of a workspace, or a spec. */
export const isSource = (path: string): boolean =>
  /^(contract|core|broker|server|cli|sdk|web|testing|tests|bench|examples|docs|packaging)\/.*(?<!\.d)\.tsx?$/.test(
    path,
  )

export const sources: readonly string[] = paths.filter(isSource)

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Test scaffolding: only tests may import these files. */
export const isScaffolding = (file: string): boolean => file.includes('/testing/')

export const isSpec = (file: string): boolean =>
  file.endsWith('.spec.ts') || isScaffolding(file) || /^(tests|bench|examples|docs|packaging)\//.test(file)

/** A source file that users run. */
export const isProduct = (file: string): boolean => isSource(file) && !isSpec(file)

/** The imports of a file: our files by path, libraries by name. */
export type Imports = { readonly files: readonly string[]; readonly packages: readonly string[] }

/** `loaded` omits dynamic imports and those of types. */
export const importsOf = (file: string, kinds: 'all' | 'loaded' = 'all'): Imports =>
  importsIn(file, textOf(file), kinds)

export function importsIn(file: string, content: string, kinds: 'all' | 'loaded' = 'all'): Imports {
  const files: string[] = []
  const packages: string[] = []
  for (const [text, from, alone, dynamic] of content.matchAll(
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
    else if (name.startsWith('@quipu/')) files.push(fileOfPackage(name))
    else packages.push(name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : name.split('/')[0]!)
  }
  return { files, packages }
}

/** `@quipu/core` is its entry point, `@quipu/broker/world/world.ts` a file of that package. */
export function fileOfPackage(name: string): string {
  const [, workspace, ...path] = name.split('/')
  return `${workspace}/src/${path.length > 0 && name.endsWith('.ts') ? path.join('/') : 'index.ts'}`
}
