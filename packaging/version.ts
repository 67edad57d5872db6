import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Manifest = {
  name?: string
  version?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const OURS = /^@quipu\//

/** The version of all packages of a checkout. Different versions are an error. */
export function versionOf(checkout: string): string {
  const versions = manifestsOf(checkout).map((path) => [path, readJson(path).version] as const)
  const [, version] = versions[0]!
  const other = versions.find(([, one]) => one !== version)
  if (version === undefined || other) throw new Error(`${other?.[0]} has another version than ${version}`)
  return version
}

/** Writes a new version into every manifest, the lock file and the README. */
export function setVersion(checkout: string, version: string): void {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    throw new Error(`expected a version like 1.2.3, received ${version}`)
  const before = versionOf(checkout)
  for (const path of manifestsOf(checkout)) writeJson(path, withVersion(readJson(path), version))
  const lock = join(checkout, 'package-lock.json')
  const { packages, ...rest } = readJson(lock) as Manifest & { packages: Record<string, Manifest> }
  const changed = Object.entries(packages).map(([path, entry]) => [
    path,
    // Entries in node_modules are packages of others, or links without a version.
    path.includes('node_modules/') ? entry : withVersion(entry, version),
  ])
  writeJson(lock, { ...rest, version, packages: Object.fromEntries(changed) })
  const readme = join(checkout, 'README.md')
  writeFileSync(
    readme,
    readFileSync(readme, 'utf8').replace(`Quipu ${before} listens`, `Quipu ${version} listens`),
  )
}

/** The manifests of the repository and its workspaces. */
function manifestsOf(checkout: string): readonly string[] {
  const { workspaces } = readJson(join(checkout, 'package.json')) as { workspaces: readonly string[] }
  const found = globSync(
    workspaces.map((workspace) => `${workspace}/package.json`),
    { cwd: checkout },
  )
  return ['package.json', ...found].map((path) => join(checkout, path))
}

function withVersion(manifest: Manifest, version: string): Manifest {
  const changed = { ...manifest, version }
  for (const kind of ['dependencies', 'devDependencies'] as const) {
    const entries = Object.entries(manifest[kind] ?? {})
    if (entries.length > 0)
      changed[kind] = Object.fromEntries(
        entries.map(([name, range]) => [name, OURS.test(name) ? version : range]),
      )
  }
  return changed
}

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the file
const readJson = (path: string): any => JSON.parse(readFileSync(path, 'utf8'))
const writeJson = (path: string, value: unknown): void =>
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`)
