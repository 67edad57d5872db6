import { hash } from 'node:crypto'
import { cpSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { buildDocs } from '../../web/docs/build.ts'
import { newFolder } from '../support/broker.ts'

/** The documentation as the build writes it: a folder for the server, and the text of each file. */
export type BuiltDocs = { readonly folder: string; readonly files: ReadonlyMap<string, string> }

let built: Promise<BuiltDocs> | undefined

/** One build for all specs of a process. */
export function builtDocs(): Promise<BuiltDocs> {
  built ??= build()
  return built
}

async function build(): Promise<BuiltDocs> {
  const folder = newFolder()
  await buildDocs(folder)
  cpSync(join(import.meta.dirname, '../../web/public/icon.svg'), join(folder, 'icon.svg'))
  const names = globSync('**', { cwd: folder })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => statSync(join(folder, name)).isFile())
  writeManifest(folder, names)
  return { folder, files: new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')])) }
}

/** The manifest that the server reads; the build of the dashboard writes one with compressed files. */
function writeManifest(folder: string, names: readonly string[]): void {
  const types: Readonly<Record<string, string>> = {
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.svg': 'image/svg+xml',
    '.json': 'application/json',
    '.md': 'text/markdown; charset=utf-8',
    '.txt': 'text/plain; charset=utf-8',
    '.woff2': 'font/woff2',
  }
  const described = names.map((name) => [name, { type: types[extname(name)], hash: hash('sha256', name) }])
  const manifest = { screens: [], files: Object.fromEntries(described) }
  writeFileSync(join(folder, 'manifest.json.gz'), gzipSync(JSON.stringify(manifest)))
}
