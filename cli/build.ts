import { cpSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, buildSync, type Metafile, type Plugin, transform } from 'esbuild'
import { mergeChunks } from './merge-chunks.ts'

const root = join(import.meta.dirname, '..')

/** The program, the server as a library, and the worker threads. A thread is found by its path beside the bundled modules. */
const entries = {
  main: 'cli/src/main.ts',
  index: 'server/src/index.ts',
  'audit-thread': 'broker/src/world/audit/audit-thread.ts',
  'backup-thread': 'broker/src/backup/backup-thread.ts',
  'history-thread': 'server/src/history/history-thread.ts',
  'sqlite/writer-thread': 'broker/src/query-tables/sqlite/writer-thread.ts',
  'sqlite/reader-thread': 'broker/src/query-tables/sqlite/reader-thread.ts',
  'sqlite/snapshot-thread': 'broker/src/query-tables/sqlite/snapshot-thread.ts',
  'postgres/writer-thread': 'broker/src/query-tables/postgres/writer-thread.ts',
  'postgres/reader-thread': 'broker/src/query-tables/postgres/reader-thread.ts',
  'postgres/snapshot-thread': 'broker/src/query-tables/postgres/snapshot-thread.ts',
}

const command = entries.main
const server = [command, 'server/src/start/start.ts']
const inFolder = ['main-store', 'durable-files'].map((name) => `broker/src/registry/store/${name}.ts`)
const inDatabase = ['broker/src/registry/store/postgres-stores.ts', 'server/src/start/cluster-node.ts']

/** The files that a process or a thread loads together (merge-chunks.ts). */
const together: readonly (readonly string[])[] = [
  [command],
  server,
  [...server, ...inFolder],
  [...server, ...inDatabase],
  [entries['history-thread']],
  [entries['sqlite/writer-thread']],
  [entries['sqlite/reader-thread']],
  [entries['postgres/writer-thread']],
]

/** What `quipu run` loads into a Node program. */
const programParts = ['official-hosts', 'world-time', 'lock-step'] as const
type ProgramPart = (typeof programParts)[number]

/**
 * CommonJS packages in the bundle call `require` for modules of Node, and try optional packages. `createRequire` would
 * do the same, but loads ten modules of Node in each thread.
 */
const requireInModules = `const require = (name) => {
  const found = process.getBuiltinModule(name);
  if (found === undefined) throw Object.assign(new Error('Cannot find module ' + name), { code: 'MODULE_NOT_FOUND' });
  return found;
};`

/**
 * A `require` loads these modules of Node when the importing module runs, an import loads them before any module runs.
 * `node:http`: an import reads all exports, and the export `WebSocket` loads the HTTP client of Node, which costs 0.07 CPU
 * seconds of each start. `node:sqlite`: Node 22 prints its warning before `hide-sqlite-warning.js` could run.
 */
const requireLate: Plugin = {
  name: 'require-late',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(http|sqlite)$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'require' } : null,
    )
    onLoad({ filter: /./, namespace: 'require' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/**
 * These modules of Node load when one of their exports is used. They cost 0.03 CPU seconds, and a server without TLS uses
 * none of them.
 */
const loadWhenUsed: Plugin = {
  name: 'load-when-used',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(https|tls)$/ }, ({ kind, path }) =>
      kind === 'dynamic-import'
        ? null
        : { path: `node:${path.replace('node:', '')}`, namespace: 'when-used' },
    )
    onLoad({ filter: /./, namespace: 'when-used' }, async ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path)!)
      const getters = names.map(
        (name) => `get ${name}() { return process.getBuiltinModule(${JSON.stringify(path)}).${name} }`,
      )
      return { contents: `module.exports = {${getters}}` }
    })
  },
}

/** Shortens the local names of libraries. Our names stay, so that stack traces can be read. */
const shortenLibraries: Plugin = {
  name: 'shorten-libraries',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { minifyIdentifiers: true })
      return { contents: code }
    })
  },
}

/**
 * Bundles the server and its dependencies, and returns what is inside. Node starts a bundle in half the CPU time of about
 * 800 modules.
 */
export async function bundleServer(folder: string, { isPackage = false } = {}): Promise<Metafile> {
  const options = {
    target: 'node22.13',
    // This saves a quarter of the package.
    minifyWhitespace: isPackage,
    minifySyntax: isPackage,
  }
  const { metafile, outputFiles } = await build({
    ...options,
    entryPoints: Object.entries(entries).map(([out, file]) => ({ out, in: join(root, file) })),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    // Modules without CommonJS, where a library has both: what nobody uses is left out.
    mainFields: ['module', 'main'],
    external: ['pg-native'],
    inject: [join(import.meta.dirname, 'bin', 'hide-sqlite-warning.js')],
    plugins: [requireLate, loadWhenUsed, ...(isPackage ? [shortenLibraries] : [])],
    banner: { js: requireInModules },
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  await mergeChunks(folder, { files: outputFiles, metafile }, together, options)
  cpSync(join(root, 'scenarios'), join(folder, 'scenarios'), { recursive: true })
  cpSync(join(root, 'broker/src/market/tickers/tickers.txt'), join(folder, 'tickers', 'tickers.txt'))
  cpSync(join(import.meta.dirname, 'src', 'run', 'python'), join(folder, 'program', 'python'), {
    recursive: true,
    filter: (path) => basename(path) !== '__pycache__',
  })
  for (const part of programParts) writeFileSync(join(folder, 'program', `${part}.cjs`), bundleProgram(part))
  return metafile
}

/** A script that sets the variable `part` to the exports of a part of `quipu run`. */
export function bundleProgram(part: ProgramPart): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(import.meta.dirname, 'src', 'run', 'program', `${part}.ts`)],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'part',
    platform: 'node',
    // The program may run on an older Node than ours.
    target: 'node18',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'warning',
  })
  return outputFiles[0]!.text
}
